/** The application's routes, each resolved once into what serves its requests and its tool calls. */
import type { FastifyInstance } from 'fastify'
import type { AppBundle } from '../contract/bundle.ts'
import type { Endpoint, Guard, HttpRequest, HttpResponse, MaybePromise, RunGuards } from '../contract/http.ts'
import type { Route, RouteCodec } from '../contract/route.ts'
import type { Logger, Services } from '../contract/store.ts'
import { ProblemError } from '../errors.ts'
import type { AccessControl } from '../http/access/access-control.ts'
import type { RouteLimits } from '../http/limits/route-limits.ts'
import type { Difference } from '../http/output/declared-json.ts'
import type { Formats } from '../http/output/formats.ts'
import type { RoutePart } from '../http/part.ts'
import { beforeMethod } from '../http/pipeline/before-method.ts'
import { toolCallOf } from '../http/pipeline/controller.ts'
import { jsonResponse } from '../http/pipeline/error-handler.ts'
import { refusalBy } from '../http/pipeline/guards.ts'
import { isForMcpClient } from '../http/pipeline/handlers.ts'
import { type AnswerOptions, prepareRoute } from '../http/pipeline/prepare/prepare-route.ts'
import { entityTagged } from '../http/pipeline/prepare/wrappers.ts'
import type { RouteWrapper } from '../http/pipeline/request-context.ts'
import { injectCall } from '../http/plugins/inject.ts'
import { lacksVariable, type PinnedRoute, pinnedRoute } from '../http/plugins/pinned-route.ts'
import { shapeOfPath } from '../http/probes/built-in-addresses.ts'
import { acceptingUpgrade } from '../http/websocket/websocket.ts'
import { BootError } from './boot-error.ts'

export type RunRoute = (routeId: string, request: HttpRequest) => Promise<HttpResponse>

/** A route as the server and the tools take it; the guards are the upgrade's to ask, else `handle` asks them. */
interface RouteHandle extends Pick<Endpoint, 'handle' | 'guards'> {
  /** The answer of the first guard that refuses, or null; counts nothing. */
  readonly refuse: (request: HttpRequest) => MaybePromise<HttpResponse | null>
}

interface RouteDependencies {
  readonly services: Services
  readonly baseUrl: string
  readonly formats: Formats
  readonly access: AccessControl
  readonly limits: RouteLimits
  readonly log: Logger
  readonly answers: Pick<AnswerOptions, 'answers' | 'secrets'>
  readonly isProduction: boolean
  readonly parts: readonly RoutePart[]
}

/** What runs each route, resolved once; an unhandled exception is thrown or rejected. */
export function routeHandles(
  bundle: AppBundle,
  { services, baseUrl, formats, access, limits, log, ...dependencies }: RouteDependencies,
): ReadonlyMap<string, RouteHandle> {
  const answers = { ...dependencies.answers, tell: dependencies.isProduction ? null : tellingOnce(log) }
  const codecs = new Map(Object.entries(bundle.codecs))
  const resources = new Set(bundle.catalogue.resources?.map(({ route }) => route))
  return new Map(
    bundle.routes.map((route) => {
      const { id, websocket } = route
      const wrappers: readonly RouteWrapper[] = [
        ...(resources.has(id) ? [entityTagged] : []),
        ...(websocket ? [acceptingUpgrade(log, access)] : []),
        ...wrappersOf(bundle, route, dependencies.parts),
      ]
      const settings = { baseUrl, formats, access, limits, wrappers, answers }
      const { run, guards, permits } = prepareRoute(route, codecs.get(id), settings)
      const handle: RouteHandle = {
        handle: (request) => run(request, services, null),
        refuse: (request) => refusalBy(permits, request),
      }
      return [id, websocket ? { ...handle, guards: watched(guards, route, dependencies.parts) } : handle]
    }),
  )
}

const watched = (guards: readonly Guard[], route: Route, parts: readonly RoutePart[]): readonly Guard[] =>
  parts.reduce((watched, { watchGuards }) => watchGuards?.(route, watched) ?? watched, guards)

/** What parts of the server do around the method, and what they ask of the store before it. */
function wrappersOf(
  { codecs, catalogue }: AppBundle,
  route: Route,
  parts: readonly RoutePart[],
): readonly RouteWrapper[] {
  const codec = codecs[route.id]
  if (codec === undefined) return []
  const facts = { route, codec, tools: catalogue.tools.filter((tool) => tool.route === route.id) }
  const questions = parts.flatMap(({ question }) => question?.(facts) ?? [])
  return [
    ...(questions.length === 0 ? [] : beforeMethod(questions)),
    ...parts.flatMap(({ wrap }) => wrap?.(facts) ?? []),
  ]
}

/** Of one route; the first are what its author must know. */
const maxDifferences = 10

/** Logs where answers differ from their types, each place once. */
function tellingOnce(log: Logger): NonNullable<AnswerOptions['tell']> {
  const known = new Map<string, Set<string>>()
  return (route, { kind, path }) => {
    const places = known.get(route) ?? new Set()
    known.set(route, places)
    const place = `${kind} ${path}`
    if (places.size >= maxDifferences || places.has(place)) return
    places.add(place)
    log.warn({ route, path }, differences[kind])
  }
}

const differences: Readonly<Record<Difference['kind'], string>> = {
  undeclared: 'left out of the answer: its type does not declare it',
  missing: 'the answer lacks what its type promises',
  other: 'the answer is not of its type here',
}

/** An exception for the MCP client is handed over to the tool call, which has no use for the outcome; null = any other. */
export function raised(error: unknown, request: HttpRequest): HttpResponse | null {
  const call = toolCallOf(request)
  if (call === null || !(error instanceof ProblemError || isForMcpClient(error, request))) return null
  call.raise(error)
  return { status: 500, headers: {}, body: null }
}

/** Unhandled exceptions are answered as those of an HTTP request. */
export function runnerOf(
  handles: ReadonlyMap<string, RouteHandle>,
  onError: (error: unknown, request: HttpRequest) => HttpResponse,
): RunRoute {
  return async (routeId, request) => {
    const found = handles.get(routeId)
    if (found === undefined) throw new Error(`there is no route ${routeId}`)
    try {
      return await found.handle(request)
    } catch (error) {
      return onError(error, request)
    }
  }
}

/** Runs the guards of a route that is served, and nothing else. */
export const guardRunner =
  (handles: ReadonlyMap<string, RouteHandle>): RunGuards =>
  (routeId, request) =>
    handles.get(routeId)?.refuse(request) ?? null

interface EndpointSettings {
  readonly hasPlugins: boolean
  /** In lower case: what of it a route reads, its answers differ by. */
  readonly forwardHeaders: readonly string[]
}

/** What they throw is the server's to answer. */
export function routeEndpoints(
  bundle: AppBundle,
  handles: ReadonlyMap<string, RouteHandle>,
  { hasPlugins, forwardHeaders }: EndpointSettings,
): Endpoint[] {
  return bundle.routes.flatMap(
    ({ id, verb, path: written, websocket, mcpOnly = false, answersSecrets = false }) => {
      const found = handles.get(id)
      const path = decodedPath(written)
      if (found === undefined || (mcpOnly && !hasPlugins)) return []
      if (mcpOnly)
        return [{ routeId: id, methods: [verb], path, websocket, handle: forMcpOnly(found.handle) }]
      const { refuse: _refuse, ...served } = found
      const read = headersRead(bundle.codecs[id], forwardHeaders)
      const vary = answersSecrets ? [...new Set([...read, 'authorization', 'cookie'])] : read
      const own = { routeId: id, methods: [verb], path, websocket, ...(vary.length === 0 ? {} : { vary }) }
      return [{ ...own, ...served }]
    },
  )
}

/** The router compares literals decoded; the build has refused what it would not (`cli/compiler/read/jsdoc/route-path.ts`). */
const decodedPath = (path: string): string => (path.includes('%') ? decodeURI(path) : path)

/** Which of these headers (lower case) a route, its filters and its handlers read. */
function headersRead(codec: RouteCodec | undefined, names: readonly string[]): readonly string[] {
  if (codec === undefined || names.length === 0) return []
  const decoders = [codec.params, ...codec.filters, ...codec.handlers].flat()
  const read = new Set(decoders.filter(({ from }) => from === 'header').map(({ name }) => name.toLowerCase()))
  return names.filter((name) => read.has(name))
}

/** Behind plugins it has an address of Fastify, so that hooks run for it too; over HTTP there is nothing. */
const forMcpOnly =
  (handle: Endpoint['handle']): Endpoint['handle'] =>
  (request) =>
    toolCallOf(request) === null ? jsonResponse(404, { error: 'not found' }) : handle(request)

export interface ToolInvoker {
  readonly invoke: RunRoute
  connect(server: FastifyInstance): void
}

/** Tool calls run the route directly; behind plugins (`host` is then given) they go through Fastify's routing, so that no
 *  hook is skipped, pinned to their own route (house.md, The runtime). */
export function toolInvoker(bundle: AppBundle, run: RunRoute, host: string | null): ToolInvoker {
  let server: FastifyInstance | null = null
  const pins = host === null ? noPins : pinsOf(bundle)
  return {
    invoke: (routeId, request) => {
      const pin = pins.get(routeId)
      if (host === null || server === null || pin === undefined) return run(routeId, request)
      return lacksVariable(pin, request) ? run(routeId, request) : injectCall(server, { request, pin, host })
    },
    connect: (to) => {
      server = to
    },
  }
}

const noPins: ReadonlyMap<string, PinnedRoute> = new Map()

const pinsOf = (bundle: AppBundle): ReadonlyMap<string, PinnedRoute> =>
  new Map(bundle.routes.map((route) => [route.id, pinnedRoute(route, bundle)]))

/** Both. Throws `BootError` in one line where a route is at an address of `builtIn`: Fastify would refuse it. */
export function withBuiltInEndpoints(
  routes: readonly Endpoint[],
  builtIn: readonly Endpoint[],
): readonly Endpoint[] {
  const taken = new Map(
    builtIn.flatMap((endpoint) => keysOf(endpoint).map((key) => [key, endpoint] as const)),
  )
  for (const route of routes) {
    const other = keysOf(route).flatMap((key) => taken.get(key) ?? [])[0]
    if (other === undefined) continue
    const { methods, path, routeId = path } = route
    throw new BootError(
      `${methods.join(', ')} ${path} of ${routeId} is an address of the authorization server (${other.methods.join(', ')} ${other.path}): change its path`,
    )
  }
  return [...routes, ...builtIn]
}

const keysOf = ({ methods, path }: Endpoint): readonly string[] =>
  methods.map((method) => `${method} ${shapeOfPath(path)}`)
