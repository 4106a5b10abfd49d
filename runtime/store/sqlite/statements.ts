/** Statements on one connection of libsql, prepared once: preparing costs several times what running a small one does. */
import type { QueryResult } from 'kysely'
import type Libsql from 'libsql'
import type { BigintColumns } from '../exact-integers.ts'
import { bindable, convertExactRows, convertRows } from './values.ts'

interface Prepared {
  readonly statement: Libsql.Statement<unknown[]>
  /** Asked once: libsql asks its native code. */
  readonly returnsRows: boolean
  /** The names of those of its columns that are declared as bigints. */
  readonly bigints: ReadonlySet<string>
  /** Whether libsql reads its integers as bigints, which takes half as long again. */
  isExact: boolean
}

interface Command {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly bigints: BigintColumns
}

const preparedOn = new WeakMap<Libsql.Database, Map<string, Prepared>>()
const maxPrepared = 200
const isReusable = /^\s*(select|insert|update|delete|with|values|replace)\b/i
/** Anything but these and what is reusable may change what a prepared statement means: the schema, or a setting. */
const isHarmless = /^\s*(explain|savepoint|release)\b/i

/** Runs `sql`. Throws, before libsql sees them, for parameters that SQLite cannot store. All rows are read, so that no statement stays in progress; one that failed may, and is not used again. */
export function run<Row>(database: Libsql.Database, command: Command): QueryResult<Row> {
  const { sql } = command
  const bound = bindable(command.parameters)
  const prepared = prepare(database, command)
  try {
    // The caller names the row type, as everywhere in Kysely's drivers.
    if (prepared.returnsRows) return { rows: rowsOf(prepared, bound) as Row[] }
    const { changes, lastInsertRowid } = prepared.statement.run(bound)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: exactRowid(database, lastInsertRowid) }
  } catch (error) {
    preparedOn.get(database)?.delete(sql)
    throw error
  }
}

/** A reading whose numbers may have been rounded is done once more, and exactly from then on. */
function rowsOf(prepared: Prepared, bound: readonly unknown[]): readonly unknown[] {
  const { statement, bigints } = prepared
  if (!prepared.isExact) {
    const rows = statement.all(bound)
    if (!convertRows(rows)) return rows
    statement.safeIntegers()
    prepared.isExact = true
  }
  const rows = statement.all(bound)
  convertExactRows(rows, bigints)
  return rows
}

/** libsql has a number for it. */
function exactRowid(database: Libsql.Database, rowid: number | bigint): bigint {
  if (Number.isSafeInteger(rowid)) return BigInt(rowid)
  const [row] = database.prepare('select last_insert_rowid() as id').safeIntegers().all([])
  return BigInt(Object(row).id)
}

/** What writes rows that it returns cannot be done twice. */
const mayWrite = (sql: string): boolean =>
  !/^\s*(select|values|explain|pragma)\b/i.test(sql) && /\b(insert|update|delete|replace)\b/i.test(sql)

function declaredIn(statement: Libsql.Statement<unknown[]>, columns: BigintColumns): ReadonlySet<string> {
  const found = columns.size === 0 ? [] : statement.columns()
  const declared = found.filter(({ table, column }) => columns.get(table ?? '')?.has(column ?? ''))
  return declared.length === 0 ? none : new Set(declared.map(({ name }) => name))
}

const none: ReadonlySet<string> = new Set()

function prepare(database: Libsql.Database, { sql, bigints }: Command): Prepared {
  const prepared = preparedOn.get(database) ?? new Map<string, Prepared>()
  preparedOn.set(database, prepared)
  const known = prepared.get(sql)
  if (known !== undefined) return known
  const statement = database.prepare(sql)
  const returnsRows = statement.reader
  const declared = returnsRows ? declaredIn(statement, bigints) : none
  const isExact = returnsRows && (declared.size > 0 || mayWrite(sql))
  if (isExact) statement.safeIntegers()
  const made = { statement, returnsRows, bigints: declared, isExact }
  if (isReusable.test(sql)) {
    if (prepared.size >= maxPrepared) prepared.clear()
    prepared.set(sql, made)
  } else if (!isHarmless.test(sql)) prepared.clear()
  return made
}
