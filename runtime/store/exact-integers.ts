/** Integers of 64 bits: a JavaScript number is exact to 2^53 alone. Source: decisions/store.md, Engines and statements. */
import type { Migration } from './migrations/migration.ts'

/** By table, the columns whose values are bigints whatever their size. */
export type BigintColumns = ReadonlyMap<string, ReadonlySet<string>>

export const noBigintColumns: BigintColumns = new Map()

/** What `bigints` of the migrations say together. */
export function bigintColumnsOf(migrations: Readonly<Record<string, Migration>> | null): BigintColumns {
  const columns = new Map<string, Set<string>>()
  for (const { bigints = {} } of Object.values(migrations ?? {}))
    for (const [table, names] of Object.entries(bigints))
      columns.set(table, new Set([...(columns.get(table) ?? []), ...names]))
  return columns
}

/** A number where that is exact. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** The decimal text of an integer, as PostgreSQL sends it. */
export function exactIntegerOf(text: string): number | bigint {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}
