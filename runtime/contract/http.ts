/** Requests and responses, independent of the transport, and what every way in agrees on. Names are lower case in headers. */

/** A value that may be there already: the receiver awaits it. */
export type MaybePromise<T> = T | Promise<T>

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** Names are lower case. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>

/** The body of a request, unread until the route asks: filters run before it is parsed. `value` is JSON that has
 *  been parsed already (a tool call's arguments). `read` throws `PayloadTooLarge` above the limit; it may be called
 *  more than once. */
export type RequestBody =
  | {
      readonly kind: 'bytes'
      readonly contentType: string | null
      /** The content coding in which it still is, not yet decoded; absent or null = it is as it is. */
      readonly coding?: string | null
      read(): Promise<Uint8Array>
      /** The same at once when the whole body is there already, else null; absent where only `read` works. */
      readSync?(): Uint8Array | null
      /** The same bytes as they come, without the limit, once, and not after `read`; absent where only `read` works. */
      stream?(): AsyncIterable<Uint8Array>
    }
  | { readonly kind: 'value'; readonly value: unknown }

/** The server-side session of one browser. Values are JSON. `regenerate` gives it a new id and drops all values. */
export interface Session {
  get(name: string): unknown
  /** The value must have a JSON form; else a `TypeError` says why. */
  set(name: string, value: unknown): void
  remove(name: string): void
  regenerate(): Promise<void>
  /** Reads it anew from where it is kept. */
  read?(): Promise<void>
  /** Throws where nothing can be kept any more: the head of the answer has left, and with it the cookie of a new session. */
  assertKept?(name: string): void
  /** Resolves when what has changed since the head left is stored; null = it has not left. */
  stored?(): Promise<unknown> | null
}

/** The side that ends a request: its client, which gets no answer any more, or the server, which still sends one. */
export type EndedBy = 'client' | 'server'

/** One request, independent of the transport: an HTTP request and a tool call look alike. */
export interface HttpRequest {
  readonly id: string
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  /** Decoded path parameters. */
  readonly params: Readonly<Record<string, string>>
  readonly headers: HeaderMap
  /** By name; of two cookies of one name the first. */
  readonly cookies: Readonly<Record<string, string | undefined>>
  readonly ip: string
  readonly session: Session
  readonly body: RequestBody
  /** Aborted when the client goes away, when the time of its route is up (`@timeout`), and two seconds after the server began
   *  to stop. */
  readonly signal: AbortSignal
  /** The same as a call, at once when it has gone; returns how to stop that. Cheaper than the signal; may be absent. */
  onDisconnect?(gone: (by: EndedBy) => void): () => void
  /** Aborts the signal: its answer comes too late. Absent where the signal is that of another request. */
  expire?(error: Error): void
}

/** What a request came to. Header names are lower case. A body that is a string under a JSON media type is valid JSON: the
 *  MCP endpoint quotes it without reading it again. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | StreamingBody | null
  /** The body is the beginning of one that was too large to keep. */
  readonly isCut?: boolean
  /** Absent where the route or a plugin answered. */
  readonly refusedBy?: RefusedBy | undefined
}

/** What of ours refused a request: what the route, or its code, asks for (`scope`: what its client may ask its user for, null = nothing), or
 *  the store, which was away. */
export type RefusedBy =
  | { readonly kind: 'access'; readonly scope: string | null }
  | { readonly kind: 'outage' }

/** A body that is written as things happen. `open` is called once, and returns what to do when the client has gone. */
export interface StreamingBody {
  readonly open: (sink: StreamWriter) => () => void
}

/** Where a `StreamingBody` writes. `write` says whether the client keeps up; one that does not is cut off. What is offered is made and
 *  written only while the client keeps up. The last text is written in any case. */
export interface StreamWriter {
  write(text: string): boolean
  offer(text: () => string): void
  end(last?: string): void
}

/** A fixed endpoint of the runtime (authorization server, MCP): its own function, no controller. */
export interface Endpoint {
  /** Of an endpoint that is a route of the application. */
  readonly routeId?: string
  readonly methods: readonly string[]
  readonly path: string
  /** Request headers by which its answers differ, for `Vary`; absent = none is known. */
  readonly vary?: readonly string[]
  readonly handle: (request: HttpRequest) => MaybePromise<HttpResponse>
  /** The answer, in the endpoint's own shape, to what failed around `handle` (reading or writing the session), or null to
   *  leave it to the server. */
  readonly onError?: (error: unknown) => HttpResponse | null
  /** The headers by which a page elsewhere reads what the server answers in the endpoint's place (another method, too large, failed), by
   *  those of its request; absent = no page does. */
  readonly corsHeaders?: (headers: HeaderMap) => HttpResponse['headers']
  /** Whether a page elsewhere opens it in a window, and waits for what comes back: no plugin cuts the two apart. Source: HTML,
   *  Cross-origin opener policies. */
  readonly hasOpener?: boolean
  /** The request must upgrade; the route accepts it. */
  readonly websocket?: boolean
  /** Of a WebSocket endpoint: what is asked before the upgrade; `handle` does not ask again. */
  readonly guards?: readonly Guard[]
}

/** Refuses a request before a controller exists: the answer to it, or null to let it pass. */
export type Guard = (request: HttpRequest) => MaybePromise<HttpResponse | null>

/** Runs the guards of a route alone: the refusal, or null. */
export type RunGuards = (routeId: string, request: HttpRequest) => MaybePromise<HttpResponse | null>

/** The fields of a form, as texts; the uploaded files of a name, when it has some. */
export interface FormFields {
  has(name: string): boolean
  getAll(name: string): readonly string[]
  files?(name: string): readonly unknown[] | undefined
  entries(): Iterable<readonly [string, unknown]>
}

/** Any constructor, abstract ones too. */
export type AnyClass = abstract new (...args: never[]) => unknown
