/** Builds the Fastify instance: sessions, routes, fixed endpoints, 404 and 405, errors of the transport, request log. */
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Endpoint, HttpRequest, Outcome } from '../contract.ts'
import { jsonOutcome } from './error-handler.ts'
import { type LogSettings, logOptions, logRequests } from './log.ts'
import { checkHeaders, leaveBodiesUnread, sendOutcome, toHttpRequest } from './mount.ts'
import { negotiate } from './negotiate.ts'
import { registerSessions, type SessionOptions } from './session.ts'

/** Proxies in front of this process: their number, or their addresses and networks. */
export type TrustedProxies = number | readonly string[]

export interface ServerOptions {
  readonly endpoints: readonly Endpoint[]
  readonly session: SessionOptions
  readonly bodyLimitBytes: number
  /** Which proxies' `X-Forwarded-For` is believed: how many, or their addresses; null = none. */
  readonly trustProxy: TrustedProxies | null
  /** Parameter names whose values never reach the log. */
  readonly log: LogSettings
  /** Turns what an endpoint threw into an answer. */
  readonly onError: (error: unknown, request: HttpRequest) => Outcome
}

/** A ready instance that is not listening yet. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = Fastify(fastifyOptions(options))
  leaveBodiesUnread(app)
  logRequests(app, options.log)
  await registerSessions(app, options.session)
  for (const endpoint of options.endpoints) mountEndpoint(app, endpoint, options)
  answerUnmatched(app, options.endpoints)
  const endpointsByPath = new Map(options.endpoints.map((endpoint) => [endpoint.path, endpoint]))
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error.statusCode ?? 500
    if (status < 500) return sendOutcome(reply, jsonOutcome(status, { error: error.message }))
    const own = endpointsByPath.get(request.routeOptions.url ?? '')?.onError?.(error) ?? null
    const outcome = own ?? options.onError(error, toHttpRequest(request, reply, options.bodyLimitBytes))
    request.session = null as never // what failed may be the session's own write: it is not tried again
    return sendOutcome(reply, outcome)
  })
  return app
}

function fastifyOptions(options: ServerOptions): FastifyServerOptions {
  return {
    logger: logOptions(options.log),
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    trustProxy: trustedProxies(options.trustProxy),
    requestTimeout: 60_000,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    frameworkErrors: (error, _request, reply) => {
      // the library's message repeats the address, secrets included
      void sendOutcome(reply, jsonOutcome(error.statusCode ?? 400, { error: 'bad request' }))
    },
  }
}

function trustedProxies(trusted: TrustedProxies | null): NonNullable<FastifyServerOptions['trustProxy']> {
  if (trusted === null) return false
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : [...trusted]
}

/** Every GET answers HEAD too. */
const withHead = (methods: readonly string[]): string[] =>
  methods.includes('GET') && !methods.includes('HEAD') ? [...methods, 'HEAD'] : [...methods]

function mountEndpoint(app: FastifyInstance, endpoint: Endpoint, options: ServerOptions): void {
  app.route({
    method: withHead(endpoint.methods),
    url: endpoint.path,
    handler: async (request, reply) => {
      const httpRequest = toHttpRequest(request, reply, options.bodyLimitBytes)
      const outcome = await Promise.resolve()
        .then(() => endpoint.handle(httpRequest))
        .then(checkHeaders)
        .catch((error: unknown) => options.onError(error, httpRequest))
      return sendOutcome(reply, outcome)
    },
  })
}

/** A known path under another method is 405 with `Allow`, any other 404 (decisions.md, 404 / 405). */
function answerUnmatched(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const known = endpoints.map(({ path, methods }) => ({
    pattern: patternOf(path),
    methods: withHead(methods),
  }))
  app.setNotFoundHandler((request, reply) => {
    const path = (request.raw.url ?? '').split('?', 1)[0] ?? ''
    const allowed = new Set(
      known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods),
    )
    const { accept } = request.headers
    if (allowed.size === 0) return sendOutcome(reply, plainError(404, 'not found', accept))
    reply.header('allow', [...allowed].sort().join(', '))
    return sendOutcome(reply, plainError(405, 'method not allowed', accept))
  })
}

/** Which addresses a route path matches, with and without the trailing slash. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.*'
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${segments.join('/').replace(/\/$/, '')}/?$`)
}

/** JSON where JSON is acceptable, else plain text. */
function plainError(status: number, error: string, accept: string | undefined): Outcome {
  if (negotiate(accept ?? null, ['application/json']) !== null) return jsonOutcome(status, { error })
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers, body: error }
}
