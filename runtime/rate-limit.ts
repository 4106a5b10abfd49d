/** Counting calls in fixed windows, in bounded memory; several instances add their counts up without making any
 *  request wait. Source: rules.md, rate limits. */
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Clock } from './contract/store.ts'
import { LruMap } from './lru.ts'
import { sha256Base64Url } from './secret.ts'

/** Adds `counts` to what all instances have counted in the window that began at `window` (milliseconds) and resolves with
 *  the totals of these keys. */
export type ShareCounts = (
  window: number,
  counts: readonly { readonly key: string; readonly count: number }[],
) => Promise<ReadonlyMap<string, number>>

export interface RateCounter {
  /** Counts one call of `key`. Returns 0 while there were at most `limit` in this window, else the whole seconds until
   *  the next one. */
  take(key: string, limit: number): number
  /** The same without counting: whether one more call would be too many. */
  wait(key: string, limit: number): number
  /** Exchanges counts with the other instances, of as many keys in a window as are remembered at once. When `share` rejects, so does this, and nothing is lost. */
  exchange(share: ShareCounts): Promise<void>
  /** How many keys are remembered. */
  readonly size: number
}

export interface RateCounterOptions {
  readonly windowSeconds: number
  /** The most keys that are remembered; the one not seen for longest is forgotten first. */
  readonly capacity: number
  readonly clock: Clock
  /** Milliseconds that never go back, by which a window ends (default: the clock). */
  readonly monotonic?: Clock | undefined
}

/** `known`: the total of all instances at the last exchange; `pending`: counted here since. */
interface Count {
  known: number
  pending: number
  /** Whether the others are told of it. */
  isShared: boolean
}

/** A counter whose windows start at whole multiples of their length since the epoch, alike on every instance. One that has begun ends
 *  when its time has passed, wherever the clock is set meanwhile; the next one goes by the clock again. */
export function createRateCounter({
  windowSeconds,
  capacity,
  clock,
  monotonic = clock,
}: RateCounterOptions): RateCounter {
  const windowMs = windowSeconds * 1000
  const counts = new LruMap<string, Count>(capacity)
  const fresh = new LruMap<string, Count>(capacity)
  let startedAt = 0
  let endsAt = Number.NEGATIVE_INFINITY
  let shared = 0
  const enterWindow = (): void => {
    const leftMs = endsAt - monotonic()
    if (leftMs > 0 && leftMs <= windowMs) return
    const now = clock()
    startedAt = Math.floor(now / windowMs) * windowMs
    endsAt = monotonic() + startedAt + windowMs - now
    if (leftMs > 0) return // where the wall clock stands in and is set back: no entry is dropped
    counts.clear()
    fresh.clear()
    shared = 0
  }
  /** A key that is shared is a row of the store, which no flood of addresses fills: further ones are counted here alone. */
  const isToShare = (count: Count): boolean => {
    if (count.isShared || shared >= capacity) return count.isShared
    shared += 1
    count.isShared = true
    return true
  }
  const secondsLeft = (): number => Math.max(1, Math.ceil((endsAt - monotonic()) / 1000))
  return {
    take: (key, limit) => {
      enterWindow()
      const count = counts.peek(key) ?? { known: 0, pending: 0, isShared: false }
      if (count.pending === 0) fresh.set(key, count)
      count.pending += 1
      counts.set(key, count)
      return count.known + count.pending <= limit ? 0 : secondsLeft()
    },
    wait: (key, limit) => {
      enterWindow()
      const { known, pending } = counts.peek(key) ?? { known: 0, pending: 0 }
      return known + pending < limit ? 0 : secondsLeft()
    },
    exchange: async (share) => {
      enterWindow()
      await exchange({ counts, fresh, isToShare }, (changed) => share(startedAt, changed))
    },
    get size() {
      return counts.size
    },
  }
}

interface Counts {
  readonly counts: LruMap<string, Count>
  /** Those of them that were counted since they were last sent. */
  readonly fresh: LruMap<string, Count>
  readonly isToShare: (count: Count) => boolean
}

/** What is counted while the answer is on its way stays pending for the next exchange. */
async function exchange(
  { counts, fresh, isToShare }: Counts,
  share: (changed: Parameters<ShareCounts>[1]) => ReturnType<ShareCounts>,
): Promise<void> {
  const sent = [...fresh].flatMap(([key, entry]) =>
    isToShare(entry) ? [{ key, entry, count: entry.pending }] : [],
  )
  fresh.clear()
  if (sent.length === 0) return
  try {
    const totals = await share(sent.map(({ key, count }) => ({ key, count })))
    for (const { key, entry, count } of sent) {
      entry.pending -= count
      entry.known = totals.get(key) ?? entry.known + count
    }
  } finally {
    for (const { key, entry } of sent)
      if (entry.pending > 0 && counts.peek(key) === entry) fresh.set(key, entry)
  }
}

/** The same exchange with keys that name neither a user nor an address: shared counts lie in the store. Keys of another `kind` are
 *  others. */
export function shareNameless(share: ShareCounts, kind: string): ShareCounts {
  return async (window, counts) => {
    const keys = new Map(counts.map(({ key }) => [namelessKey(kind, key), key]))
    const sent = [...keys.keys()].map((key, place) => ({ key, count: counts[place]?.count ?? 0 }))
    const totals = await share(window, sent)
    return new Map([...totals].map(([key, total]) => [keys.get(key) ?? key, total]))
  }
}

const namelessKey = (kind: string, key: string): string =>
  `${kind.startsWith(dayMark) ? dayMark : ''}${sha256Base64Url(`${kind} ${key}`)}`

/** Keys of windows of a day begin so: the store keeps their counts for longer. */
export const dayMark = 'day '

/** By what an address is counted: IPv4 as it is (mapped into IPv6 too), IPv6 by its /64, which one customer owns. */
export function addressKey(ip: string): string {
  if (isIPv4(ip) || !ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  if (address.kind() === 'ipv4') return address.toString()
  return `${Buffer.from(address.toByteArray().slice(0, 8)).toString('hex')}/64`
}
