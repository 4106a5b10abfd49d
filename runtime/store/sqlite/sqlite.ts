/** SQLite through libsql, made safe for several processes on one file: write transactions begin IMMEDIATE, and a
 *  locked file is waited for asynchronously instead of blocking the event loop. Source: decisions.md, SQLite. */
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
import { type Health, type Use, unwatched } from '../health.ts'
import { StoreBusy, StoreUnavailable } from '../store.ts'
import { type Commits, GroupCommit, type RunNow } from './group-commit.ts'
import { Turns } from './mutex.ts'
import { SqliteFile } from './sqlite-file.ts'

/** A Kysely dialect on the SQLite file `path` (its folder is made) or on `:memory:`, and short writes beside it, on the
 *  same connection. A statement rejects with `StoreBusy` when others keep the write lock for `patienceMs`, and with
 *  `StoreUnavailable` when the file fails; the next one starts afresh. */
export function sqliteDialect(
  path: string,
  patienceMs: number,
  health: Health = unwatched,
): Dialect & { readonly commits: Commits } {
  const driver = new PatientDriver({ file: new SqliteFile(path), turns: new Turns(), patienceMs, health })
  return {
    createDriver: () => driver,
    createAdapter: () => new TransactionalAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    commits: new GroupCommit((write) => driver.transact(write)),
  }
}

/** SQLite's schema changes are transactional: the migrator then holds the write lock from its first look to its end. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** What the connections of one store share. */
interface Shared {
  readonly file: SqliteFile
  readonly turns: Turns
  readonly patienceMs: number
  readonly health: Health
}

class PatientDriver implements Driver {
  readonly #shared: Shared
  constructor(shared: Shared) {
    this.#shared = shared
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PatientConnection> {
    return new PatientConnection(this.#shared)
  }

  /** One transaction whose statements all run in one go. */
  transact(write: (run: RunNow) => void): Promise<void> {
    return new PatientConnection(this.#shared).transact((writer) => {
      write((sql, parameters) => run(writer, sql, parameters).rows)
    })
  }

  beginTransaction(connection: PatientConnection): Promise<void> {
    return connection.begin()
  }

  commitTransaction(connection: PatientConnection): Promise<void> {
    return connection.commit()
  }

  async rollbackTransaction(connection: PatientConnection): Promise<void> {
    connection.rollback()
  }

  async savepoint(connection: PatientConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`savepoint ${quoted(name)}`))
  }

  async rollbackToSavepoint(connection: PatientConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`rollback to ${quoted(name)}`))
  }

  async releaseSavepoint(connection: PatientConnection, name: string): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(`release ${quoted(name)}`))
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#shared.file.close()
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** What one caller of Kysely holds. A single write takes the write lock first, as a transaction does: BEGIN and COMMIT
 *  go through `exec`, because a prepared statement of libsql that met a lock stays in progress until it is collected, and
 *  every later COMMIT would fail. */
class PatientConnection implements DatabaseConnection {
  readonly #file: SqliteFile
  readonly #turns: Turns
  readonly #patienceMs: number
  readonly #health: Health
  #transaction: Libsql.Database | null = null
  constructor({ file, turns, patienceMs, health }: Shared) {
    this.#file = file
    this.#turns = turns
    this.#patienceMs = patienceMs
    this.#health = health
  }

  async begin(): Promise<void> {
    const deadline = performance.now() + this.#patienceMs
    await this.#turns.take(this.#patienceMs)
    try {
      this.#transaction = await this.#patiently('write', deadline, () => {
        const { writer } = this.#file.connections()
        writer.exec('begin immediate')
        return writer
      })
    } catch (error) {
      this.#turns.give()
      throw error
    }
  }

  async commit(): Promise<void> {
    const writer = this.#writer()
    await this.#patiently('write', performance.now() + this.#patienceMs, () => writer.exec('commit'))
    this.#health.worked('write')
    this.#end()
  }

  /** SQLite may have rolled back by itself. */
  rollback(): void {
    const writer = this.#transaction
    if (writer === null) return
    try {
      if (writer.open && writer.inTransaction) writer.exec('rollback')
    } catch {
      this.#file.drop()
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#transaction = null
    this.#turns.give()
  }

  /** The connection of the transaction, which may have been dropped with its file. */
  #writer(): Libsql.Database {
    if (this.#transaction?.open === true && this.#transaction.inTransaction) return this.#transaction
    throw new StoreUnavailable(undefined, { cause: new Error('the transaction was rolled back') })
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const deadline = performance.now() + this.#patienceMs
    const { sql, parameters } = query
    if (this.#transaction !== null) {
      const use = isRead(query) ? 'read' : 'write'
      return this.#patiently(use, deadline, () => run<Row>(this.#writer(), sql, parameters))
    }
    if (isRead(query) && !this.#file.isMemory) {
      const result = await this.#patiently('read', deadline, () =>
        run<Row>(this.#file.connections().reader, sql, parameters),
      )
      this.#health.worked('read')
      return result
    }
    return this.transact((writer) => run<Row>(writer, sql, parameters))
  }

  async transact<Result>(write: (writer: Libsql.Database) => Result): Promise<Result> {
    await this.begin()
    try {
      const result = write(this.#writer())
      await this.commit()
      return result
    } catch (error) {
      this.rollback()
      throw this.#translated('write', error)
    }
  }

  streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows are not streamed from SQLite: use execute()')
  }

  /** Tries at least once, and again with growing pauses while the file is locked. */
  async #patiently<Result>(use: Use, deadline: number, attempt: () => Result): Promise<Result> {
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
    if (!unavailable.test(codeOf(error))) return error
    this.#health.failed(use, error)
    this.#file.drop()
    return new StoreUnavailable(undefined, { cause: error })
  }
}

const longestPauseMs = 16

/** Anything else takes the write lock. */
const isRead = ({ sql, query }: CompiledQuery): boolean =>
  query.kind === 'SelectQueryNode' || /^\s*(select|explain|values)\b/i.test(sql)

/** All rows are read, so that no statement stays in progress; one that failed may, and is not used again. */
function run<Row>(database: Libsql.Database, sql: string, parameters: readonly unknown[]): QueryResult<Row> {
  const statement = preparedOn(database, sql)
  try {
    // The caller names the row type, as everywhere in Kysely's drivers.
    if (statement.reader) return { rows: statement.all([...parameters]) as Row[] }
    const { changes, lastInsertRowid } = statement.run([...parameters])
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  } catch (error) {
    preparedStatements.get(database)?.delete(sql)
    throw error
  }
}

type Statement = Libsql.Statement<unknown[]>

/** Preparing costs several times what running a small statement does. */
const preparedStatements = new WeakMap<Libsql.Database, Map<string, Statement>>()
const mostPrepared = 200
/** Anything else may change what a prepared statement means. */
const isReusable = /^\s*(select|insert|update|delete)\b/i

function preparedOn(database: Libsql.Database, sql: string): Statement {
  const prepared = preparedStatements.get(database) ?? new Map<string, Statement>()
  preparedStatements.set(database, prepared)
  const known = prepared.get(sql)
  if (known !== undefined) return known
  const statement = database.prepare(sql)
  if (prepared.size >= mostPrepared || !isReusable.test(sql)) prepared.clear()
  if (isReusable.test(sql)) prepared.set(sql, statement)
  return statement
}

const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))

const unavailable = /^SQLITE_(READONLY|FULL|CORRUPT|NOTADB|IOERR|CANTOPEN|PROTOCOL|NOMEM|PERM|AUTH|NOLFS)/

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
