/** SQLite through libsql, made safe for several processes on one file: write transactions begin IMMEDIATE, and a
 *  locked file is waited for asynchronously instead of blocking the event loop. Source: rules.md, SQLite. */
import { setTimeout as pause } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type Libsql from 'libsql'
import { type BigintColumns, noBigintColumns } from '../exact-integers.ts'
import { type Health, type Use, unwatched } from '../health.ts'
import { StoreBusy, StoreUnavailable } from '../store.ts'
import type { Prepare } from '../verbs/prepare.ts'
import { Mutex } from '../wait-queue.ts'
import { GroupCommit } from './group-commit.ts'
import { isBusy, unusable } from './libsql.ts'
import { type Identity, SqliteFile } from './sqlite-file.ts'
import { run } from './statements.ts'

export interface Sqlite {
  readonly dialect: Dialect
  readonly prepare: Prepare
  /** Short writes on the connection that the dialect writes on. */
  readonly commits: GroupCommit
  /** For a write on another connection: waits for its turn among those of this one, which wait for `work` then. Otherwise they
   *  would meet at the lock of the file, where there is no queue. */
  readonly takeTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** The file that was opened last. */
  readonly identity: () => Identity | null
  readonly close: () => void
}

export interface SqliteOptions {
  readonly patienceMs: number
  readonly health?: Health
  /** The file that was there before. */
  readonly known?: Identity | null
  readonly bigints?: BigintColumns
}

/** The SQLite file `path` (its folder is made) or `:memory:`. A statement rejects with `StoreBusy` when others keep the
 *  write lock for `patienceMs`, and with `StoreUnavailable` when the file fails; the next one starts afresh. */
export function openSqlite(
  path: string,
  { patienceMs, health = unwatched, known = null, bigints = noBigintColumns }: SqliteOptions,
): Sqlite {
  const file = new SqliteFile(path, known)
  const driver = new SqliteDriver(file, { patienceMs, health, bigints })
  return {
    dialect: {
      createDriver: () => driver,
      createAdapter: () => new TransactionalAdapter(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    },
    prepare: <Row>(sql: string) => {
      const text = numbered(sql)
      return async (parameters) => (await driver.read<Row>(text, parameters)).rows
    },
    commits: new GroupCommit((write) =>
      driver.transact((writer) =>
        write((sql, parameters) => driver.run(writer, numbered(sql), parameters).rows),
      ),
    ),
    takeTurn: (work) => driver.takeTurn(work),
    identity: () => file.identity,
    close: () => file.close(),
  }
}

const numberedTexts = new Map<string, string>()

/** SQLite writes numbered parameters with a question mark. `sql` is a text of ours: there are few. */
function numbered(sql: string): string {
  const known = numberedTexts.get(sql)
  if (known !== undefined) return known
  const text = sql.replaceAll('$', '?')
  numberedTexts.set(sql, text)
  return text
}

/** SQLite's schema changes are transactional: the migrator then holds the write lock from its first look to its end. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** A single write takes the write lock first, as a transaction does: BEGIN and COMMIT go through `exec`, because a
 *  prepared statement of libsql that met a lock stays in progress until it is collected, and every later COMMIT would
 *  fail. */
class SqliteDriver implements Driver {
  readonly #file: SqliteFile
  readonly #patienceMs: number
  readonly #health: Health
  readonly #bigints: BigintColumns
  readonly #mutex = new Mutex()
  constructor(file: SqliteFile, { patienceMs, health, bigints }: Required<Omit<SqliteOptions, 'known'>>) {
    this.#file = file
    this.#patienceMs = patienceMs
    this.#health = health
    this.#bigints = bigints
  }

  /** Runs `sql` at once on a connection of the file. */
  run<Row>(connection: Libsql.Database, sql: string, parameters: readonly unknown[]): QueryResult<Row> {
    return run<Row>(connection, { sql, parameters, bigints: this.#bigints })
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this)
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    connection.transaction = await this.begin()
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await this.commit(connection.transaction)
    connection.transaction = null
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    if (connection.transaction !== null) this.rollback(connection.transaction)
    connection.transaction = null
  }

  async savepoint(connection: SqliteConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint ${quoted(name)}`))
  }

  async rollbackToSavepoint(connection: SqliteConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to ${quoted(name)}`))
  }

  async releaseSavepoint(connection: SqliteConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release ${quoted(name)}`))
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#file.close()
  }

  /** One read, which waits for no write; in memory, where there is one connection only, it takes its turn. */
  async read<Row>(sql: string, parameters: readonly unknown[]): Promise<QueryResult<Row>> {
    if (this.#file.isMemory) return this.transact((writer) => this.run<Row>(writer, sql, parameters))
    const result = await this.retryWhileBusy('read', () =>
      this.run<Row>(this.#file.connections('read').reader, sql, parameters),
    )
    this.#health.worked('read')
    return result
  }

  /** One transaction whose statements all run in one go. */
  async transact<Result>(write: (writer: Libsql.Database) => Result): Promise<Result> {
    const writer = await this.begin()
    try {
      const result = write(writer)
      await this.commit(writer)
      return result
    } catch (error) {
      this.rollback(writer)
      throw this.#translated('write', error)
    }
  }

  async takeTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#mutex.acquire(this.#patienceMs)
    return work().finally(() => this.#mutex.release())
  }

  async begin(): Promise<Libsql.Database> {
    const deadline = performance.now() + this.#patienceMs
    await this.#mutex.acquire(this.#patienceMs)
    const attempt = (): Libsql.Database => {
      const { writer } = this.#file.connections('write')
      writer.exec('begin immediate')
      return writer
    }
    try {
      return await this.retryWhileBusy('write', attempt, deadline)
    } catch (error) {
      this.#mutex.release()
      throw error
    }
  }

  async commit(transaction: Libsql.Database | null): Promise<void> {
    const writer = ongoing(transaction)
    await this.retryWhileBusy('write', () => writer.exec('commit'))
    this.#health.worked('write')
    this.#mutex.release()
  }

  /** SQLite may have rolled back by itself. */
  rollback(writer: Libsql.Database): void {
    try {
      if (writer.open && writer.inTransaction) writer.exec('rollback')
    } catch {
      this.#file.drop()
    } finally {
      this.#mutex.release()
    }
  }

  /** Tries at least once, and again with growing pauses while the file is locked. */
  async retryWhileBusy<Result>(
    use: Use,
    attempt: () => Result,
    deadline: number = performance.now() + this.#patienceMs,
  ): Promise<Result> {
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return attempt()
      } catch (error) {
        if (!isBusy(error)) throw this.#translated(use, error)
        if (performance.now() >= deadline) throw new StoreBusy({ cause: error })
      }
      await pause(pauseMs)
    }
  }

  #translated(use: Use, error: unknown): unknown {
    if (error instanceof StoreUnavailable) {
      if (!(error instanceof StoreBusy)) this.#health.failed(use, error.cause)
      return error
    }
    const trouble = unusable(error, this.#file.path)
    if (trouble === null) return error
    this.#health.failed(use, trouble)
    this.#file.drop()
    return new StoreUnavailable(undefined, { cause: trouble })
  }
}

/** What one caller of Kysely holds. */
class SqliteConnection implements DatabaseConnection {
  readonly #driver: SqliteDriver
  transaction: Libsql.Database | null = null
  constructor(driver: SqliteDriver) {
    this.#driver = driver
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const { sql, parameters } = query
    const { transaction } = this
    if (transaction !== null) {
      const use = isRead(query) ? 'read' : 'write'
      return this.#driver.retryWhileBusy(use, () =>
        this.#driver.run<Row>(ongoing(transaction), sql, parameters),
      )
    }
    if (isRead(query)) return this.#driver.read<Row>(sql, parameters)
    return this.#driver.transact((writer) => this.#driver.run<Row>(writer, sql, parameters))
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are not streamed from SQLite: use execute()')
  }
}

/** The connection of a transaction, which may have been dropped with its file. */
function ongoing(transaction: Libsql.Database | null): Libsql.Database {
  if (transaction?.open === true && transaction.inTransaction) return transaction
  throw new StoreUnavailable(undefined, { cause: new Error('the transaction was rolled back') })
}

const longestPauseMs = 16

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Anything else takes the write lock. */
const isRead = ({ sql, query }: CompiledQuery): boolean =>
  query.kind === 'SelectQueryNode' || /^\s*(select|explain|values)\b/i.test(sql)
