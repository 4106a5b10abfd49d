/** Documents that are kept: few of clients that a stranger names, and beside them those of clients that users have connected. */
import { LruMap } from '../../lru.ts'

const limit = 100
/** What strangers look up takes the place of none of them. */
const connectedLimit = 1000

export interface DocumentCache<Entry> {
  get(id: string): Entry | undefined
  /** Resolves when it is known whether what had to go for it is of a connected client. Never rejects. */
  set(id: string, entry: Entry): Promise<void>
}

/** Keeps 100, of which the least recently used goes first, and beside these 1,000 of clients for which `hasLiveGrant`: those are asked about
 *  when they would go. */
export function createDocumentCache<Entry>(
  hasLiveGrant: (clientId: string) => Promise<boolean>,
): DocumentCache<Entry> {
  const latest = new LruMap<string, Entry>(limit + 1)
  const connected = new LruMap<string, Entry>(connectedLimit)
  /** Those of which the store is asked, one for each that is being read. */
  const leaving = new Map<string, Entry>()
  return {
    get: (id) => connected.get(id) ?? latest.get(id) ?? leaving.get(id),
    async set(id, entry) {
      if (connected.peek(id) !== undefined) return connected.set(id, entry)
      latest.set(id, entry)
      if (latest.size <= limit) return
      const [[oldest, kept] = [id, entry]] = latest
      latest.delete(oldest)
      leaving.set(oldest, kept)
      const isConnected = await hasLiveGrant(oldest).catch(() => null)
      leaving.delete(oldest)
      if (isConnected ?? connected.size < connectedLimit) connected.set(oldest, kept)
    },
  }
}
