/** How trouble with the store is told: one line where it stops a command, two lines in the log where it stops no server. */
import type { Logger } from '../contract/store.ts'
import type { OutageListener } from '../store/health.ts'
import { MigrationFailed, StoreAhead, StoreBehind, TableTaken } from '../store/migrations/migration-errors.ts'
import { StoreAddressError, StoreUnavailable } from '../store/store.ts'
import { BootError } from './boot-error.ts'

const oneLine = [StoreBehind, StoreAhead, StoreAddressError, MigrationFailed, TableTaken]

/** What stops a command because of its store, as one clear line; anything else as it is. */
export function storeRefusal(error: unknown): unknown {
  if (error instanceof Error && oneLine.some((kind) => error instanceof kind))
    return new BootError(error.message, { cause: error })
  if (!(error instanceof StoreUnavailable)) return error
  const reason = error.cause instanceof Error ? `: ${error.cause.message}` : ''
  return new BootError(`${error.message}${reason}`)
}

/** Writes one line when the store can no longer be used, with what the driver said, and one when it can again; both at
 *  `error`, so that a log with the first has the second. */
export function outageLog(log: Logger): OutageListener {
  return {
    began: (cause) =>
      log.error(
        { event: 'store-outage', state: 'began', err: described(cause) },
        'the store is not available',
      ),
    ended: (afterMs) =>
      log.error({ event: 'store-outage', state: 'ended', afterMs }, 'the store is available again'),
  }
}

/** A connection that was refused at every address of a name has no message of its own. */
function described(cause: unknown): unknown {
  if (!(cause instanceof AggregateError) || cause.message !== '') return cause
  return new Error(cause.errors.map(String).join(', '), { cause })
}
