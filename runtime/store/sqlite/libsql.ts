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
