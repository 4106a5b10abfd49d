/** How many tool calls a client may make in a minute. Source: MCP, Tools, security: servers MUST rate limit tool invocations;
 *  decisions.md, rate limits. */
import type { Clock } from '../../contract/store.ts'
import { createRateCounter } from '../../rate-limit.ts'
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

const capacity = 10_000

/** Counts in minutes, for at most 10,000 clients; who was counted least recently is forgotten. */
export function createLimits({ toolCallsPerMinute, clock }: LimitOptions): CountCall {
  const counter = createRateCounter({ windowSeconds: 60, capacity, clock })
  return ({ key }) => {
    const retryAfterSeconds = toolCallsPerMinute === null ? 0 : counter.take(key, toolCallsPerMinute)
    return retryAfterSeconds === 0 ? null : { status: 429, retryAfterSeconds }
  }
}
