import { MigrationFailed, StoreAddressError, StoreBehind, StoreUnavailable } from '../store/store.ts'
import { BootError } from './boot-error.ts'

/** What stops a command because of its store, as one clear line; anything else as it is. */
export function storeRefusal(error: unknown): unknown {
  const isOneLine = error instanceof StoreBehind || error instanceof StoreAddressError
  if (isOneLine || error instanceof MigrationFailed) return new BootError(error.message, { cause: error })
  if (!(error instanceof StoreUnavailable)) return error
  const reason = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return new BootError(`${error.message}${reason}`)
}
