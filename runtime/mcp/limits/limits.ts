/** How many tool calls a client may make in a minute. Source: MCP, Tools, security: servers MUST rate limit tool invocations;
 *  decisions.md, rate limits. */
import type { Clock } from '../../contract/store.ts'
import type { Caller } from '../auth/caller.ts'

export interface LimitOptions {
  /** Of a user, of accepted credentials, or of an address where nobody was accepted; null = no limit. */
  readonly toolCallsPerMinute: number | null
  readonly clock: Clock
}

/** Why a call does not run now. */
export interface Overload {
  readonly status: 429 | 503
  readonly retryAfterSeconds: number
}

/** Counts a call of the caller; null when it may run. */
export type CountCall = (caller: Caller) => Overload | null

const minuteMs = 60_000
const capacity = 10_000

/** Counts in fixed windows of a minute, for at most 10,000 clients; who was counted least recently is forgotten. */
export function createLimits({ toolCallsPerMinute, clock }: LimitOptions): CountCall {
  const counts = new Map<string, { readonly until: number; calls: number }>()
  return ({ key }) => {
    if (toolCallsPerMinute === null) return null
    const now = clock()
    const known = counts.get(key)
    const count = known !== undefined && known.until > now ? known : { until: now + minuteMs, calls: 0 }
    if (count !== known) store(counts, key, count)
    count.calls += 1
    if (count.calls <= toolCallsPerMinute) return null
    return { status: 429, retryAfterSeconds: Math.ceil((count.until - now) / 1000) }
  }
}

function store<Count>(counts: Map<string, Count>, client: string, count: Count): void {
  counts.delete(client)
  counts.set(client, count)
  if (counts.size <= capacity) return
  const [oldest] = counts.keys()
  if (oldest !== undefined) counts.delete(oldest)
}
