/** What is kept of who did what through which client. Source: issue 17, 2. */
import type { CallDecision } from './calls.ts'

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

/** Where it is recorded. */
export interface AuditTrail {
  /** Neither waits nor throws: the row is written within about a second. */
  readonly record: (entry: AuditEntry) => void
  /** Resolves when the row is durable. Rejects when it cannot be written now; it is then written when it can be. */
  readonly recordDurably: (entry: AuditEntry) => Promise<void>
}
