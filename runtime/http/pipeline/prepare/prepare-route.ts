/** What of a route does not depend on a request. */
import type { HttpRequest } from '../../../contract/http.ts'
import type { ParamDecoder, Route, RouteCodec } from '../../../contract/route.ts'
import type { AccessControl } from '../../access/access-control.ts'
import type { RouteAccess } from '../../access/route-access.ts'
import { argumentReaders } from '../../input/params.ts'
import type { RouteLimits } from '../../limits/route-limits.ts'
import type { Audience, WriterSettings } from '../../output/answer-writers.ts'
import type { Difference } from '../../output/declared-json.ts'
import { type Formats, withoutFiles } from '../../output/formats.ts'
import { prepareFilters } from '../filters.ts'
import { ForwardedRequest } from '../forwarded-request.ts'
import { guardsOf } from '../guards.ts'
import { prepareHandlers, writersFor } from '../handlers.ts'
import { runAround, runRoute, runUnlessRefused } from '../invoke.ts'
import { callHandler } from '../method-answer.ts'
import { type PreparedRoute, RequestContext, type RouteWrapper } from '../request-context.ts'
import { answerGuardError, answerTooMany } from '../rescue.ts'
import { endingWithToken, releasingUploads, withinTime, wrapped } from './wrappers.ts'

export interface RouteSettings {
  readonly baseUrl: string
  readonly formats: Formats
  /** Null = no route asks for a scope. */
  readonly access?: AccessControl | null
  /** Null = no route has a limit or a time. */
  readonly limits?: RouteLimits | null
  /** Those of the endpoint that serves it, outside our own. */
  readonly wrappers?: readonly RouteWrapper[]
  readonly answers?: AnswerOptions
}

/** What of an answer leaves, as the application configures it. */
export interface AnswerOptions {
  readonly answers: WriterSettings['answers']
  /** `delegated`: properties that are `@secret` are left out for tokens that were issued here too, not at the MCP endpoint alone. */
  readonly secrets: 'delegated' | 'tools'
  /** Told of differences between an answer of a route and its type; null in production. */
  readonly tell: ((routeId: string, difference: Difference) => void) | null
}

const declaredAnswers: AnswerOptions = { answers: 'declared', secrets: 'delegated', tell: null }

/** Resolves what does not depend on a request. Throws when the bundle's decoders do not fit the route table. */
export function prepareRoute(
  route: Route,
  codec: RouteCodec | undefined,
  {
    baseUrl,
    formats,
    access: control = null,
    limits = null,
    wrappers = [],
    answers = declaredAnswers,
  }: RouteSettings,
): PreparedRoute {
  if (codec === undefined || codec.filters.length !== route.filters.length) {
    throw new Error(`the bundle has no decoders for ${route.id}: run acmcp build`)
  }
  const isCounted = limits !== null && limits.limitOf(route) !== null
  const access = control?.ofRoute(route, isCounted) ?? null
  if (access === null && route.scope !== undefined) throw new Error(`${route.id}: nothing guards its scopes`)
  const guard =
    access?.guard((error, request, services) =>
      answerGuardError(new RequestContext(prepared, request, services), error),
    ) ?? null
  const limit =
    limits?.guard(route, access, (error, request, services) =>
      answerTooMany(new RequestContext(prepared, request, services), error),
    ) ?? null
  const time = limits?.timeOf(route) ?? null
  const written = answerSettings(route, access, answers)
  const takesFiles = [codec.params, ...codec.filters].some(takesFile)
  const own = [
    time === null ? null : withinTime(time),
    control === null ? null : endingWithToken(control),
    takesFiles ? releasingUploads : null,
  ].filter((wrapper) => wrapper !== null)
  const guards = guardsOf(route, baseUrl, { limit, access: guard })
  // an upgrade runs the guards before it looks at the handshake
  const run = route.websocket || guards.length === 0 ? runRoute : runUnlessRefused
  const prepared: PreparedRoute = {
    route,
    guards,
    permits: guardsOf(route, baseUrl, { limit: null, access: guard }),
    access,
    ...wrapped([...wrappers, ...own], {
      run: (request, services, left) => run(prepared, request, services, left),
      runFilters: (context) => runAround(context),
      callMethod: ({ controller }, args) => route.call(controller, args),
      callHandler,
    }),
    filters: prepareFilters(route, codec),
    params: argumentReaders(codec.params, route.checks),
    handlers: prepareHandlers(route, codec, { formats, answers: written }),
    readsBody: codec.params.some((param) => param.from === 'body' || param.from === 'field'),
    formats: consumed(route, takesFiles ? formats : withoutFiles(formats)),
    writers: writersFor(codec.answers, written),
    negotiates: route.produces === null,
    fixedType: route.produces === ownType ? null : route.produces,
  }
  return prepared
}

/** Requests made for an MCP client are those that are given in place of its own. */
function answerSettings(
  route: Route,
  access: RouteAccess | null,
  { answers, secrets, tell }: AnswerOptions,
): WriterSettings {
  const { answersSecrets = false, answersUntrusted = false, withholds = false } = route
  const asksToken = answersSecrets && secrets === 'delegated'
  const audienceOf = (request: HttpRequest): Audience => {
    if (request instanceof ForwardedRequest) return 'mcp'
    return asksToken && access?.isDelegated(request) === true ? 'delegated' : 'all'
  }
  return {
    answers,
    withholds,
    audienceOf: answersSecrets || answersUntrusted ? audienceOf : (): Audience => 'all',
    tell: tell === null ? null : (difference): void => tell(route.id, difference),
  }
}

/** Of what is read what the route takes; a body without `Content-Type` is JSON all the same, as a tool call's is. */
function consumed({ id, consumes }: Route, formats: Formats): Formats {
  if (consumes === undefined) return formats
  const unknown = consumes.find((type) => !formats.parsers.has(type))
  if (unknown !== undefined) throw new Error(`${id}: nothing reads ${unknown}, which its @consumes names`)
  const parsers = new Map([...formats.parsers].filter(([type]) => consumes.includes(type)))
  return { ...formats, parsers, bodyTypes: [...parsers.keys()] }
}

/** Files travel as fields of their own (language.md, Parameters). */
const takesFile = (decoders: readonly ParamDecoder[]): boolean =>
  decoders.some(({ from, codec }) => from === 'field' && /\bUploadedFile\b/.test(codec.restriction))

/** `Route.produces` where the answer names its own type. */
const ownType = '*/*'
