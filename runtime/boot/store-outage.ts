import type { Logger } from '../contract/store.ts'
import type { OutageListener } from '../store/health.ts'

/** Writes one line when the store can no longer be used, with what the driver said, and one when it can again; both at
 *  `error`, so that whoever sees the first sees the second. */
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
