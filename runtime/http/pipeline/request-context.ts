/** One run of a route: what filters, action and handlers share. */
import type { Guard, HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { IdempotentCall } from '../../contract/idempotent-call.ts'
import type { JsonArguments } from '../../contract/mcp.ts'
import type { Route } from '../../contract/route.ts'
import type { Access } from '../../contract/scopes.ts'
import type { Services } from '../../contract/store.ts'
import { accessWithoutLookUp, notLookedUp } from '../access/request-access.ts'
import type { RouteAccess } from '../access/route-access.ts'
import { type ParsedBody, parseBody } from '../input/body.ts'
import type { ArgumentReader, ParamInput } from '../input/params.ts'
import { Uploads } from '../input/uploads.ts'
import type { CallTime } from '../limits/call-time.ts'
import type { AnswerWriters } from '../output/answer-writers.ts'
import type { Formats } from '../output/formats.ts'
import { ResponseHeaders } from '../output/response-headers.ts'
import { attach, type Context, toolCallOf } from './controller.ts'
import type { Enclosing, PreparedFilters } from './filters.ts'
import type { PreparedHandler } from './handlers.ts'
import type { WrapperName } from './wrapper-order.ts'

/** A route with its decoders, filters and handlers, resolved once at boot. */
export interface PreparedRoute {
  readonly route: Route
  /** What may refuse the request before a controller exists. */
  readonly guards: readonly Guard[]
  /** Those that count nothing. */
  readonly permits: readonly Guard[]
  /** Null where nothing looks at the token of a request. */
  readonly access: RouteAccess | null
  /** All of it: guards, what lies around, the run, the answer. */
  readonly run: ServeRequest
  readonly runFilters: RunFilters
  /** The method with what wraps it. */
  readonly callMethod: CallMethod
  readonly callHandler: CallHandler
  readonly finish: FinishAnswer
  readonly filters: PreparedFilters
  readonly params: readonly ArgumentReader[]
  readonly handlers: readonly PreparedHandler[]
  readonly readsBody: boolean
  readonly formats: Formats
  /** Null where nothing is declared of its answers. */
  readonly writers: AnswerWriters | null
  /** Whether `Accept` decides about the type of the answer, and before the action runs. */
  readonly negotiates: boolean
  /** The type of every answer, or null. */
  readonly fixedType: string | null
}

/** Serves one request; rejects with what is unhandled. `time` is null where it may take as long as it likes. */
export type ServeRequest = (
  request: HttpRequest,
  services: Services,
  time: CallTime | null,
) => Promise<HttpResponse>

/** Runs the around filters and what they enclose. */
export type RunFilters = (context: RequestContext) => Promise<void>

/** Calls the method with the arguments that were read. */
export type CallMethod = (context: RequestContext, args: readonly unknown[]) => unknown

/** Calls an exception handler: what it rendered, else what it returned. */
export type CallHandler = (
  context: RequestContext,
  handler: PreparedHandler,
  { error, args }: { readonly error: unknown; readonly args: readonly unknown[] },
) => Promise<unknown>

/** Takes an answer of the method, a filter or an exception handler to what is sent. */
export type FinishAnswer = (context: RequestContext, answer: HttpResponse) => MaybePromise<HttpResponse>

/** What wraps a route, the same over HTTP, in tool calls, behind plugins and inside the process. Its name decides what it stands around. */
export type RouteWrapper = { readonly name: WrapperName } & (
  | {
      /** All of it, guards included. */
      readonly place: 'around'
      readonly wrap: (run: ServeRequest) => ServeRequest
    }
  | {
      /** Outside of around filters. */
      readonly place: 'filters'
      readonly wrap: (run: RunFilters) => RunFilters
    }
  | {
      /** Between parameters and method, inside around filters. */
      readonly place: 'method'
      readonly wrap: (call: CallMethod) => CallMethod
    }
  | {
      /** Around each exception handler. */
      readonly place: 'handler'
      readonly wrap: (call: CallHandler) => CallHandler
    }
  | {
      /** After handlers. */
      readonly place: 'answer'
      readonly wrap: (finish: FinishAnswer) => FinishAnswer
    }
)

/** What controllers have as `this.idempotency`, of requests to routes that take a key. */
export const keyedCalls: WeakMap<HttpRequest, IdempotentCall> = new WeakMap()

const noScopes: readonly string[] = []

/** One run of a route. `outcome` is set as soon as something was rendered. */
export class RequestContext implements Context, ParamInput, Enclosing {
  readonly prepared: PreparedRoute
  readonly request: HttpRequest
  readonly controller: object
  /** Null where the route may take as long as it likes. */
  readonly time: CallTime | null
  outcome: HttpResponse | null = null
  /** Those that filters, the method or a handler have asked for by themselves, and the token grants. */
  requiredScopes: readonly string[] = noScopes
  /** Around filters, before filters and action are over: after filters run, or an exception is being answered. */
  isAbandoned = false
  readonly #services: Services
  #ownServices: Services | null = null
  #response: ResponseHeaders | null = null
  #uploads: Uploads | null = null
  #isReleased = false
  #body: MaybePromise<ParsedBody> | null = null
  #hasQuery: boolean | null = null

  constructor(
    prepared: PreparedRoute,
    request: HttpRequest,
    services: Services,
    time: CallTime | null = null,
  ) {
    this.prepared = prepared
    this.time = time
    this.request = request
    this.#services = services
    this.controller = prepared.route.create()
    attach(this.controller, this)
  }

  /** Made when the route asks for them, as the folder of uploads is. */
  get response(): ResponseHeaders {
    this.#response ??= new ResponseHeaders()
    return this.#response
  }

  /** `outcome` with the headers that were collected. */
  completed(outcome: HttpResponse): HttpResponse {
    return this.#response === null ? outcome : this.#response.complete(outcome)
  }

  get uploads(): Uploads {
    if (this.#uploads !== null) return this.#uploads
    const made = new Uploads()
    if (this.#isReleased) void made.release()
    this.#uploads = made
    return made
  }

  get hasUploads(): boolean {
    return this.#uploads !== null && !this.#uploads.isEmpty
  }

  /** See `Uploads.release`. */
  releaseUploads(): MaybePromise<void> {
    this.#isReleased = true
    return this.#uploads?.release()
  }

  get hasQuery(): boolean {
    this.#hasQuery ??= this.request.url.includes('?')
    return this.#hasQuery
  }

  get json(): JsonArguments | null {
    return toolCallOf(this.request)?.json ?? null
  }

  /** Those of one request know whose its token is; made when the route asks. */
  get services(): Services {
    this.#ownServices ??= this.prepared.access?.servicesOf(this.request) ?? this.#services
    return this.#ownServices
  }

  get access(): Access | null {
    const { access } = this.prepared
    return access === null ? accessWithoutLookUp(this.request) : access.accessTo(this.request)
  }

  requireScopes(names: readonly string[]): void {
    if (this.prepared.access === null) throw notLookedUp()
    this.prepared.access.require(this.request, names)
    this.requiredScopes = [...this.requiredScopes, ...names]
  }

  get idempotency(): IdempotentCall {
    const call = keyedCalls.get(this.request)
    if (call === undefined) throw new Error(`${this.prepared.route.id} has no @idempotencyKey`)
    return call
  }

  get isBodyRead(): boolean {
    return this.#body !== null || this.request.body.kind === 'value'
  }

  parsedBody(): MaybePromise<ParsedBody> {
    this.#body ??= this.#parseBody()
    return this.#body
  }

  /** What fails is kept too, as a promise: the next reader gets the same. */
  #parseBody(): MaybePromise<ParsedBody> {
    try {
      return parseBody(this.request, this.prepared.formats, this)
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
