/** PostgreSQL through pg, for several instances. Same schema and same verbs as SQLite. What says that the server cannot
 *  be used comes out as `StoreUnavailable`; the pool connects anew with the next verb. */
import { randomUUID } from 'node:crypto'
import { type Dialect, PostgresDialect, type PostgresPoolClient, type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import type { PoolUse } from '../../contract/store.ts'
import { sha256Hex } from '../../secret.ts'
import { type BigintColumns, exactIntegerOf, noBigintColumns } from '../exact-integers.ts'
import { type Health, type Use, unwatched } from '../health.ts'
import { defaultPool, type PoolLimits } from '../pool.ts'
import { StoreBusy, StoreUnavailable } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'
import type { Prepare } from '../verbs/prepare.ts'
import { PatientPool } from './patient-pool.ts'

const int8 = pg.types.builtins.INT8

/** How long the server waits for a row's lock, and keeps an idle transaction, in milliseconds. */
const lockMs = 3000
const idleInTransactionMs = 10_000
/** When the server does not answer at all, so long after it had to. */
const answerGraceMs = 5000

export interface PostgresOptions {
  /** A migration may take its time. */
  readonly time: 'limited' | 'unlimited'
  readonly pool?: PoolLimits | undefined
  readonly health?: Health
  readonly bigints?: BigintColumns
}

/** The PostgreSQL database at `url`; connections are made on first use. */
export function openPostgres(
  url: string,
  { time, pool: limits = defaultPool, health = unwatched, bigints = noBigintColumns }: PostgresOptions,
): { readonly dialect: Dialect; readonly prepare: Prepare; readonly poolUse: () => PoolUse } {
  const isLimited = time === 'limited'
  const pool = new pg.Pool({
    connectionString: url,
    max: isLimited ? limits.size : 1,
    connectionTimeoutMillis: limits.connectSeconds * 1000,
    idleTimeoutMillis: limits.idleSeconds * 1000,
    types: { getTypeParser },
    application_name: 'acmcp',
    keepAlive: true,
    ...(isLimited ? { query_timeout: limits.statementSeconds * 1000 + answerGraceMs } : {}),
  })
  // A connection that breaks is replaced by the pool; without a listener its error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    if (isLimited) client.query(settingsOf(limits)).catch(() => {}) // then the first statement fails too
  })
  const patient = new PatientPool(pool, limits.connectSeconds * 1000)
  const fields = bigints.size === 0 ? null : new BigintFields(bigints)
  const connect = (): Promise<Connection> => openConnection(patient, health, fields)
  return {
    dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }),
    prepare: preparing(connect),
    poolUse: () => {
      const { totalCount, idleCount } = pool
      return { used: totalCount - idleCount, idle: idleCount, waiting: patient.waitingCount }
    },
  }
}

/** Not as parameters of the start, which PgBouncer refuses. */
const settingsOf = ({ statementSeconds }: PoolLimits): string =>
  `set statement_timeout = ${statementSeconds * 1000}; set lock_timeout = ${lockMs}; set idle_in_transaction_session_timeout = ${idleInTransactionMs}`

/** A connection plans the statement once, under this name. Never one of an application: the server refuses a plan whose
 *  result has other columns since a migration (0A000), as long as the connection lives. */
function preparing(connect: () => Promise<Connection>): Prepare {
  return <Row>(text: string) => {
    const name = `acmcp_${sha256Hex(text).slice(0, 16)}`
    return async (parameters) => {
      const connection = await connect()
      try {
        const { rows } = await connection.run({ name, text, values: [...parameters] })
        return rows as readonly Row[] // as the caller says
      } finally {
        connection.release()
      }
    }
  }
}

/** 64-bit integers, most of them times in milliseconds, arrive as they do from SQLite. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): ReturnType<typeof pg.types.getTypeParser> {
  return oid === int8 ? exactIntegerOf : pg.types.getTypeParser(oid, format)
}

interface Connection extends PostgresPoolClient {
  run(query: pg.QueryConfig): Promise<pg.QueryResult>
}

/** A connection on which the server went away, or did not answer, is not used again. */
async function openConnection(
  pool: PatientPool,
  health: Health,
  bigints: BigintFields | null,
): Promise<Connection> {
  const { client, release } = await pool.take().catch((error: unknown) => {
    if (error instanceof StoreUnavailable && !(error instanceof StoreBusy)) health.failed('read', error.cause)
    throw error
  })
  let broken = false
  const run = async (query: pg.QueryConfig): Promise<pg.QueryResult> => {
    try {
      const result = await client.query(query)
      health.worked(useOf(query.text))
      return result
    } catch (error) {
      const translated = translate(error)
      if (translated instanceof StoreUnavailable && !(translated instanceof StoreBusy)) {
        broken = true
        health.failed(useOf(query.text), error)
      }
      throw translated
    }
  }
  const query = async (text: string, values: readonly unknown[]): Promise<unknown> => {
    const result = await run({ text, values: [...values] })
    if (bigints !== null) await bigints.convert(result, run)
    return result
  }
  // Kysely asks for rows (the overload with a cursor is for streams, which this dialect has not been given).
  return { run, query: query as PostgresPoolClient['query'], release: () => release(broken) }
}

/** Whatever may begin or end a transaction says nothing of writing. */
const useOf = (text: string): Use =>
  /^\s*(insert|update|delete|with|merge|create|alter|drop|copy)\b/i.test(text) ? 'write' : 'read'

/** Connection, authorization, read-only, no such database, resources, operator, system, internal. */
const unavailable = /^(08|28|25006|3D|53|57|58|F0|XX)/
/** Lock not available, serialization failure, deadlock. */
const busy = new Set(['55P03', '40001', '40P01'])

function translate(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? ''
    if (busy.has(code)) return new StoreBusy({ cause: error })
    return unavailable.test(code) ? new StoreUnavailable(undefined, { cause: error }) : error
  }
  if (error instanceof TypeError || error instanceof RangeError) return error
  return new StoreUnavailable(undefined, { cause: error }) // the connection broke, or the server did not answer
}

/** A row that is taken back: of a table without waiting writers, under a key that no user has. */
export async function probeServer(database: CoreDatabase): Promise<void> {
  const probe = await database.startTransaction().execute()
  try {
    await sql`lock table acmcp_revoked_tokens in row exclusive mode nowait`.execute(probe)
    await sql`insert into acmcp_revoked_tokens (jti_hash, expires_at, revoked_at, reason)
      values (${`probe ${randomUUID()}`}, 0, 0, '')`.execute(probe)
  } finally {
    await probe.rollback().execute()
  }
}

/** What the planner takes instead of an index in the order of its keys when it believes that a table is small, or that a condition fits
 *  every row or none: for one batch the better plan perhaps, for many of them a reading of the whole table each. */
const otherPlans = [
  'enable_seqscan',
  'enable_bitmapscan',
  'enable_sort',
  'enable_hashjoin',
  'enable_mergejoin',
]

/** Does `work` on one connection whose plans go along indexes, whatever the statistics say. Source: PostgreSQL, Query Planning. */
export function alongIndexes<Result>(
  database: CoreDatabase,
  work: (connection: CoreDatabase) => Promise<Result>,
): Promise<Result> {
  return database.connection().execute(async (connection) => {
    const set = (value: RawBuilder<string>): Promise<unknown> =>
      sql`select set_config(name, ${value}, false) from pg_settings where name in (${sql.join(otherPlans)})`.execute(
        connection,
      )
    await set(sql`'off'`)
    return work(connection).finally(() => set(sql`reset_val`))
  })
}

/** Any number that nothing else in the database locks. */
const lockKey = 0x61636d63

/** Does `work` while no other instance does such work on this database, or resolves with null. */
export async function underAdvisoryLock<Result>(
  database: CoreDatabase,
  work: (connection: CoreDatabase) => Promise<Result>,
): Promise<Result | null> {
  return alongIndexes(database, async (connection) => {
    const { rows } = await sql<{
      taken: boolean
    }>`select pg_try_advisory_lock(${lockKey}) as taken`.execute(connection)
    if (rows[0]?.taken !== true) return null
    try {
      return await work(connection)
    } finally {
      await sql`select pg_advisory_unlock(${lockKey})`.execute(connection)
    }
  })
}

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

/** Which fields of a result are columns that the application declared as bigints. PostgreSQL names a field's table and column by number; what
 *  these are called is asked once a table. */
class BigintFields {
  readonly #columns: BigintColumns
  /** By the number of a table, those of its declared columns. */
  readonly #known = new Map<number, Set<number>>()

  constructor(columns: BigintColumns) {
    this.#columns = columns
  }

  /** Makes bigints of the values of declared columns; `ask` asks on the connection of the result. Changes its rows, which no other caller
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
