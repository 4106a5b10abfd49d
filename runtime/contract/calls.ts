/** What becomes of requests, messages and tool calls, for those that record them: the log, the audit, the telemetry; and what the audit
 *  keeps. */
import type { HeaderMap, HttpRequest, MaybePromise } from './http.ts'

/** Whether it was let through, else the HTTP status that says why not: no credentials, not permitted, too many. */
export type CallDecision = 'allowed' | 401 | 403 | 429

/** One tool call that is over, also one that was refused, and one of a name that does not exist: an entry of the audit as it is, and what
 *  others watch for. */
export interface ToolCallRecord
  extends SpanIds,
    Pick<AuditRecord, 'user' | 'client' | 'grant' | 'route' | 'status'> {
  readonly event: 'tool-call'
  readonly requestId: string
  /** Of a proxy the tool behind it; a name that does not exist is cut to 64 characters. */
  readonly tool: string
  /** The meta tool through which the tool was called; null = by its own name. */
  readonly proxy: string | null
  readonly toolbox: string | null
  /** What the token grants; null without one. */
  readonly scopes: readonly string[] | null
  readonly era: 'legacy' | 'modern'
  /** Whether the client got an error in place of a result. */
  readonly isError: boolean
  /** The JSON-RPC error that the client got in place of a result; null where it got a result, or an answer of HTTP (401, 403). */
  readonly error: ProtocolFailure | null
  readonly decision: CallDecision
  readonly milliseconds: number
}

/** Source: JSON-RPC 2.0, 5.1. */
export interface ProtocolFailure {
  readonly code: number
  readonly message: string
}

/** The answer waits for what it resolves with. Rejects when the caller must not get the answer. Secrets may be in the arguments: they are
 *  never kept, at most their digest. */
export type ObserveCall = (
  record: ToolCallRecord,
  args: Readonly<Record<string, unknown>>,
) => MaybePromise<void>

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
  | 'refusal'
  | 'revocation'
  | 'approval'
  | 'idempotency'
  | 'block'
  | 'unblock'
  | 'erasure'

/** One row of the trail. Ids are plain, so that a row names the user; arguments, tokens and their ids never stand in it. */
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
  /** HMAC-SHA-256 of the arguments as canonical JSON (RFC 8785), under a key of this application; lower-case hex. Null where neither
   *  `@audit strict` nor `audit.digest` asks for it. */
  readonly argumentsDigest: string | null
  /** In our own words, and the names of scopes. */
  readonly detail: Readonly<Record<string, string | number | boolean>> | null
}

/** What the recorder knows; the rest is null. */
export type AuditEntry = Pick<AuditRecord, 'event'> & Partial<Omit<AuditRecord, 'id' | 'at'>>

/** The same as it waits for the store. */
export type NewAuditRecord = Pick<AuditRecord, 'id' | 'at'> & { readonly entry: AuditEntry }

/** Where it is recorded. */
export interface AuditTrail {
  /** Neither waits nor throws: the row is written within about a second. */
  readonly record: (entry: AuditEntry) => void
  /** Resolves when the row is durable. Rejects when it cannot be written now; it is then written when it can be. */
  readonly recordDurably: (entry: AuditEntry) => Promise<void>
  /** Resolves when what waits now is written, or cannot be: for a recorder of thousands of rows, of which the oldest would be lost.
   *  Never rejects. */
  readonly flush: () => Promise<void>
}

/** What names a span, 32 and 16 hexadecimal digits; null where none is active. */
export interface SpanIds {
  readonly traceId: string | null
  readonly spanId: string | null
}

/** An HTTP request that has just come in. */
export interface ArrivedRequest {
  readonly id: string
  readonly method: string
  /** The path of its route as it was declared; null where nothing matched. */
  readonly route: string | null
  /** As sent, secrets masked; the query without its question mark, null = none. */
  readonly path: string
  readonly query: string | null
  /** `1.1`. */
  readonly httpVersion: string
  /** Address of the client, as far as proxies are believed, and of the peer of the connection. */
  readonly address: string
  readonly peer: { readonly address: string; readonly port: number } | null
  readonly headers: HeaderMap
}

/** A request under way that is watched. */
export interface WatchedRequest extends SpanIds {
  /** Goes on in the context of the request. */
  run(next: () => void): void
  /** The answer has ended: `status` null = none was sent; `isComplete` false = the client left before its end. What is told a
   *  second time changes nothing. */
  ended(end: { readonly status: number | null; readonly isComplete: boolean }): void
}

/** Watches HTTP requests; null = no watcher now. `arrived` is read only by a watcher. */
export type WatchRequest = (arrived: () => ArrivedRequest) => WatchedRequest | null

/** A message that came to the MCP endpoint. */
export interface ArrivedMessage {
  readonly request: HttpRequest
  /** As it came off the wire. */
  readonly message: Readonly<Record<string, unknown>>
}

/** A message under way that is watched. Either `answered` or `called` ends it. */
export interface WatchedMessage extends SpanIds {
  run<Answer>(serve: () => Promise<Answer>): Promise<Answer>
  /** It calls a tool, and `called` will say when that is over. */
  calls(): void
  /** It came to an answer of HTTP with this status, or to an error. */
  answered(end: { readonly status: number; readonly error: ProtocolFailure | null }): void
  /** `result` makes the JSON text of what the client got; null where it got no result. */
  called(record: ToolCallRecord, result: (() => string) | null): void
}

/** Watches messages; null = no watcher now. */
export type WatchMessage = (arrived: ArrivedMessage) => WatchedMessage | null
