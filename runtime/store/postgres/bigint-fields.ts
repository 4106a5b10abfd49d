/** Which fields of a result are columns that the application declared as bigints. PostgreSQL names a field's table and column by
 *  number; what these are called is asked once a table. */
import pg from 'pg'
import type { BigintColumns } from '../exact-integers.ts'

export const int8: number = pg.types.builtins.INT8

type Ask = (query: pg.QueryConfig) => Promise<pg.QueryResult>

const columnsOfTables = `select attrelid as table, attnum as column, relname as "tableName", attname as "columnName"
  from pg_attribute join pg_class on pg_class.oid = attrelid where attrelid = any($1::oid[]) and attnum > 0`

interface ColumnRow {
  readonly table: number
  readonly column: number
  readonly tableName: string
  readonly columnName: string
}

/** Temporary tables have numbers of their own each time. */
const maxTables = 10_000

export class BigintFields {
  readonly #columns: BigintColumns
  /** By the number of a table, those of its declared columns. */
  readonly #known = new Map<number, Set<number>>()

  constructor(columns: BigintColumns) {
    this.#columns = columns
  }

  /** Makes bigints of the values of declared columns; `ask` asks on the connection of the result. Changes its rows, which nobody else
   *  has. Several statements in one text have a list of results, which is left as it is. */
  async convert({ fields = [], rows = [] }: Partial<pg.QueryResult>, ask: Ask): Promise<void> {
    const integers = fields.filter(({ dataTypeID, tableID }) => dataTypeID === int8 && tableID !== 0)
    if (rows.length === 0 || integers.length === 0) return
    const unknown = integers.map(({ tableID }) => tableID).filter((table) => !this.#known.has(table))
    if (unknown.length > 0) await this.#learn([...new Set(unknown)], ask)
    const declared = integers.filter(({ tableID, columnID }) => this.#known.get(tableID)?.has(columnID))
    for (const { name } of declared)
      for (const row of rows) if (typeof row[name] === 'number') row[name] = BigInt(row[name])
  }

  async #learn(tables: readonly number[], ask: Ask): Promise<void> {
    const { rows } = await ask({ text: columnsOfTables, values: [tables] })
    if (this.#known.size > maxTables) this.#known.clear()
    for (const table of tables) this.#known.set(table, new Set())
    for (const { table, column, tableName, columnName } of rows as readonly ColumnRow[]) // as the statement names them
      if (this.#columns.get(tableName)?.has(columnName)) this.#known.get(table)?.add(column)
  }
}
