/** Documents that are kept: few of clients that a stranger names, and beside them those of clients that users have connected. And fetches of
 *  them that are under way: few for one host, fewer for one address that asks, so that slow documents delay no other's. Source:
 *  rules.md, client ID metadata documents. */
import type { Clock } from '../../contract/store.ts'
import { LruMap } from '../../lru.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import { addressKey } from '../../rate-limit.ts'

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

export interface DocumentFetches<Result> {
  /** What the fetch of `url` under way comes to, else that of `work`, which is started. Throws
   *  `temporarily_unavailable` when `ip`, the host or everybody together has enough under way. */
  join(url: URL, ip: string, work: () => Promise<Result>): Promise<Result>
  /** Notes that the document's host gave no answer. */
  wasSilent(id: string): void
  /** Whether that was noted within the last half minute. */
  isSilent(id: string): boolean
}

const fetchLimit = 64
const limitOfHost = 4
const limitOfAddress = 3
const silenceMs = 30_000
/** About 1 MB of addresses at most. */
const silenceLimit = 500

interface Running<Result> {
  readonly host: string
  readonly address: string
  readonly result: Promise<Result>
}

/** One fetch of a document at a time; 64 at once, 4 from one host, 3 for one address. */
export function createDocumentFetches<Result>(monotonic: Clock): DocumentFetches<Result> {
  const running = new Map<string, Running<Result>>()
  const silentUntil = new LruMap<string, number>(silenceLimit)
  return {
    join: (url, ip, work) => {
      const known = running.get(url.href)
      if (known !== undefined) return known.result
      const from = { host: url.hostname, address: addressKey(ip) }
      refuseTooMany([...running.values()], from)
      const result = work().finally(() => running.delete(url.href))
      running.set(url.href, { ...from, result })
      return result
    },
    wasSilent: (id) => silentUntil.set(id, monotonic() + silenceMs),
    isSilent: (id) => (silentUntil.peek(id) ?? 0) > monotonic(),
  }
}

function refuseTooMany(
  running: readonly Running<unknown>[],
  from: Pick<Running<unknown>, 'host' | 'address'>,
): void {
  const ofHost = running.filter(({ host }) => host === from.host).length
  const ofAddress = running.filter(({ address }) => address === from.address).length
  if (running.length < fetchLimit && ofHost < limitOfHost && ofAddress < limitOfAddress) return
  throw new OAuthError('temporarily_unavailable', 'too many client documents are being fetched', 503)
}
