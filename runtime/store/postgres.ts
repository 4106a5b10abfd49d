/** PostgreSQL through pg, for several instances. Same schema and same verbs as SQLite. What says that the server cannot
 *  be used comes out as `StoreUnavailable`; the pool connects anew with the next verb. */
import { type Dialect, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely'
import pg from 'pg'
import { type Health, type Use, unwatched } from './health.ts'
import type { Prepare } from './prepare.ts'
import type { CoreDatabase } from './schema.ts'
import { StoreBusy, StoreUnavailable } from './store.ts'

const int8: number = pg.types.builtins.INT8

/** How long a connection may be waited for, from the pool or from the server. */
const connectionTimeoutMillis = 5000
/** How long the server works on a statement, waits for a row's lock, and keeps a transaction nobody continues. */
const limits = {
  statement_timeout: 10_000,
  lock_timeout: 3000,
  idle_in_transaction_session_timeout: 10_000,
} as const
/** When the server does not answer at all. */
const answerTimeoutMs = 15_000

/** The PostgreSQL database at `url`; connections are made on first use. A migration may take its time (`unlimited`). */
export function openPostgres(
  url: string,
  time: 'limited' | 'unlimited',
  health: Health = unwatched,
): { readonly dialect: Dialect; readonly prepare: Prepare } {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis,
    types: { getTypeParser },
    application_name: 'acmcp',
    keepAlive: true,
    ...(time === 'limited' ? { ...limits, query_timeout: answerTimeoutMs } : {}),
  })
  // A connection that breaks is replaced by the pool; without a listener its error would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const translated = translating(pool, health)
  return { dialect: new PostgresDialect({ pool: translated }), prepare: preparing(translated) }
}

/** A connection plans such a statement once by itself (`statementNames`). */
function preparing(pool: PostgresPool): Prepare {
  return <Row>(text: string) =>
    async (parameters) => {
      const client = await pool.connect()
      try {
        return (await client.query<Row>(text, parameters)).rows
      } finally {
        client.release()
      }
    }
}

/** 64-bit integers are times in milliseconds here and arrive as numbers, as they do from SQLite. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): ReturnType<typeof pg.types.getTypeParser> {
  return oid === int8 ? Number : pg.types.getTypeParser(oid, format)
}

function translating(pool: pg.Pool, health: Health): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    connect: async () => {
      const client = await pool.connect().catch((error: unknown) => {
        health.failed('read', error)
        throw new StoreUnavailable(undefined, { cause: error })
      })
      const known = clients.get(client) ?? translatingClient(client, health)
      clients.set(client, known)
      return known
    },
    end: () => pool.end(),
  }
}

/** A connection on which the server went away, or did not answer, is not used again. */
function translatingClient(client: pg.PoolClient, health: Health): PostgresPoolClient {
  let broken = false
  const { nameOf, forget } = statementNames()
  const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
    try {
      const result = await client.query({ text, values: [...parameters], ...nameOf(text) })
      health.worked(useOf(text))
      return result
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === staleResult) forget(text)
      const translated = translate(error)
      if (translated instanceof StoreUnavailable && !(translated instanceof StoreBusy)) {
        broken = true
        health.failed(useOf(text), error)
      }
      throw translated
    }
  }
  // Kysely asks for rows (the overload with a cursor is for streams, which this dialect has not been given).
  return { query: query as PostgresPoolClient['query'], release: () => client.release(broken) }
}

/** Whatever may begin or end a transaction says nothing of writing. */
const useOf = (text: string): Use =>
  /^\s*(insert|update|delete|with|merge|create|alter|drop|copy)\b/i.test(text) ? 'write' : 'read'

interface StatementNames {
  readonly nameOf: (text: string) => { readonly name?: string }
  /** From now on it runs without a name. */
  readonly forget: (text: string) => void
}

/** A statement on the core's tables that a connection runs again and again is planned there once, under a name; at most
 *  100 of them. Never one of the application alone: the server refuses a plan whose result has other columns since a
 *  migration (0A000), as long as the connection lives. */
function statementNames(): StatementNames {
  const names = new Map<string, { readonly name?: string }>()
  const runs = new Map<string, number>()
  const nameOf: StatementNames['nameOf'] = (text) => {
    const name = names.get(text)
    if (name !== undefined) return name
    const count = (runs.get(text) ?? 0) + 1
    if (runs.size >= mostWatched) runs.clear()
    runs.set(text, count)
    if (count >= runsUntilNamed && names.size < mostNamed && isOfTheCore(text)) {
      names.set(text, { name: `acmcp_${names.size}` })
    }
    return {}
  }
  return { nameOf, forget: (text) => void names.set(text, {}) }
}

const runsUntilNamed = 5
const mostNamed = 100
const mostWatched = 1000
const isOfTheCore = (text: string): boolean =>
  /^\s*(select|insert|update|delete|with)\b/i.test(text) && /\bacmcp_/.test(text)

/** Cached plan must not change result type. */
const staleResult = '0A000'

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
  return new StoreUnavailable(undefined, { cause: error }) // the connection broke, or nobody answered
}

/** Any number that nothing else in the database locks. */
const lockKey = 0x61636d63

/** Does `work` while no other instance does such work on this database, or resolves with null. */
export async function underAdvisoryLock<Result>(
  database: CoreDatabase,
  work: (connection: CoreDatabase) => Promise<Result>,
): Promise<Result | null> {
  return database.connection().execute(async (connection) => {
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
