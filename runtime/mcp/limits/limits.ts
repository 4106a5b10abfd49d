/** How many tool calls a client may make in a minute, and how many other messages: as many, at least 600. Source: MCP 2025-11-25, Tools, security: servers MUST rate limit tool invocations;
 *  rules.md, rate limits. */

import type { Clock } from '../../contract/store.ts'
import { createRateCounter, type ShareCounts, shareNameless } from '../../rate-limit.ts'
import type { Caller } from '../auth/caller.ts'
import type { Overload } from '../protocol/http-refusal.ts'

export interface LimitOptions {
  /** Of a user, of accepted credentials, or of an address without accepted credentials; null = no limit. */
  readonly toolCallsPerMinute: number | null
  readonly clock: Clock
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
}

/** Counts a call of the caller; null when it may run. */
export type CountCall = (caller: Caller) => Overload | null

export interface CallLimits {
  readonly countCall: CountCall
  /** Counts any other message, by itself. */
  readonly countMessage: CountCall
  /** One exchange of counts with the other instances; rejects with what `share` does. */
  exchange(share: ShareCounts): Promise<void>
}

const windowSeconds = 60
const capacity = 10_000
/** A client that may call little must still be able to connect. */
const minMessages = 600

/** Counts in whole minutes, for at most 10,000 clients; the one counted least recently is forgotten. */
export function createLimits({ toolCallsPerMinute, ...clocks }: LimitOptions): CallLimits {
  const counter = createRateCounter({
    windowSeconds,
    capacity,
    clock: clocks.clock,
    monotonic: clocks.monotonic,
  })
  return {
    countCall: ({ key }) => {
      const retryAfterSeconds = toolCallsPerMinute === null ? 0 : counter.take(key, toolCallsPerMinute)
      return retryAfterSeconds === 0 ? null : { status: 429, retryAfterSeconds, of: 'calls' }
    },
    countMessage: ({ key }) => {
      const most = toolCallsPerMinute === null ? null : Math.max(toolCallsPerMinute, minMessages)
      const retryAfterSeconds = most === null ? 0 : counter.take(`message ${key}`, most)
      return retryAfterSeconds === 0 ? null : { status: 429, retryAfterSeconds, of: 'messages' }
    },
    exchange: (share) => counter.exchange(shareNameless(share, 'tool call')),
  }
}
