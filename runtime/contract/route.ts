/** A route as the generated table and the printed codecs describe it. */
import type { AnswerType, DeclaredAnswers } from './answer-type.ts'
import type { AnyClass, FormFields, Verb } from './http.ts'
import type { StandardSchema } from './parameter-types.ts'
import type { RequiredScope } from './scopes.ts'

/** Reads one value. `values` are the texts of a path segment, query, header, cookie or form field; `path` is the
 *  public name (dotted for a property). All throw `MissingError` or `ValueError`. `restriction` is the type's text. */
export interface Codec {
  readonly restriction: string
  fromText(values: readonly string[], path: string): unknown
  /** `call`: of a tool call, where null for what is optional and has no null is absent, and names that the type does not have are refused;
   *  `optional`: such a null is this value itself, and `undefined` is returned. */
  fromJson(value: unknown, path: string, rules?: JsonRules): unknown
  /** What its type says of an answer: which properties are `@secret`, too. */
  readonly answer?: AnswerType
  /** Its value is `@secret`. */
  readonly isSecret?: boolean
  /** A whole form. */
  fromFields(fields: FormFields, path: string): unknown
}

/** How JSON is read; absent = as a body over HTTP. */
export type JsonRules = 'call' | 'optional'

/** `rest` = what the `*` at the end of a path stands for; `absent` = a path variable that this address leaves out. */
export type ParamSource = 'path' | 'rest' | 'query' | 'header' | 'cookie' | 'body' | 'field' | 'absent'

/** How one argument is read from the request. */
export interface ParamDecoder {
  readonly name: string
  readonly from: ParamSource
  readonly required: boolean
  /** What an absent, optional one is passed as; default: undefined. */
  readonly absent?: null | undefined
  readonly codec: Codec
}

/** The decoders of one route, in the order of the arguments; `filters` and `handlers` run parallel to the route's. */
export interface RouteCodec {
  readonly params: readonly ParamDecoder[]
  readonly filters: readonly (readonly ParamDecoder[])[]
  readonly handlers: readonly (readonly ParamDecoder[])[]
  /** What its answers are declared to be; absent = nothing is. */
  readonly answers?: DeclaredAnswers
  /** The same of its handlers, parallel to the route's. */
  readonly handlerAnswers?: readonly DeclaredAnswers[]
}

/** The schema of the application whose rules one argument must keep (`Checked<typeof schema>`). */
export interface ArgumentCheck {
  readonly schema: StandardSchema
  /** The schema reads an absent value too, for its default; absent = the method is passed what stands for it, as it is where the
   *  schema refuses it and the parameter has a `?`. */
  readonly takesAbsent?: true | 'unless refused'
}

/** Parallel to the arguments; absent = none of them has one. */
interface Checking {
  readonly checks?: readonly (ArgumentCheck | null)[]
}

export type Next = () => Promise<void>

// The calls below are declared as methods on purpose: the generated table types `controller` and `args` exactly, so
// that a stale table does not compile, and methods are compared bivariantly.

export interface RouteFilter extends Checking {
  readonly when: 'before' | 'around' | 'after'
  readonly name: string
  call(controller: object, args: readonly unknown[], next: Next): unknown
}

export interface RouteHandler extends Checking {
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

/** How often one user may call a route (`@limit`). */
export interface RouteLimit {
  readonly calls: number
  /** Of the fixed window in which they are counted: 1, 60, 3,600 or 86,400. */
  readonly windowSeconds: number
}

/** The forms of a route's `Elicited` parameters, by public name: flat JSON Schema objects. */
export type QuestionSchemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What tags say of how a route is called, under the names of its row; absent = not said, and the configuration decides. The
 *  compiler takes its names and values from here. */
export interface RouteOptions {
  /** `@limit`; false = none at all. */
  readonly limit?: RouteLimit | false
  /** Until the answer begins (`@timeout`); false = no end. */
  readonly timeoutSeconds?: number | false
  /** `strict`: a call is answered when its audit record is written (`@audit`); absent = tool calls with the next batch. */
  readonly audit?: 'strict'
  /** Of the media types that are read, those of this route's body (`@consumes`); absent = all of them. */
  readonly consumes?: readonly string[]
}

/** One row of `generated/routes.ts`. */
export interface Route extends RouteOptions, Checking {
  /** `<toolbox>_<method>`, also the tool name and the OpenAPI operationId. */
  readonly id: string
  readonly verb: Verb
  /** Fastify syntax: `/api/notes/:id`. */
  readonly path: string
  readonly status: number
  /** Status by the class of the returned value (`@returns {Missing} 404`); the first class that fits decides. */
  readonly statuses: readonly { readonly type: AnyClass; readonly status: number }[]
  /** It has no address over HTTP: only MCP clients reach it, as a prompt or a completion; absent = it has. */
  readonly mcpOnly?: true
  /** A WebSocket route: `verb` is GET and the request must upgrade. `call` gets the socket as its first argument,
   *  before the decoded ones. */
  readonly websocket: boolean
  /** Plain http is redirected to https before the controller is made (`@requireTls`). */
  readonly requiresTls: boolean
  /** What a token must grant (`@scope`); absent where the route asks for none. */
  readonly scope?: RequiredScope
  /** Whether it changes nothing (`@mcp readOnly`), whatever its verb; absent = not said, and the verb decides (`changeOf`). */
  readonly readOnly?: boolean
  /** Of a shorter address of a route with optional segments that has a limit or takes keys: the id of the longest one, with which it
   *  shares them. */
  readonly shortOf?: string
  /** The forms of its `Elicited` parameters, by public name; absent where it has none. */
  readonly questions?: QuestionSchemas
  /** An answer of it, or of its exception handlers, has a property that is secret (`@secret`); absent = none has. */
  readonly answersSecrets?: true
  /** The same of text that others wrote (`@untrusted`). */
  readonly answersUntrusted?: true
  /** The same of names that are in no answer, whatever the caller (`@Exclude()`). */
  readonly withholds?: true
  /** Its class or an ancestor looks at `this.access` or calls `requireScopes`: the token is looked up before; absent = none does. */
  readonly readsAccess?: boolean
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
