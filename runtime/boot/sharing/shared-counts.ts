/** What the rate limits of several instances count together. */
import type { Logger } from '../../contract/store.ts'
import type { McpServer } from '../../mcp/server.ts'
import { intervalScheduler, type Scheduler } from '../../scheduler.ts'
import type { Store } from '../../store/store.ts'

const shareEveryMs = 1000

interface CountSharing {
  readonly store: Pick<Store, 'isShared' | 'shareCounts'>
  readonly log: Logger
  readonly every?: Scheduler
}

/** Instances on one store exchange what the rate limits counted once a second; no request waits for it, and a failed
 *  exchange is made up for by the next (rules.md, rate limits). Returns what ends it. */
export function shareCounts(
  { store, log, every = intervalScheduler }: CountSharing,
  counting: readonly Pick<McpServer, 'exchangeCounts'>[],
): () => Promise<void> {
  if (!store.isShared) return async () => {}
  return every(shareEveryMs, () =>
    Promise.all(counting.map(({ exchangeCounts }) => exchangeCounts(store.shareCounts)))
      .then(() => {})
      .catch((error: unknown) => log.warn({ reason: String(error) }, 'rate limits were not shared')),
  )
}
