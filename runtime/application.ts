/** Composes one Fastify instance from a bundle and its surroundings: API, authorization server, MCP endpoint.
 *  Clock and randomness are arguments. */
import type { FastifyInstance } from 'fastify'
import { BootError } from './boot-error.ts'
import { ConfigError, type ResolvedConfig, resolveConfig } from './config.ts'
import type {
  AppBundle,
  Clock,
  Endpoint,
  HttpRequest,
  Logger,
  Outcome,
  RandomBytes,
  Services,
} from './contract.ts'
import type { Environment } from './environment.ts'
import { type ErrorHandlerOptions, unhandledOutcome } from './http/error-handler.ts'
import { invoke, isForMcpClient, type PreparedRoute, prepareRoute } from './http/invoke.ts'
import { createServer } from './http/server.ts'
import type { SessionOptions } from './http/session.ts'
import { createMcpEndpoint, type McpEndpoint } from './mcp/endpoint.ts'
import { createAuthorizationServer } from './oauth/server.ts'
import { openStore } from './store/open.ts'
import { type Store, StoreBehind, StoreBusy } from './store/store.ts'

export interface Surroundings {
  readonly environment: Environment
  /** Whether pending migrations are applied; otherwise a store that is behind is refused. */
  readonly migrate: boolean
  /** Milliseconds since the epoch. */
  readonly clock: Clock
  readonly randomBytes: RandomBytes
}

export interface Application {
  readonly server: FastifyInstance
  readonly store: Store
  readonly mcpPath: string
  /** Tells every MCP client that listens that the list of tools has changed. */
  readonly toolsChanged: () => void
  /** Runs a route as HTTP and tool calls do, unhandled exceptions included. */
  readonly invoke: (routeId: string, request: HttpRequest) => Promise<Outcome>
  readonly close: () => Promise<void>
}

/** Builds everything; nothing listens yet. Throws `BootError`; the store is closed again when a later step fails. */
export async function createApplication(bundle: AppBundle, surroundings: Surroundings): Promise<Application> {
  const config = readConfig(bundle.config)
  const errors = errorMode(config, surroundings.environment)
  const store = await openStore({
    url: surroundings.environment.databaseUrl,
    clock: surroundings.clock,
    migrations: config.migrations,
    migrate: surroundings.migrate ? 'apply' : 'refuse',
  }).catch((error: unknown) => {
    throw error instanceof StoreBehind ? new BootError(error.message) : error
  })
  try {
    return await compose({ bundle, config, errors, store, surroundings })
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Parts {
  readonly bundle: AppBundle
  readonly config: ResolvedConfig
  readonly errors: Pick<ErrorHandlerOptions, 'production' | 'keepHeaders'>
  readonly store: Store
  readonly surroundings: Surroundings
}

async function compose({ bundle, config, errors, store, surroundings }: Parts): Promise<Application> {
  const { environment, clock, randomBytes } = surroundings
  const { baseUrl, jwtSecrets, devLogin } = environment
  const log = lateLogger()
  const { providers } = config
  const authorization = createAuthorizationServer({
    baseUrl,
    store,
    jwtSecrets,
    clock,
    randomBytes,
    devLogin,
    providers,
    log,
  })
  const services = { database: store.database, userOfAccessToken: authorization.userOfAccessToken, clock }
  const onError = (error: unknown, request: HttpRequest): Outcome =>
    unhandledOutcome(error, request, { ...errors, log, isBusy })
  const run = routeRunner(bundle, services, onError)
  const mcp = mcpEndpoint(bundle, config, { ...surroundings, log, run })
  const server = await createServer({
    endpoints: [...routeEndpoints(bundle, run), ...authorization.endpoints, ...mcp.endpoints],
    session: sessionOptions(config, environment, { store, clock }),
    bodyLimitBytes: config.bodyLimitBytes,
    log: { level: environment.logLevel, ...config.log },
    onError,
  })
  log.connect(server.log)
  const close = (): Promise<void> => {
    mcp.close()
    return closeAll(server, store)
  }
  return { server, store, mcpPath: config.mcp.path, toolsChanged: mcp.toolsChanged, invoke: run, close }
}

function sessionOptions(
  config: ResolvedConfig,
  { baseUrl, sessionSecrets }: Environment,
  kept: { readonly store: Store; readonly clock: Clock },
): SessionOptions {
  const secure = baseUrl.startsWith('https:')
  const cookieName = config.cookieName ?? (secure ? '__Host-acmcp_session' : 'acmcp_session')
  return { cookieName, secrets: sessionSecrets, secure, ...kept }
}

async function closeAll(server: FastifyInstance, store: Store): Promise<void> {
  const force = setTimeout(() => server.server.closeAllConnections(), closeGraceMs).unref()
  await server.close()
  clearTimeout(force)
  await store.close()
}

/** The development page must never run in production. */
function errorMode(
  { errors }: ResolvedConfig,
  environment: Environment,
): Pick<ErrorHandlerOptions, 'production' | 'keepHeaders'> {
  if (environment.production && errors.production === false) {
    throw new BootError('errors.production: false shows exceptions to everybody: it is refused in production')
  }
  return { production: errors.production ?? environment.production, keepHeaders: errors.keepHeaders }
}

/** How long requests under way may take when the server closes. */
const closeGraceMs = 10_000

function readConfig(exported: unknown): ResolvedConfig {
  try {
    return resolveConfig(exported)
  } catch (error) {
    if (error instanceof ConfigError) throw new BootError(error.message)
    throw error
  }
}

const isBusy = (error: unknown): boolean => error instanceof StoreBusy

type RunRoute = (routeId: string, request: HttpRequest) => Promise<Outcome>

function routeRunner(
  bundle: AppBundle,
  services: Services,
  onError: (error: unknown, request: HttpRequest) => Outcome,
): RunRoute {
  const codecs = new Map(Object.entries(bundle.codecs))
  const prepared = new Map<string, PreparedRoute>(
    bundle.routes.map((route) => [route.id, prepareRoute(route, codecs.get(route.id))]),
  )
  return async (routeId, request) => {
    const route = prepared.get(routeId)
    if (route === undefined) throw new Error(`there is no route ${routeId}`)
    return invoke(route, request, services).catch((error: unknown) => {
      if (isForMcpClient(error, request)) throw error
      return onError(error, request)
    })
  }
}

function routeEndpoints(bundle: AppBundle, run: RunRoute): Endpoint[] {
  return bundle.routes.map((route) => ({
    methods: [route.verb],
    path: route.path,
    handle: (request) => run(route.id, request),
  }))
}

interface McpSurroundings extends Surroundings {
  readonly log: Logger
  readonly run: RunRoute
}

function mcpEndpoint(bundle: AppBundle, config: ResolvedConfig, around: McpSurroundings): McpEndpoint {
  const { baseUrl, production } = around.environment
  const { resourceMetadata, authenticator, allowedOrigins, answerCharsOf, ...mcp } = config.mcp
  try {
    return createMcpEndpoint({
      ...mcp,
      ...config.toolLimits,
      answerCharsOf: new Map(Object.entries(answerCharsOf)),
      isSdkOnly: false,
      stateSecrets: around.environment.sessionSecrets,
      serverVersion: '1',
      baseUrl,
      catalogue: bundle.catalogue,
      routes: new Map(bundle.routes.map((route) => [route.id, route])),
      invoke: around.run,
      authenticator: authenticator ?? null,
      resourceMetadata: resourceMetadata ? (request) => resourceMetadata(request, { baseUrl }) : null,
      allowedOrigins: allowedOrigins ?? defaultOrigins(around.environment),
      allowedHosts: hostsOf(around.environment),
      clock: around.clock,
      every: (ms, run) => {
        const timer = setInterval(run, ms).unref()
        return () => clearInterval(timer)
      },
      log: around.log,
      production,
    })
  } catch (error) {
    // it refuses settings only: a probe or a tool that names no route
    throw new BootError(error instanceof Error ? error.message : String(error))
  }
}

/** The base URL's own origin, and its loopback spellings in development (decisions.md, origins). */
function defaultOrigins({ baseUrl, production }: Environment): readonly string[] {
  const { origin, port } = new URL(baseUrl)
  if (production) return [origin]
  return [origin, `http://localhost:${port}`, `http://127.0.0.1:${port}`, `http://[::1]:${port}`]
}

/** A server on loopback is only asked under a loopback name: another one is a name that was rebound to it. */
function hostsOf({ baseUrl }: Environment): readonly string[] | null {
  const loopback = ['localhost', '127.0.0.1', '[::1]']
  return loopback.includes(new URL(baseUrl).hostname) ? loopback : null
}

interface LateLogger extends Logger {
  connect(target: Logger): void
}

/** The endpoints are made before the server whose log they write to. */
function lateLogger(): LateLogger {
  const early: [keyof Logger, Readonly<Record<string, unknown>>, string][] = []
  let target: Logger | null = null
  const write =
    (level: keyof Logger) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void => {
      if (target === null) early.push([level, fields, message])
      else target[level](fields, message)
    }
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    connect: (to) => {
      target = to
      for (const [level, fields, message] of early) to[level](fields, message)
    },
  }
}
