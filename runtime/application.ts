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
import { RequestAborted } from './errors.ts'
import { dispatch } from './http/dispatch.ts'
import { type ErrorHandlerOptions, jsonOutcome, unhandledOutcome } from './http/error-handler.ts'
import { invoke, type PreparedRoute, prepareRoute } from './http/invoke.ts'
import type { LogSettings, LogStream } from './http/log.ts'
import { maskedByDefault } from './http/mask.ts'
import { createServer } from './http/server.ts'
import type { SessionOptions } from './http/session-library.ts'
import { attempt, type Soon } from './http/soon.ts'
import { acceptingRoute } from './http/websocket.ts'
import { createMcpEndpoint } from './mcp/endpoint.ts'
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
  /** Where log lines go; default: standard output. */
  readonly logStream?: LogStream
}

export interface Application {
  readonly server: FastifyInstance
  readonly store: Store
  readonly mcpPath: string
  /** Runs a route as HTTP and tool calls do, unhandled exceptions included. */
  readonly invoke: (routeId: string, request: HttpRequest) => Soon<Outcome>
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

type ErrorMode = Pick<ErrorHandlerOptions, 'production' | 'keepHeaders' | 'mask'>

interface Parts {
  readonly bundle: AppBundle
  readonly config: ResolvedConfig
  readonly errors: ErrorMode
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
  const onError = (error: unknown, request: HttpRequest): Outcome => {
    if (error instanceof RequestAborted) return jsonOutcome(400, { error: error.message })
    return unhandledOutcome(error, request, { ...errors, log, isBusy })
  }
  const handles = routeHandles(bundle, { services, baseUrl, log }, onError)
  const way = toolCallWay(runnerOf(handles), config.plugins.length > 0 ? new URL(baseUrl).host : null)
  const mcp = mcpEndpoints(bundle, config, { ...surroundings, log, run: way.invoke })
  const server = await createServer({
    endpoints: [...routeEndpoints(bundle, handles), ...authorization.endpoints, ...mcp],
    session: sessionOptions(config, environment, { store, clock }),
    limits: config.httpLimits,
    log: logSettings(config, surroundings),
    plugins: config.plugins,
    onError,
  })
  log.connect(server.log)
  way.connect(server)
  return { server, store, mcpPath: config.mcp.path, invoke: way.invoke, close: () => closeAll(server, store) }
}

function logSettings(config: ResolvedConfig, { environment, logStream }: Surroundings): LogSettings {
  const settings = { level: environment.logLevel, ...config.log }
  return logStream === undefined ? settings : { ...settings, stream: logStream }
}

interface ToolCallWay {
  readonly invoke: (routeId: string, request: HttpRequest) => Promise<Outcome>
  connect(server: FastifyInstance): void
}

/** Tool calls run the route directly; behind plugins (`host` is then given) they go through Fastify's routing, so that no
 *  hook is skipped (house.md). */
function toolCallWay(run: RunRoute, host: string | null): ToolCallWay {
  let server: FastifyInstance | null = null
  return {
    invoke: async (routeId, request) => {
      if (host === null || server === null) return run(routeId, request)
      return dispatch(server, request, host)
    },
    connect: (to) => {
      server = to
    },
  }
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
function errorMode({ errors, log }: ResolvedConfig, environment: Environment): ErrorMode {
  if (environment.production && errors.production === false) {
    throw new BootError('errors.production: false shows exceptions to everybody: it is refused in production')
  }
  const mask = new Set([...maskedByDefault, ...log.mask])
  return { production: errors.production ?? environment.production, keepHeaders: errors.keepHeaders, mask }
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

type RunRoute = (routeId: string, request: HttpRequest) => Soon<Outcome>

type Handle = Endpoint['handle']

/** What runs each route, unhandled exceptions included; resolved once. */
function routeHandles(
  bundle: AppBundle,
  { services, baseUrl, log }: { readonly services: Services; readonly baseUrl: string; readonly log: Logger },
  onError: (error: unknown, request: HttpRequest) => Outcome,
): ReadonlyMap<string, Handle> {
  const codecs = new Map(Object.entries(bundle.codecs))
  const handleOf = (prepared: PreparedRoute): Handle => {
    return (request) =>
      attempt(
        () => invoke(prepared, request, services),
        (error) => onError(error, request),
      )
  }
  return new Map(
    bundle.routes.map((route) => {
      const ran = route.websocket ? acceptingRoute(route, log) : route
      return [route.id, handleOf(prepareRoute(ran, codecs.get(route.id), { baseUrl }))]
    }),
  )
}

function runnerOf(handles: ReadonlyMap<string, Handle>): RunRoute {
  return (routeId, request) => {
    const handle = handles.get(routeId)
    if (handle === undefined) throw new Error(`there is no route ${routeId}`)
    return handle(request)
  }
}

function routeEndpoints(bundle: AppBundle, handles: ReadonlyMap<string, Handle>): Endpoint[] {
  return bundle.routes.flatMap(({ id, verb, path, websocket, requiresTls }) => {
    const handle = handles.get(id)
    return handle === undefined ? [] : [{ methods: [verb], path, handle, websocket, requiresTls }]
  })
}

interface McpSurroundings extends Surroundings {
  readonly log: Logger
  readonly run: ToolCallWay['invoke']
}

function mcpEndpoints(
  bundle: AppBundle,
  config: ResolvedConfig,
  around: McpSurroundings,
): readonly Endpoint[] {
  const { baseUrl, production } = around.environment
  const { resourceMetadata, authenticator, allowedOrigins, ...mcp } = config.mcp
  try {
    return createMcpEndpoint({
      ...mcp,
      serverVersion: '1',
      baseUrl,
      catalogue: bundle.catalogue,
      routes: new Map(bundle.routes.map((route) => [route.id, route])),
      invoke: around.run,
      authenticator: authenticator ?? null,
      resourceMetadata: resourceMetadata ? (request) => resourceMetadata(request, { baseUrl }) : null,
      allowedOrigins: allowedOrigins ?? defaultOrigins(around.environment),
      clock: around.clock,
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
