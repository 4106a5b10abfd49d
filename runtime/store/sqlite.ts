/** SQLite through libsql, made safe for several processes on one file: write transactions begin IMMEDIATE, and a
 *  locked file is waited for asynchronously instead of blocking the event loop. Source: decisions.md, SQLite. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import Libsql from 'libsql'
import { StoreBusy } from './store.ts'

const memory = ':memory:'
/** SQLite itself blocks for this long; everything beyond is waited for between turns of the event loop. */
const busyTimeoutMs = 5
const pauseMs = 20
/** About five seconds in all. */
const attempts = 200

/** A Kysely dialect on the SQLite file `path` (its folder is made) or on `:memory:`. Rejects with `StoreBusy`. */
export async function sqliteDialect(path: string): Promise<Dialect> {
  if (path !== memory) mkdirSync(dirname(path), { recursive: true })
  const database = new Libsql(path)
  database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  await whileBusy(() => database.exec('PRAGMA journal_mode = WAL'))
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA foreign_keys = ON')
  const stock = new SqliteDialect({ database })
  return {
    createDriver: (): Driver => new PatientDriver({ database }),
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => stock.createQueryCompiler(),
    createIntrospector: (kysely) => stock.createIntrospector(kysely),
  }
}

/** SQLite's schema changes are transactional: the migrator then holds the write lock from its first look to its end. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** The stock driver serialises users of the one connection; this one adds the write lock and the patience. */
class PatientDriver extends SqliteDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    return new PatientConnection(await super.acquireConnection())
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  constructor(connection: DatabaseConnection) {
    this.#connection = connection
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return whileBusy(() => this.#connection.executeQuery<Row>(query))
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery<Row>(query, chunkSize)
  }
}

async function whileBusy<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (!isBusy(error)) throw error
    }
    await pause(pauseMs)
  }
  throw new StoreBusy()
}

function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code === 'SQLITE_BUSY' || code.startsWith('SQLITE_BUSY_')
}
