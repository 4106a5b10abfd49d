/** Statements on one connection of libsql, prepared once: preparing costs several times what running a small one does. */
import type { QueryResult } from 'kysely'
import type Libsql from 'libsql'
import { bindable, withBuffers } from './values.ts'

interface Prepared {
  readonly statement: Libsql.Statement<unknown[]>
  /** Asked once: libsql asks its native code. */
  readonly returnsRows: boolean
}

const preparedOn = new WeakMap<Libsql.Database, Map<string, Prepared>>()
const maxPrepared = 200
const isReusable = /^\s*(select|insert|update|delete|with|values|replace)\b/i
/** Anything but these and what is reusable may change what a prepared statement means: the schema, or a setting. */
const isHarmless = /^\s*(explain|savepoint|release)\b/i

/** Runs `sql`. Throws, before libsql sees them, for parameters that SQLite cannot store. All rows are read, so that no statement stays in progress; one that failed may, and is not used again. */
export function run<Row>(
  database: Libsql.Database,
  sql: string,
  parameters: readonly unknown[],
): QueryResult<Row> {
  const bound = bindable(parameters)
  const { statement, returnsRows } = prepare(database, sql)
  try {
    // The caller names the row type, as everywhere in Kysely's drivers.
    if (returnsRows) return { rows: withBuffers(statement.all(bound)) as Row[] }
    const { changes, lastInsertRowid } = statement.run(bound)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  } catch (error) {
    preparedOn.get(database)?.delete(sql)
    throw error
  }
}

function prepare(database: Libsql.Database, sql: string): Prepared {
  const prepared = preparedOn.get(database) ?? new Map<string, Prepared>()
  preparedOn.set(database, prepared)
  const known = prepared.get(sql)
  if (known !== undefined) return known
  const statement = database.prepare(sql)
  const made = { statement, returnsRows: statement.reader }
  if (isReusable.test(sql)) {
    if (prepared.size >= maxPrepared) prepared.clear()
    prepared.set(sql, made)
  } else if (!isHarmless.test(sql)) prepared.clear()
  return made
}
