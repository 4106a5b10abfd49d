/** Rows whose columns have the values of a record, under names of their own. */
import { type RawBuilder, sql } from 'kysely'

/** By column, what a record calls its value. */
type Columns<Names extends string = string> = Readonly<Record<string, Names>>

export type RowOf<Entry, Named extends Columns<keyof Entry & string>> = {
  readonly [Column in keyof Named]: Entry[Named[Column]]
}

/** The columns of those values that are given, each with the type that it has in the table. */
export const rowOf = (columns: Columns, values: object): Readonly<Record<string, never>> =>
  Object.fromEntries(
    Object.entries(columns)
      .filter(([, name]) => Object.hasOwn(values, name))
      .map(([column, name]) => [column, Reflect.get(values, name) as never]),
  )

/** What a statement selects or returns: a record. */
export const selected = <Named extends Columns>(
  columns: Named,
): readonly { [Column in keyof Named & string]: `${Column} as ${Named[Column]}` }[keyof Named & string][] =>
  Object.entries(columns).map(([column, name]) => `${column} as ${name}` as never) // as the type says

/** For `insert … select`, where a parameter has no type of its own in PostgreSQL. What is null is so without being named. */
export function insertable(row: object): Readonly<Record<'columns' | 'values', RawBuilder<unknown>>> {
  const present = Object.entries(row).filter(([, value]) => value !== null)
  const typed = (value: unknown): RawBuilder<unknown> =>
    typeof value === 'number' ? sql`cast(${value} as bigint)` : sql`cast(${value} as text)`
  return {
    columns: sql.join(present.map(([column]) => sql.ref(column))),
    values: sql.join(present.map(([, value]) => typed(value))),
  }
}
