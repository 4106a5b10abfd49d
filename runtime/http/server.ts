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
import { leaveBodiesUnread, sendOutcome, toHttpRequest } from './mount.ts'
import { negotiate } from './negotiate.ts'
import { registerSessions, type SessionOptions } from './session.ts'

export interface ServerOptions {
  readonly endpoints: readonly Endpoint[]
  readonly session: SessionOptions
  readonly bodyLimitBytes: number
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
  refuseOtherMethods(app, options.endpoints)
  app.setNotFoundHandler((request, reply) =>
    sendOutcome(reply, plainError(404, 'not found', request.headers.accept)),
  )
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error.statusCode ?? 500
    if (status < 500) return sendOutcome(reply, jsonOutcome(status, { error: error.message }))
    return sendOutcome(reply, options.onError(error, toHttpRequest(request, reply, options.bodyLimitBytes)))
  })
  return app
}

function fastifyOptions(options: ServerOptions): FastifyServerOptions {
  return {
    logger: logOptions(options.log),
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    frameworkErrors: (error, _request, reply) => {
      void sendOutcome(reply, jsonOutcome(error.statusCode ?? 400, { error: error.message }))
    },
  }
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
      const outcome = await endpoint
        .handle(httpRequest)
        .catch((error: unknown) => options.onError(error, httpRequest))
      return sendOutcome(reply, outcome)
    },
  })
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** A known path under another method is 405 with `Allow` (decisions.md, 404 / 405). */
function refuseOtherMethods(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const known = new Map<string, Set<string>>()
  for (const endpoint of endpoints) {
    const shape = endpoint.path.replace(/(.)\/$/, '$1')
    const methods = known.get(shape) ?? new Set<string>()
    for (const method of withHead(endpoint.methods)) methods.add(method)
    known.set(shape, methods)
  }
  for (const [url, methods] of known) {
    const others = allMethods.filter((method) => !methods.has(method))
    if (others.length === 0) continue
    const allow = [...methods].sort().join(', ')
    app.route({
      method: others,
      url,
      handler: (request, reply) =>
        sendOutcome(
          reply.header('allow', allow),
          plainError(405, 'method not allowed', request.headers.accept),
        ),
    })
  }
}

/** JSON where JSON is acceptable, else plain text. */
function plainError(status: number, error: string, accept: string | undefined): Outcome {
  if (negotiate(accept ?? null, ['application/json']) !== null) return jsonOutcome(status, { error })
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: error }
}
