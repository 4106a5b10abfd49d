/** The driver of SQLite: loaded with the first database that is opened, for its native part is not there on every platform, and
 *  PostgreSQL needs none of it. */
import { createRequire } from 'node:module'
import type Libsql from 'libsql'
import { StoreAddressError } from '../store.ts'

const require = createRequire(import.meta.url)

let loaded: typeof Libsql | null = null

/** Throws `StoreAddressError` where the package for this platform is not installed. */
export function libsql(): typeof Libsql {
  loaded ??= load()
  return loaded
}

function load(): typeof Libsql {
  try {
    return require('libsql')
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1).join('') : String(error)
    const why = `SQLite is not installed for this platform (${reason}): install again on this machine, with optional dependencies, or set DATABASE_URL to a postgres:// address`
    throw new StoreAddressError(why, { cause: error })
  }
}

/** What errors mean: the first byte of their code says which. Source: SQLite, Result and Error Codes. libsql has no name for most of the longer ones. */
const byNumber: ReadonlyMap<number, string> = new Map([
  [3, 'PERM'],
  [5, 'BUSY'],
  [6, 'LOCKED'],
  [7, 'NOMEM'],
  [8, 'READONLY'],
  [10, 'IOERR'],
  [11, 'CORRUPT'],
  [13, 'FULL'],
  [14, 'CANTOPEN'],
  [15, 'PROTOCOL'],
  [22, 'NOLFS'],
  [23, 'AUTH'],
  [26, 'NOTADB'],
])

const busy: ReadonlySet<string> = new Set(['BUSY', 'LOCKED'])

/** SQLITE_READONLY_DIRECTORY */
const readOnlyFolder = 8 | (6 << 8)

/** Others have locked the file. */
export const isBusy = (error: unknown): boolean => busy.has(meaningOf(error))

/** Why the file at `path` cannot be used as it is, with its name; null when the error says nothing of the kind. */
export function unusable(error: unknown, path: string): Error | null {
  const meaning = meaningOf(error)
  if (!(error instanceof Error) || meaning === '' || busy.has(meaning)) return null
  const why = numberOf(error) === readOnlyFolder ? ': no file may be made in its folder' : ''
  return new Error(`${path}: ${error.message}${why}`, { cause: error })
}

const meaningOf = (error: unknown): string => byNumber.get(numberOf(error) & 0xff) ?? ''

function numberOf(error: unknown): number {
  return error instanceof Error && 'rawCode' in error && typeof error.rawCode === 'number' ? error.rawCode : 0
}
