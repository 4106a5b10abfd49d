/** The tables of the core and of the capabilities as one schema. */

import { coreTables } from './core-tables.ts'
import type { MarkedMigration } from './migrations/migration.ts'
import { TableTaken } from './migrations/migration-errors.ts'
import { coreMigrations } from './schema.ts'
import type { CapabilityTable, NamedTable } from './tables.ts'

export interface WholeSchema {
  /** In the order of the purge and of an erasure. */
  readonly tables: readonly NamedTable[]
  readonly migrations: Readonly<Record<string, MarkedMigration>>
}

/** Throws `TableTaken`. */
export function wholeSchema(added: readonly CapabilityTable[]): WholeSchema {
  const own = Object.entries(coreTables).map(([name, rules]) => ({ name, ...rules }))
  const tables = [...own, ...added.toSorted((a, b) => (firstOf(a) < firstOf(b) ? -1 : 1))]
  const names = tables.map(({ name }) => name)
  const taken = names.find((name, index) => names.indexOf(name) !== index)
  if (taken !== undefined) throw new TableTaken(taken)
  return { tables, migrations: merged([coreMigrations, ...added.map(({ migrations }) => migrations)]) }
}

/** Those of capabilities are in the order in which stores got them, whatever that of the list is. */
const firstOf = ({ migrations }: CapabilityTable): string => Object.keys(migrations).sort()[0] ?? ''

/** A name may stand in several lists: its parts run one after another, in one transaction. */
function merged(lists: readonly WholeSchema['migrations'][]): WholeSchema['migrations'] {
  const parts = new Map<string, MarkedMigration[]>()
  for (const list of lists)
    for (const [name, part] of Object.entries(list)) parts.set(name, [...(parts.get(name) ?? []), part])
  return Object.fromEntries([...parts].map(([name, all]) => [name, inOrder(all)]))
}

const inOrder = (parts: readonly MarkedMigration[]): MarkedMigration => ({
  additive: parts.every(({ additive }) => additive),
  up: async (database) => {
    for (const part of parts) await part.up(database)
  },
})
