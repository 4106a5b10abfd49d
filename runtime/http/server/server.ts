/** Builds the Fastify instance: plugins, routes, fixed endpoints, 404 and 405, errors of the transport, request log. */
import type { Server } from 'node:http'
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type { HttpLimits, PluginEntry, TrustedProxies } from '../../contract/application.ts'
import type { WatchRequest } from '../../contract/calls.ts'
import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import { type LogLine, type LogSettings, logOptions, logRequests } from '../log/log.ts'
import { echoRequestIds, type RequestIdOf } from '../log/request-ids.ts'
import { watchedOf, watchRequestsOf } from '../log/watched-requests.ts'
import { addStrictTransportSecurity } from '../output/security-headers.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'
import { restoreDefaultCaching, withholdDefaultCaching } from '../plugins/default-caching.ts'
import { receiveInjectedCalls, routeConfig } from '../plugins/inject.ts'
import { disableBodyParsing, mountAfterPlugins, registerPlugins } from '../plugins/plugins.ts'
import { refuseTakenRoutes } from '../plugins/taken-routes.ts'
import { answerProbesFirst, isProbeFor, mayHideProbes, type Probes } from '../probes/probes.ts'
import { keepsCookies } from '../session/call-session.ts'
import { createSessions } from '../session/session.ts'
import type { SessionOptions } from '../session/session-library.ts'
import {
  mountWebsocket,
  refuseUpgradesAt,
  registerWebsockets,
  WebsocketMessage,
} from '../websocket/websocket.ts'
import { rememberAddresses, trustIn } from './client-address.ts'
import { watchClosing } from './close.ts'
import { corsHeadersFinder, readableRoute } from './cors-refusals.ts'
import { guardErrorHandlers, setErrorHandler } from './failed-requests.ts'
import { type MountOptions, toFastifyHandler } from './fastify-adapter.ts'
import { clientErrorHandler, handleExpectHeader, limitOptions } from './limits.ts'
import { collectFallback, setNotFoundHandler, type Unclaimed } from './not-found.ts'
import { type AllowedSources, sourceTest } from './origins.ts'
import { guardPluginRoutes } from './own-host.ts'
import { mountRefusal } from './refused-targets.ts'
import { rewriteTarget, showSentTargets } from './request-target.ts'
import { groupByPath, singleRoute } from './route-groups.ts'
import { sendResponse } from './send.ts'

export interface ServerOptions {
  /** The public address. */
  readonly baseUrl: string
  /** From where a WebSocket may be opened. */
  readonly sources: AllowedSources
  /** Names of response headers that survive when the answer to an unhandled exception is reset. */
  readonly keepHeaders: readonly string[]
  readonly endpoints: readonly Endpoint[]
  /** Answers a browser at `/` where nothing else does; null = as everywhere. */
  readonly rootPage: Endpoint | null
  /** How the server is. */
  readonly probes: Probes
  /** Each answers at its path where nothing else does. */
  readonly docs: readonly Endpoint[]
  /** Host names under which routes of plugins are served; null = any. The endpoints check it themselves. */
  readonly ownHosts: readonly string[] | null
  readonly session: SessionOptions
  readonly limits: HttpLimits
  /** Which proxies' `X-Forwarded-For` is believed: how many, or their addresses; null = none. */
  readonly trustProxy: TrustedProxies | null
  /** What a request is called. */
  readonly requestIdOf: RequestIdOf
  /** Parameter names whose values never reach the log. */
  readonly log: LogSettings
  /** Watches every request; null = no watcher. */
  readonly watch: WatchRequest | null
  /** The application's own, before the routes. */
  readonly plugins: readonly PluginEntry[]
  /** Answers where nothing else does, neither a route nor a plugin; null = with 404. */
  readonly unclaimed: Unclaimed
  /** Turns what an endpoint threw into an answer. */
  readonly onError: (error: unknown, request: HttpRequest) => HttpResponse
}

/** A ready instance that is not listening yet. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const refused = (status: number): void => app.log.info({ event: 'refused', status }, 'refused')
  const app: FastifyInstance = Fastify(fastifyOptions(options, refused))
  rememberAddresses(app.server)
  showSentTargets(app)
  if (options.trustProxy !== null) echoRequestIds(app)
  if (options.plugins.length > 0) receiveInjectedCalls(app)
  watchRequestsOf(app, options.watch, {
    mask: options.log.mask,
    isProbe: (request) => isProbeFor(options.probes, request),
  })
  const log = logRequests(app, options.log)
  const mounted: MountOptions = {
    openSession: await createSessions(app, options.session),
    bodyLimitBytes: options.limits.bodyBytes,
    urlLimitBytes: options.limits.urlBytes,
    closing: watchClosing(app),
    deferLogLine: options.plugins.length === 0 ? log.defer : null,
    isHooked: options.plugins.length > 0,
    keepsCookies: keepsCookies(options.keepHeaders),
    onError: options.onError,
  }
  handleExpectHeader(app)
  addStrictTransportSecurity(app, options.baseUrl)
  if (hasWebsockets(options)) {
    await registerWebsockets(app, options.limits.bodyBytes)
    refuseUpgradesAt(app, plainPaths(options))
  }
  const mount = (routes: FastifyInstance): void => mountAll(routes, options, mounted, log.write)
  setErrorHandler(app, mounted)
  if (options.plugins.length > 0 || mayHideProbes(options.endpoints.map(({ path }) => path)))
    answerProbesFirst(app, options.probes)
  if (options.plugins.length === 0) {
    setNotFoundHandler(app, options, mounted, null)
    disableBodyParsing(app)
    mount(app)
  } else {
    guardErrorHandlers(app)
    guardPluginRoutes(app, options.endpoints, options.ownHosts)
    const refused: string[] = []
    const refuse = (reason: string): void => void refused.push(reason)
    const fallback = collectFallback(app, refuse)
    withholdDefaultCaching(app)
    const stopWatching = refuseTakenRoutes(app, options.endpoints, refuse)
    await registerPlugins(app, options.plugins, refused)
    stopWatching()
    restoreDefaultCaching(app)
    setNotFoundHandler(app, options, mounted, fallback())
    await mountAfterPlugins(app, mount)
  }
  return app
}

function fastifyOptions(
  options: ServerOptions,
  refused: (status: number) => void,
): FastifyHttpOptions<Server> {
  const { http, ...limits } = limitOptions(options.limits)
  return {
    ...limits,
    http: hasWebsockets(options) ? { ...http, IncomingMessage: WebsocketMessage } : (http ?? {}),
    logger: logOptions(options.log),
    ...(options.plugins.length === 0 ? withoutSchemas : {}),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: options.requestIdOf,
    exposeHeadRoutes: false,
    return503OnClosing: false, // a request on a connection that was taken is answered
    rewriteUrl: rewriteTarget,
    trustProxy: options.trustProxy === null ? false : trustIn(options.trustProxy),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    clientErrorHandler: clientErrorHandler(options.limits, refused, corsHeadersFinder(options.endpoints)),
    frameworkErrors: (error, _request, reply) => {
      // the library's message repeats the address, secrets included
      sendResponse(reply as FastifyReply, jsonResponse(error.statusCode ?? 400, { error: 'bad request' })) // of any schema
    },
  }
}

/** Only routes of plugins have schemas: without plugins the libraries that compile them are not loaded. */
const withoutSchemas: Pick<FastifyHttpOptions<Server>, 'schemaController'> = {
  schemaController: {
    compilersFactory: { buildValidator: () => noSchema, buildSerializer: () => noSchema },
  },
}

function noSchema(): never {
  throw new Error('a route of ours has no schema')
}

const isWebsocket = ({ websocket }: Endpoint): boolean => websocket === true
const hasWebsockets = ({ endpoints }: ServerOptions): boolean => endpoints.some(isWebsocket)

function plainPaths({ endpoints }: ServerOptions): readonly string[] {
  const opening = new Set(endpoints.filter(isWebsocket).map(({ path }) => path))
  return endpoints.map(({ path }) => path).filter((path) => !opening.has(path))
}

function mountAll(app: FastifyInstance, options: ServerOptions, mounted: MountOptions, log: LogLine): void {
  const accepted = (request: FastifyRequest, reply: FastifyReply): void => {
    log(request, reply, 101)
    watchedOf(request)?.ended({ status: 101, isComplete: true })
  }
  const foreignSource = sourceTest(options.sources)
  for (const endpoint of options.endpoints.filter(isWebsocket)) {
    mountWebsocket(app, endpoint, {
      ...mounted,
      foreignSource,
      accepted,
    })
  }
  const plain = options.endpoints.filter((endpoint) => !isWebsocket(endpoint))
  addHttpMethods(app, plain)
  mountRefusal(app, mounted.isHooked)
  // hooks of plugins see routes as they were written
  const groups = mounted.isHooked ? plain.map(singleRoute) : groupByPath(plain)
  for (const { url, endpoints } of groups) {
    const [first] = endpoints.values()
    const readable = mounted.isHooked ? readableRoute(first ?? {}) : { config: {} }
    const config = { ...routeConfig(first?.routeId), ...ofOwnCors(first), ...readable.config }
    const handler = toFastifyHandler(endpoints, mounted)
    app.route({ ...readable, method: [...endpoints.keys()], url, config, handler })
  }
}

/** An endpoint of ours that answers preflights names itself the origins that may read it: @fastify/cors leaves such a route alone. */
const ofOwnCors = (endpoint: Endpoint | undefined): object =>
  endpoint?.routeId === undefined && endpoint?.methods.includes('OPTIONS') === true ? { cors: false } : {}

/** Methods of endpoints that Fastify does not route by itself. */
function addHttpMethods(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const known = new Set(app.supportedMethods)
  const odd = new Set(endpoints.flatMap(({ methods }) => methods).filter((method) => !known.has(method)))
  for (const method of odd) app.addHttpMethod(method)
}
