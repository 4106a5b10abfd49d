/** The connections to one SQLite file: one that writes and one that only reads, so that reads never wait for a write.
 *  They are opened when they are needed and dropped when the file failed, was deleted or replaced: what was
 *  acknowledged must be in the file that has the name. */
import { randomUUID } from 'node:crypto'
import { constants, existsSync, statSync } from 'node:fs'
import { access, open, unlink } from 'node:fs/promises'
import type Libsql from 'libsql'
import type { Use } from '../health.ts'
import { StoreUnavailable } from '../store.ts'
import { makePrivateDatabase } from './files/private-files.ts'
import { libsql } from './libsql.ts'

const memory = ':memory:'
/** SQLite itself blocks the event loop for this long; everything beyond is waited for asynchronously. Source:
 *  rules.md, SQLite (at most 20 ms). */
const busyTimeoutMs = 5

/** So long a read may come from a file that has been replaced. To look takes as long as half a small read. */
const lookEveryMs = 100

interface Connections {
  readonly writer: Libsql.Database
  readonly reader: Libsql.Database
  /** Which file they are on; null in memory. */
  readonly identity: Identity | null
}

/** Device and number of the file and of its write-ahead log. */
export interface Identity {
  readonly main: string
  readonly log: string
}

export class SqliteFile {
  readonly path: string
  #connections: Connections | null = null
  /** The last file that the connections were on; afterwards none is created in its place. */
  #known: Identity | null
  #isClosed = false
  #lookedAt = 0

  /** Opens nothing yet. `known` is the file that was there before. */
  constructor(path: string, known: Identity | null = null) {
    this.path = path
    this.#known = known
  }

  /** The file that was opened last. */
  get identity(): Identity | null {
    return this.#known
  }

  get isMemory(): boolean {
    return this.path === memory
  }

  /** The connections, on the file that has the name now: a write looks each time, a read where the last look was a tenth of a second ago.
   *  Throws `StoreUnavailable` and what libsql throws. */
  connections(use: Use): Connections {
    if (this.#isClosed) throw new StoreUnavailable(undefined, { cause: new Error('the store is closed') })
    if (this.#connections !== null && !this.isMemory && this.#isToLook(use)) {
      if (this.#connections.identity?.main !== fileId(this.path)) this.drop()
    }
    this.#connections ??= this.isMemory ? openMemory() : this.#open()
    return this.#connections
  }

  #isToLook(use: Use): boolean {
    const now = performance.now()
    if (use === 'read' && now < this.#lookedAt + lookEveryMs) return false
    this.#lookedAt = now
    return true
  }

  /** Closes the connections; the next use opens new ones. What is in memory stays. */
  drop(): void {
    if (!this.isMemory) this.#closeConnections()
  }

  /** For good. The file then holds everything by itself, unless another process uses it: a copy of it alone is complete. */
  close(): void {
    this.#isClosed = true
    if (!this.isMemory && this.#connections !== null) emptyLog(this.#connections.writer)
    this.#closeConnections()
  }

  #closeConnections(): void {
    const open = this.#connections
    this.#connections = null
    if (open === null) return
    for (const connection of new Set([open.reader, open.writer])) closeQuietly(connection)
  }

  #open(): Connections {
    const known = this.#known
    if (known === null) prepare(this.path)
    else refuseStrangeFile(this.path, known)
    const opened: Libsql.Database[] = []
    try {
      const writer = openFile(this.path, opened)
      if (known !== null) refuseEmptyFile(writer)
      const reader = openFile(this.path, opened)
      reader.exec('PRAGMA query_only = ON')
      const identity = { main: fileId(this.path) ?? '', log: fileId(`${this.path}-wal`) ?? '' }
      this.#known = identity
      return { writer, reader, identity }
    } catch (error) {
      for (const connection of opened) closeQuietly(connection)
      throw error
    }
  }
}

function prepare(path: string): void {
  try {
    makePrivateDatabase(path)
  } catch (error) {
    throw new StoreUnavailable(undefined, { cause: error })
  }
}

function openMemory(): Connections {
  const only = new (libsql())(memory)
  only.exec('PRAGMA foreign_keys = ON')
  return { writer: only, reader: only, identity: null }
}

/** The look at the schema creates the write-ahead log. */
function openFile(path: string, opened: Libsql.Database[]): Libsql.Database {
  const connection = connect(path)
  opened.push(connection)
  connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('PRAGMA synchronous = FULL')
  connection.exec('PRAGMA foreign_keys = ON')
  connection.exec('SELECT count(*) FROM sqlite_master')
  return connection
}

/** What libsql throws here has no code: a process that has too many files open is not the end of what waits to be written. */
function connect(path: string): Libsql.Database {
  const Database = libsql()
  try {
    return new Database(path)
  } catch (error) {
    throw new StoreUnavailable(undefined, { cause: error })
  }
}

/** A file that was deleted is not made again: it would be empty. A log that belongs to the file that was here before
 *  would be replayed into the new one and damage it. */
function refuseStrangeFile(path: string, known: Identity): void {
  const main = fileId(path)
  if (main === null) throw new StoreUnavailable(undefined, { cause: new Error(`${path} is gone`) })
  if (main === known.main || !existsSync(`${path}-wal`) || fileId(`${path}-wal`) !== known.log) return
  const cause = new Error(`${path} was replaced, but ${path}-wal is still that of the old file: remove it`)
  throw new StoreUnavailable(undefined, { cause })
}

function refuseEmptyFile(writer: Libsql.Database): void {
  const table = writer.prepare("SELECT name FROM sqlite_master WHERE name = 'core_migration'").all()
  if (table.length === 1) return
  throw new StoreUnavailable(undefined, { cause: new Error('the file is not an acmcp store') })
}

function fileId(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`
}

/** SQLite does so when the last connection closes, but libsql keeps connections that have prepared statements. What cannot be
 *  moved now stays in the log, where the next process that opens the file finds it. */
function emptyLog(writer: Libsql.Database): void {
  try {
    writer.pragma('wal_checkpoint(TRUNCATE)')
  } catch {}
}

/** An open transaction is ended first: libsql keeps a connection alive while one of its statements is. */
function closeQuietly(connection: Libsql.Database): void {
  try {
    if (connection.inTransaction) connection.exec('rollback')
  } catch {}
  try {
    connection.close()
  } catch {}
}

/** More than a commit adds to the log. */
const probeBytes = 64 * 1024

/** Whether a SQLite file can be written, without its write lock: it delays no writer, and waits for none. Asks whether this process may write the file at `path`, its log and beside them, and whether the disk takes as much as a commit
 *  needs: by a file that has lost its name before it has contents. Rejects with `StoreUnavailable`. */
export async function probeFile(path: string): Promise<void> {
  try {
    await access(path, constants.W_OK)
    for (const end of ['-wal', '-shm']) await access(`${path}${end}`, constants.W_OK).catch(unlessMissing)
    await writeBeside(`${path}.${randomUUID()}.probe`)
  } catch (error) {
    throw new StoreUnavailable(undefined, {
      cause: new Error(`${path}: ${messageOf(error)}`, { cause: error }),
    })
  }
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

async function writeBeside(name: string): Promise<void> {
  const file = await open(name, 'wx', 0o600)
  await unlink(name)
    .then(() => file.writeFile(Buffer.alloc(probeBytes)))
    .finally(() => file.close())
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
