/** What became of a tool call, for whoever keeps an eye on calls: the log, the audit, the metrics. */
import type { MaybePromise } from './http.ts'

/** Whether it was let through, else the HTTP status that says why not: no credentials, not permitted, too many. */
export type CallDecision = 'allowed' | 401 | 403 | 429

/** One tool call that is over, also one that was refused, and one of a name that does not exist. */
export interface ToolCallRecord {
  readonly requestId: string
  /** Of a proxy the tool behind it; a name that does not exist is cut to 64 characters. */
  readonly tool: string
  /** Null for a meta tool and a name that does not exist. */
  readonly route: string | null
  readonly toolbox: string | null
  /** The id of the user; null without a token. */
  readonly user: string | null
  readonly client: string | null
  readonly grant: string | null
  /** What the token grants; null without one. */
  readonly scopes: readonly string[] | null
  readonly era: 'legacy' | 'modern'
  /** The HTTP status of the route's answer, or of the refusal; null when no route answered. */
  readonly status: number | null
  /** Whether the client got an error in place of a result. */
  readonly isError: boolean
  readonly decision: CallDecision
  readonly milliseconds: number
  /** Secrets may be in them: they are never kept, at most their digest. */
  readonly args: Readonly<Record<string, unknown>>
}

/** The answer waits for what it resolves with. Rejects when the caller must not get the answer. */
export type ObserveCall = (record: ToolCallRecord) => MaybePromise<void>
