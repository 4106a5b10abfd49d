/** A copy takes the place of a SQLite store. What was there is kept beside it, and at every moment the name leads to the one
 *  or the other, whole. */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type Libsql from 'libsql'
import { libsql } from '../libsql.ts'
import { makePrivateFolder } from './private-files.ts'

/** The copy is not taken, or the store not replaced; nothing was changed. */
export class RestoreRefused extends Error {}

/** Looks at a copy of the copy, at `file`. Rejects to refuse it. */
export type Verify = (file: string) => Promise<void>

/** Puts the store of `copy` in place of the one in `file`, which is then called `replaced`; resolves with whether there was one.
 *  `copy` is only read, with the log beside it. Rejects with `RestoreRefused`, also while anybody has the store open, and with
 *  what `verify` does. */
export async function restoreFile(
  { copy, file, replaced }: { readonly copy: string; readonly file: string; readonly replaced: string },
  verify: Verify,
): Promise<boolean> {
  refuseWhatIsNoCopy(copy, file)
  const draft = `${file}.${process.pid}.part`
  try {
    if (!existsSync(dirname(file))) makePrivateFolder(dirname(file))
    await copyWithLog(copy, draft)
    foldLog(draft, copy)
    await verify(draft)
    if ((statSync(`${draft}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new RestoreRefused(`${copy} cannot be restored: who looked at it changed it`)
    synchronise(draft)
    return replace({ draft, file, replaced })
  } finally {
    for (const part of partsOf(draft)) rmSync(part, { force: true })
  }
}

const partsOf = (file: string): readonly string[] => [file, `${file}-wal`, `${file}-shm`]

function refuseWhatIsNoCopy(copy: string, file: string): void {
  const stat = statSync(copy, { throwIfNoEntry: false })
  if (stat === undefined) throw new RestoreRefused(`there is no file ${copy}`)
  if (!stat.isFile()) throw new RestoreRefused(`${copy} is no file`)
  if (stat.size === 0) throw new RestoreRefused(`${copy} is empty`)
  const present = statSync(file, { throwIfNoEntry: false })
  if (present !== undefined && present.dev === stat.dev && present.ino === stat.ino)
    throw new RestoreRefused(`${copy} is the store itself`)
}

async function copyWithLog(copy: string, draft: string): Promise<void> {
  for (const part of partsOf(draft)) rmSync(part, { force: true })
  await copyPrivately(copy, draft)
  if (existsSync(`${copy}-wal`)) await copyPrivately(`${copy}-wal`, `${draft}-wal`)
}

/** Not by `copyFile`, which gives it the permissions of the copy: maybe everybody may read that, or nobody write. */
const copyPrivately = (from: string, to: string): Promise<void> =>
  pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: 0o600 }))

/** Everything is in the one file then. Throws `RestoreRefused` when it is no database. */
function foldLog(draft: string, copy: string): void {
  const database = new (libsql())(draft)
  try {
    database.exec('PRAGMA journal_mode = DELETE')
    database.exec('SELECT count(*) FROM sqlite_master')
  } catch (error) {
    throw new RestoreRefused(`${copy} is damaged, or no SQLite database: ${messageOf(error)}`, {
      cause: error,
    })
  } finally {
    database.close()
  }
}

function synchronise(path: string): void {
  const opened = openSync(path, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}

interface Replacement {
  readonly draft: string
  readonly file: string
  readonly replaced: string
}

/** Nobody can begin to use the store while it is locked; who waited for the lock finds that the file is another. */
function replace({ draft, file, replaced }: Replacement): boolean {
  const isThere = existsSync(file)
  const lock = isThere ? lockAlone(file) : null
  try {
    if (isThere) linkAs(file, replaced)
    if (isThere && lock === null) keepLog(file, replaced)
    if (lock !== null) rmSync(`${file}-shm`, { force: true })
    renameSync(draft, file)
    synchronise(dirname(file))
  } finally {
    lock?.close()
  }
  return isThere
}

/** A connection that keeps everybody out, after it moved the log into the file; null when the file is so damaged that SQLite
 *  cannot lock it: then nobody can be using it. An open connection of anybody, idle or not, refuses the change of the journal
 *  mode. Source: SQLite, PRAGMA journal_mode, and Write-Ahead Logging. */
function lockAlone(file: string): Libsql.Database | null {
  const database = new (libsql())(file)
  try {
    database.exec('PRAGMA busy_timeout = 1000')
    database.exec('PRAGMA locking_mode = EXCLUSIVE')
    database.exec('PRAGMA journal_mode = DELETE')
    database.exec('PRAGMA journal_mode = MEMORY') // no file that could be taken for one of the next store
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return null
    if (!/^SQLITE_(BUSY|LOCKED)/.test(code)) throw error
    throw new RestoreRefused(
      `${file} is in use: stop the server and every other acmcp command, then try again`,
      { cause: error },
    )
  }
}

function linkAs(file: string, replaced: string): void {
  try {
    linkSync(file, replaced)
  } catch (error) {
    throw new RestoreRefused(`${file} cannot be kept as ${replaced}: ${messageOf(error)}`, { cause: error })
  }
}

/** A log that stayed would be replayed into the store that comes. */
function keepLog(file: string, replaced: string): void {
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${replaced}${suffix}`)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
