/** How many tool calls a client may make in a minute, and how many may run at once. Source: MCP, Tools, security: servers
 *  MUST rate limit tool invocations; decisions.md, rate limits. */
import type { Clock } from '../contract.ts'

export interface LimitOptions {
  /** Per credential, else per address; null = no limit. */
  readonly toolCallsPerMinute: number | null
  /** Of all clients together; null = no limit. */
  readonly concurrentToolCalls: number | null
  readonly clock: Clock
}

/** Why a call does not run now. */
export interface Overload {
  readonly status: 429 | 503
  readonly retryAfterSeconds: number
}

export interface Limits {
  /** Counts a call of that client; null when it may run, and `leave` must follow. */
  enter(client: () => string): Overload | null
  leave(): void
}

const minuteMs = 60_000
const capacity = 10_000

/** Counts in fixed windows of a minute, for at most 10,000 clients; who was counted least recently is forgotten. */
export function createLimits({ toolCallsPerMinute, concurrentToolCalls, clock }: LimitOptions): Limits {
  let running = 0
  const counts = new Map<string, { readonly until: number; calls: number }>()
  const secondsToWait = (client: string, perMinute: number): number => {
    const now = clock()
    const known = counts.get(client)
    const count = known !== undefined && known.until > now ? known : { until: now + minuteMs, calls: 0 }
    if (count !== known) store(counts, client, count)
    count.calls += 1
    return count.calls > perMinute ? Math.ceil((count.until - now) / 1000) : 0
  }
  return {
    enter(client) {
      if (concurrentToolCalls !== null && running >= concurrentToolCalls)
        return { status: 503, retryAfterSeconds: 1 }
      const wait = toolCallsPerMinute === null ? 0 : secondsToWait(client(), toolCallsPerMinute)
      if (wait > 0) return { status: 429, retryAfterSeconds: wait }
      running += 1
      return null
    },
    leave() {
      running -= 1
    },
  }
}

function store<Count>(counts: Map<string, Count>, client: string, count: Count): void {
  counts.delete(client)
  counts.set(client, count)
  if (counts.size <= capacity) return
  const [oldest] = counts.keys()
  if (oldest !== undefined) counts.delete(oldest)
}
