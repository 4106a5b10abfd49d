import { BootError } from './boot-error.ts'
import { StoreAddressError, StoreBehind, StoreUnavailable } from './store/store.ts'

/** What stops a command because of its store, as one clear line; anything else as it is. */
export function storeRefusal(error: unknown): unknown {
  if (error instanceof StoreBehind || error instanceof StoreAddressError) return new BootError(error.message)
  if (!(error instanceof StoreUnavailable)) return error
  const reason = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return new BootError(`${error.message}${reason}`)
}
