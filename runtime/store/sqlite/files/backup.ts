/** Copies of a SQLite file that is in use: `VACUUM INTO` reads one consistent state, also while others write. */
import { closeSync, existsSync, linkSync, openSync, rmSync } from 'node:fs'
import { StoreUnavailable } from '../../store.ts'
import { libsql } from '../libsql.ts'

/** The copy is not made because a file of that name is there. */
export class BackupExists extends Error {}

/** Copies the store in `file` to `copy`. Throws `BackupExists`, and `StoreUnavailable` when it cannot be read or
 *  written. Blocks until it is done. */
export function backupFile(file: string, copy: string): void {
  if (existsSync(copy)) throw new BackupExists(`${copy} exists`)
  const partial = `${copy}.${process.pid}.part`
  try {
    vacuumInto(file, partial)
    linkSync(partial, copy) // fails when another process was faster
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw new BackupExists(`${copy} exists`)
    throw new StoreUnavailable('the copy could not be made', { cause: error })
  } finally {
    rmSync(partial, { force: true })
  }
}

/** The copy that is kept before a migration: `<file>.before-<migration>.bak`. Of several processes that start at once
 *  the first makes it, before any of them migrates; an earlier one is kept. */
export function backupBefore(file: string, migration: string): void {
  const copy = `${file}.before-${migration}.bak`
  try {
    backupFile(file, copy)
  } catch (error) {
    if (!(error instanceof BackupExists)) throw error
  }
}

function vacuumInto(file: string, copy: string): void {
  rmSync(copy, { force: true })
  closeSync(openSync(copy, 'wx', 0o600))
  const database = new (libsql())(file)
  try {
    database.exec(`VACUUM INTO '${copy.replaceAll("'", "''")}'`)
  } finally {
    database.close()
  }
}
