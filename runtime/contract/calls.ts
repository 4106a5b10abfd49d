/** What became of a tool call, for whoever keeps an eye on calls: the log, the audit, the metrics; and what the audit keeps. */
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

/** A tool call, a request or the opening of a socket of a route with `@audit strict`, or a change of access. */
export type AuditEvent =
  | 'tool-call'
  | 'request'
  | 'registration'
  | 'client-removal'
  | 'sign-in'
  | 'sign-out'
  | 'consent'
  | 'issue'
  | 'refresh'
  | 'reuse'
  | 'revocation'

/** One row of the trail. Ids are plain, so that it says who; arguments, tokens and their ids never stand in it. */
export interface AuditRecord {
  /** UUID version 7 (RFC 9562) as 32 hex digits: in the order of time. */
  readonly id: string
  /** When it was over, in milliseconds since the epoch. */
  readonly at: number
  readonly event: AuditEvent
  readonly user: string | null
  readonly client: string | null
  /** As it was then; null where none is known: pages show the id. */
  readonly clientName: string | null
  readonly grant: string | null
  /** Of a proxy the tool behind it. */
  readonly tool: string | null
  readonly route: string | null
  /** Null for a change of access. */
  readonly decision: CallDecision | null
  /** The HTTP status of the answer, or of the refusal; null when no route answered. */
  readonly status: number | null
  readonly isError: boolean | null
  readonly milliseconds: number | null
  readonly requestId: string | null
  readonly traceId: string | null
  /** HMAC-SHA-256 of the arguments as canonical JSON (RFC 8785), under a key of this application; lower-case hex. */
  readonly argumentsDigest: string | null
  /** In our own words, and the names of scopes. */
  readonly detail: Readonly<Record<string, string | number | boolean>> | null
}

/** What whoever records knows; the rest is null. */
export type AuditEntry = Pick<AuditRecord, 'event'> & Partial<Omit<AuditRecord, 'id' | 'at'>>

/** The same as it waits for the store. */
export type NewAuditRecord = Pick<AuditRecord, 'id' | 'at'> & { readonly entry: AuditEntry }

/** Where it is recorded. */
export interface AuditTrail {
  /** Neither waits nor throws: the row is written within about a second. */
  readonly record: (entry: AuditEntry) => void
  /** Resolves when the row is durable. Rejects when it cannot be written now; it is then written when it can be. */
  readonly recordDurably: (entry: AuditEntry) => Promise<void>
}
