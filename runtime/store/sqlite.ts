/** SQLite through libsql, made safe for several processes on one file: write transactions begin IMMEDIATE, and a
 *  locked file is waited for asynchronously instead of blocking the event loop. Source: decisions.md, SQLite. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely'
import Libsql from 'libsql'
import { StoreBusy, StoreUnavailable } from './store.ts'

const memory = ':memory:'
/** SQLite itself blocks for this long; everything beyond is waited for between turns of the event loop. */
const busyTimeoutMs = 5
const pauseMs = 20
/** About five seconds in all. */
const attempts = 200
const writes = /^\s*(insert|update|delete|replace|create|drop|alter)\b/i

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
    createDriver: (): Driver => new PatientDriver(database),
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

/** The stock driver serialises users of the one connection; this one adds the write lock and the patience. BEGIN and
 *  COMMIT go through `exec`: a prepared statement of libsql that met a lock stays in progress until it is collected, and
 *  every later COMMIT would fail. */
class PatientDriver extends SqliteDriver {
  readonly #database: Libsql.Database
  constructor(database: Libsql.Database) {
    super({ database })
    this.#database = database
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new PatientConnection(await super.acquireConnection(), this.#database)
  }

  override async beginTransaction(): Promise<void> {
    await whileBusy(() => this.#database.exec('begin immediate'))
  }

  override async commitTransaction(): Promise<void> {
    await whileBusy(() => this.#database.exec('commit'))
  }

  override async rollbackTransaction(): Promise<void> {
    this.#database.exec('rollback')
  }
}

/** A single write takes the write lock first, as a transaction does, so that no prepared statement ever meets it. */
class PatientConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection
  readonly #database: Libsql.Database
  constructor(connection: DatabaseConnection, database: Libsql.Database) {
    this.#connection = connection
    this.#database = database
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#database.inTransaction || !writes.test(query.sql)) return this.#run(query)
    await whileBusy(() => this.#database.exec('begin immediate'))
    try {
      const result = await this.#run<Row>(query)
      this.#database.exec('commit')
      return result
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('rollback')
      throw error
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery<Row>(query, chunkSize)
  }

  /** A retry runs the same statement again, which also ends what the first attempt left in progress. */
  async #run<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = await whileBusy(() => this.#database.prepare(sql))
    // The caller names the row type, as everywhere in Kysely's drivers.
    if (statement.reader) return { rows: (await whileBusy(() => statement.all([...parameters]))) as Row[] }
    const { changes, lastInsertRowid } = await whileBusy(() => statement.run([...parameters]))
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }
}

async function whileBusy<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await run()
    } catch (error) {
      if (!isBusy(error)) throw translate(error)
    }
    await pause(pauseMs)
  }
  throw new StoreBusy()
}

function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))
}

const unavailable = /^SQLITE_(READONLY|FULL|CORRUPT|NOTADB|IOERR|CANTOPEN|PROTOCOL|NOMEM|PERM|AUTH|NOLFS)/

function translate(error: unknown): unknown {
  return unavailable.test(codeOf(error)) ? new StoreUnavailable(undefined, { cause: error }) : error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
