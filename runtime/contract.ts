/** What the rooms agree on: the shapes that pass between the generated route table, the HTTP pipeline, the MCP
 *  endpoint, the authorization server and the store. Types only; imports nothing of ours. */

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** Names are lower case. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>

/** The body of a request, unread until somebody asks: filters run before it is parsed. `value` is JSON that has
 *  been parsed already (a tool call's arguments). `read` throws `PayloadTooLarge` above the limit; it may be called
 *  more than once. */
export type RequestBody =
  | {
      readonly kind: 'bytes'
      readonly contentType: string | null
      readonly read: () => Promise<Uint8Array>
      /** The same at once when the whole body is there already, else null; absent where only `read` works. */
      readonly arrived?: () => Uint8Array | null
      /** The same bytes as they come, without the limit, once, and not after `read`; absent where only `read` works. */
      readonly stream?: () => AsyncIterable<Uint8Array>
    }
  | { readonly kind: 'value'; readonly value: unknown }

/** The server-side session of one browser. Values are JSON. `regenerate` gives it a new id and drops all values. */
export interface Session {
  get(name: string): unknown
  set(name: string, value: unknown): void
  remove(name: string): void
  regenerate(): Promise<void>
  /** Reads it anew from where it is kept. */
  read?(): Promise<void>
}

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
  /** Aborted when the client goes away, and two seconds after the server began to stop. */
  readonly signal: AbortSignal
  /** The same as a call, at once when it has gone; answers how to stop that. Cheaper than the signal; may be absent. */
  whenGone?(gone: () => void): () => void
}

/** What a request came to. Header names are lower case. A body that is a string under a JSON media type is valid JSON: the
 *  MCP endpoint quotes it without reading it again. */
export interface Outcome {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | PushBody | null
}

/** A body that is written as things happen. `open` is called once, and answers what to do when the client has gone. */
export interface PushBody {
  readonly open: (sink: PushSink) => () => void
}

/** Where a `PushBody` writes. `write` says whether the client keeps up; who does not is cut off. */
export interface PushSink {
  write(text: string): boolean
  end(): void
}

/** What a controller can do with the MCP client whose tool call it answers. Source: annotations.md, Controllers at run
 *  time. */
export interface McpCall {
  /** What the client calls itself, or null: the `initialize` revisions tell it once, and nothing is kept. */
  readonly clientName: string | null
  /** Aborted when the client cancels: in revision 2026-07-28 it does so by going away. */
  readonly signal: AbortSignal
  /** What the `InputRequired` that this call answers carried; null in a first call. */
  readonly state: unknown
  /** Tells how far the work is, if the client asked; values that do not grow are left out. */
  progress(done: number, total?: number, message?: string): void
  /** Ends the call unless the client declared the capability. */
  requireCapability(name: string): void
  /** The client's answer to one request of `InputRequired`, or null. */
  answerTo(name: string): unknown
  /** Tells every client that listens that the list of tools has changed. */
  toolsChanged(): void
}

/** The request that a route sees when it runs as a tool. */
export interface ToolCallRequest extends HttpRequest {
  readonly mcp: McpCall
  /** What is wrong with the call itself, to be thrown where the parameters are read, after the filters; else null. */
  readonly mistake: Error | null
  /** Takes an exception that speaks to the client, past every handler. */
  readonly raise: (error: Error) => void
}

/** A fixed endpoint of the runtime (authorization server, MCP): its own function, no controller. */
export interface Endpoint {
  /** Of an endpoint that is a route of the application. */
  readonly routeId?: string
  readonly methods: readonly string[]
  readonly path: string
  readonly handle: (request: HttpRequest) => Outcome | Promise<Outcome>
  /** The answer, in the endpoint's own shape, to what failed around `handle` (reading or writing the session), or null to
   *  leave it to the server. */
  readonly onError?: (error: unknown) => Outcome | null
  /** The request must upgrade; the route accepts it. */
  readonly websocket?: boolean
  /** For a WebSocket endpoint: refused without TLS. */
  readonly requiresTls?: boolean
}

/** The fields of a form, as texts; the uploaded files of a name, when it has some. */
export interface FormFields {
  has(name: string): boolean
  getAll(name: string): readonly string[]
  files?(name: string): readonly unknown[] | undefined
  entries(): Iterable<readonly [string, unknown]>
}

/** Reads one value. `values` are the texts of a path segment, query, header, cookie or form field; `path` is the
 *  public name (dotted for a property). All throw `MissingError` or `ValueError`. `restriction` is the type's text. */
export interface Codec {
  readonly restriction: string
  fromText(values: readonly string[], path: string): unknown
  fromJson(value: unknown, path: string): unknown
  /** A whole form; without it a form is read as JSON with texts. */
  fromFields?(fields: FormFields, path: string): unknown
}

/** `rest` = what the `*` at the end of a path stands for. */
export type ParamSource = 'path' | 'rest' | 'query' | 'header' | 'cookie' | 'body' | 'field'

/** How one argument is read from the request. An absent, optional one is passed as `undefined`. */
export interface ParamDecoder {
  readonly name: string
  readonly from: ParamSource
  readonly required: boolean
  readonly codec: Codec
}

/** The decoders of one route, in the order of the arguments; `filters` and `handlers` run parallel to the route's. */
export interface RouteCodec {
  /** Writes what the action returns as JSON, with the text of the built-in responder; absent where nothing is gained. */
  readonly encode?: (value: unknown) => string
  readonly params: readonly ParamDecoder[]
  readonly filters: readonly (readonly ParamDecoder[])[]
  readonly handlers: readonly (readonly ParamDecoder[])[]
}

export type Next = () => Promise<void>

// The calls below are declared as methods on purpose: the generated table types `controller` and `args` exactly, so
// that a stale table does not compile, and methods are compared bivariantly.
export interface RouteFilter {
  readonly when: 'before' | 'around' | 'after'
  readonly name: string
  call(controller: object, args: readonly unknown[], next: Next): unknown
}

/** Any constructor, abstract ones too. */
export type AnyClass = abstract new (...args: never[]) => unknown

export interface RouteHandler {
  /** The error class (any constructor), matched with `instanceof`. */
  readonly error: AnyClass
  /** Further condition: a property of the error that must equal `value` (a literal type argument), or null. */
  readonly match: { readonly property: string; readonly value: string | number | boolean } | null
  /** `null` = the handler renders its own status (tag `default`). */
  readonly status: number | null
  readonly contentType: string | null
  /** Which class of the controller's ancestry tagged it: 0 = furthest ancestor below `Controller`. */
  readonly depth: number
  call(controller: object, error: unknown, args: readonly unknown[]): unknown
}

/** One row of `generated/routes.ts`. */
export interface Route {
  /** `<toolbox>_<method>`, also the tool name and the OpenAPI operationId. */
  readonly id: string
  readonly verb: Verb
  /** Fastify syntax: `/api/notes/:id`. */
  readonly path: string
  readonly status: number
  /** Status by the class of the returned value (`@returns {Missing} 404`); the first class that fits decides. */
  readonly statuses: readonly { readonly type: AnyClass; readonly status: number }[]
  /** A WebSocket route: `verb` is GET and the request must upgrade. `call` gets the socket as its first argument,
   *  before the decoded ones. */
  readonly websocket: boolean
  /** Plain http is redirected to https before the controller is made (`@requireTls`). */
  readonly requiresTls: boolean
  /** The concrete class, whose ancestry is asked for `rescueFrom` handlers. */
  readonly controller: AnyClass
  /** A fixed content type (`@produces`); the full wildcard where the answer names its own type and nothing is
   *  negotiated (bytes, what a method renders itself); or null for negotiation. */
  readonly produces: string | null
  readonly filters: readonly RouteFilter[]
  readonly handlers: readonly RouteHandler[]
  create(): object
  call(controller: object, args: readonly unknown[]): unknown
}

export type JsonSchema = Readonly<Record<string, unknown>>

export interface ToolHints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  readonly openWorld: boolean
}

/** A tool as the model sees it, made at build time from a route. */
export interface ToolEntry {
  readonly name: string
  /** The `Route.id` that it runs. */
  readonly route: string
  readonly toolbox: string
  readonly root: boolean
  readonly title: string | null
  readonly summary: string
  readonly description: string
  readonly hints: ToolHints
  /** Flat and closed JSON Schema 2020-12 object, without references to other documents. */
  readonly inputSchema: JsonSchema
  /** Schema of the success answer, or null. */
  readonly outputSchema: JsonSchema | null
  /** Where each argument goes: `argument` in the tool call → `name` in the request. */
  readonly arguments: readonly {
    readonly argument: string
    readonly from: ParamSource
    readonly name: string
  }[]
  readonly examples: readonly unknown[]
}

export interface ToolboxEntry {
  readonly name: string
  readonly description: string
}

/** Everything that `generated/mcp.yml` describes, with the schemas, in list order. */
export interface Catalogue {
  readonly instructions: string
  readonly toolboxes: readonly ToolboxEntry[]
  readonly tools: readonly ToolEntry[]
}

/** What `.acmcp/app.mjs` exports. `mcpDigest` = SHA-256 (hex) of the `generated/mcp.yml`, `version` the application's. */
export interface AppBundle {
  readonly routes: readonly Route[]
  readonly codecs: Readonly<Record<string, RouteCodec>>
  readonly config: unknown
  readonly catalogue: Catalogue
  readonly mcpDigest: string
  readonly version: string
}

// Source: specification, Resources, User. Models read the comment where a route answers with a user.
/** A signed-in person. */
export interface User {
  /** `<provider>:<provider_uid>` */
  readonly id: string
  readonly name: string
  readonly email: string | null
}

/** Protected resource metadata settings. Source: specification, MCP server configuration. */
export interface ResourceMetadata {
  readonly authorizationServers: readonly string[]
  readonly scopesSupported: readonly string[]
}

/** What the runtime offers to controllers. `database` is the Kysely handle (typed by `database()` of the public surface). */
export interface Services {
  readonly database: unknown
  /** The user of a valid access token, else null. Source: specification, Protected API. */
  readonly userOfAccessToken: (token: string) => Promise<User | null>
  readonly clock: Clock
}

/** Milliseconds since the epoch. */
export type Clock = () => number
export type RandomBytes = (count: number) => Uint8Array

/** One line per event; `fields` hold no secret. */
export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}
