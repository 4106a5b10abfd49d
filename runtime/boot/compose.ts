/** Composes one Fastify instance from a bundle and its dependencies: API, authorization server, MCP endpoint.
 *  Clock and randomness are arguments. */
import type { FastifyInstance } from 'fastify'
import type { AppBundle } from '../contract/bundle.ts'
import type { Bus } from '../contract/bus.ts'
import type { Endpoint, RunGuards } from '../contract/http.ts'
import type { Clock, Logger, RandomBytes, Services } from '../contract/store.ts'
import { Overloaded, RequestAborted } from '../errors.ts'
import type { AccessControl } from '../http/access/access-control.ts'
import { RouteLimits } from '../http/limits/route-limits.ts'
import { type LateLogger, type LogStream, lateLogger } from '../http/log/log.ts'
import { createFormats } from '../http/output/formats.ts'
import {
  type ErrorHandlerOptions,
  jsonResponse,
  requestPlace,
  unhandledResponse,
} from '../http/pipeline/error-handler.ts'
import { PluginMistake } from '../http/plugins/taken-routes.ts'
import {
  beginClosing,
  type DrainWaits,
  drainConnections,
  hurryClosing,
  isDraining,
  requestPatienceMs,
} from '../http/server/close.ts'
import type { Unclaimed } from '../http/server/not-found.ts'
import { onOwnHost } from '../http/server/own-host.ts'
import { createServer, type ServerOptions } from '../http/server/server.ts'
import { ownHostsOf } from '../loopback.ts'
import { changedResource } from '../mcp/resources/resource-addresses.ts'
import type { McpServer, OpenStreams } from '../mcp/server.ts'
import { audit as recordChange } from '../oauth/audit.ts'
import { internet, type Network } from '../oauth/network.ts'
import type { AuthorizationServer } from '../oauth/server.ts'
import { intervalScheduler, type Scheduler } from '../scheduler.ts'
import { lendDatabase } from '../store/lend-database.ts'
import { openStore } from '../store/open.ts'
import { type Store, StoreBusy, StoreUnavailable, WriteLockHeld } from '../store/store.ts'
import { BootError } from './boot-error.ts'
import type { Capability, CapabilityParts, Core } from './capability.ts'
import type { Environment } from './environment.ts'
import { type LateTrail, lateTrail } from './late-trail.ts'
import { descriptorOwners, type Owners } from './owners.ts'
import { docsEndpoints, docsNotice } from './pages/docs-page.ts'
import { type ReferenceUi, referenceUi } from './pages/reference-ui.ts'
import { rootPage } from './pages/root-page.ts'
import { startableConfig, warnOfHiddenErrors, warnOfNobody, withMask } from './resolve-config.ts'
import { type ResolvedConfig, writtenLimits } from './resolved-config.ts'
import {
  guardRunner,
  type RunRoute,
  raised,
  routeEndpoints,
  routeHandles,
  runnerOf,
  type ToolInvoker,
  toolInvoker,
  withBuiltInEndpoints,
} from './routes.ts'
import { accessControl } from './settings/access-settings.ts'
import { authorizationServer } from './settings/authorization-settings.ts'
import { mcpEndpoint } from './settings/mcp-settings.ts'
import { readinessProbes, type WorkersPulse } from './settings/readiness.ts'
import { type ErrorMode, errorMode, secretArguments, serverSettings } from './settings/server-settings.ts'
import { applicationEvents } from './sharing/application-events.ts'
import { joinedBus, type SharedChanges, shareChanges, shareCounts } from './sharing/shared-changes.ts'
import { keptMsOf, startCapabilities, startWatching } from './start-capabilities.ts'
import { outageLog, storeRefusal } from './store-trouble.ts'
import type { ShareMetrics, Watching } from './watching.ts'

export interface Dependencies {
  readonly environment: Environment
  /** Whether pending migrations are applied; otherwise a store that is behind is refused. */
  readonly migrate: boolean
  /** Milliseconds since the epoch; `monotonic`, of time limits, never goes back (default: this one). */
  readonly clock: Clock
  readonly monotonic?: Clock
  readonly randomBytes: RandomBytes
  /** How others are reached; default: the internet. */
  readonly network?: Network
  /** Where log lines go; default: standard output. */
  readonly logStream?: LogStream
  /** What does regular work; default: a timer. */
  readonly every?: Scheduler
  /** Pages of development, where the application has nothing. */
  readonly unclaimed?: Unclaimed
  /** Whether a supervisor started this process: lines of several stand in one log. */
  readonly isWorker?: boolean
  /** With the other workers of this machine; default: the metrics are of this process. */
  readonly shareMetrics?: ShareMetrics
  /** Asks the other workers of its supervisor; default: there is none. Never rejects. */
  readonly askWorkers?: () => Promise<WorkersPulse>
}

export interface Application {
  readonly server: FastifyInstance
  readonly store: Store
  /** What its controllers have as `this.services`. */
  readonly services: Services
  readonly mcpPath: string
  /** Those on which MCP clients listen for changes of the list of tools. */
  readonly streams: OpenStreams
  /** Where others may read what it measures. */
  readonly watching: Pick<Watching, 'ownPort'>
  /** What capabilities do in it, by their names. */
  readonly parts: ReadonlyMap<string, CapabilityParts>
  /** Removes what has ended, until `signal` aborts. */
  readonly purge: (signal: AbortSignal) => Promise<void>
  /** Goes on with what a process that has ended left of it; a failure is logged, and tried again by `purge`. */
  readonly begin: (signal: AbortSignal) => Promise<void>
  /** Runs a route as HTTP and tool calls do, unhandled exceptions included. */
  readonly invoke: RunRoute
  /** Keeps a user as a sign-in does: for tests of applications. */
  readonly saveSignIn: AuthorizationServer['saveSignIn']
  /** A token of a user of the store, without a consent. Rejects in production. */
  readonly developmentToken: AuthorizationServer['developmentToken']
  /** Is not ready for so long as `delayMs` and serves on, then takes no further connection; those that wait are answered once more. */
  readonly drain: (waits: DrainWaits) => Promise<void>
  /** Ends: streams at once, requests that run on are told after `patienceMs` (default: 2000). Waits for requests five seconds more, then for
   *  the end of `storeWork`, and closes the store whatever fails before it. */
  readonly close: (storeWork?: Promise<void>, patienceMs?: number) => Promise<void>
  /** What is being closed with more patience waits no longer. */
  readonly hurry: () => void
}

/** Builds everything; nothing listens yet. Throws `BootError`; the store is closed again when a later step fails. */
export async function composeApplication(
  bundle: AppBundle,
  deps: Dependencies,
  capabilities: readonly Capability[],
): Promise<Application> {
  const owners = descriptorOwners(capabilities)
  const config = withMask(startableConfig(bundle.config), secretArguments(bundle))
  const errors = errorMode(config, deps.environment)
  const ui = referenceUi(bundle, config, deps.environment)
  const log = lateLogger()
  const methods = new Set(capabilities.flatMap((capability) => capability.methods ?? []))
  const { environment } = deps
  const watched = { bundle, config, environment, log, methods, settings: settingsIn(config) }
  const watching = await startWatching(capabilities, {
    ...watched,
    ...(deps.shareMetrics === undefined ? {} : { shareMetrics: deps.shareMetrics }),
  })
  const opened = await openStore({
    tables: capabilities.flatMap(({ tables }) => tables ?? []),
    onOutage: outageLog(log),
    url: deps.environment.databaseUrl,
    pool: deps.environment.databasePool,
    clock: deps.clock,
    monotonic: deps.monotonic,
    migrations: config.migrations,
    keptMs: keptMsOf(capabilities, config),
    migrate: deps.migrate ? 'apply' : 'refuse',
  }).catch((error: unknown) => {
    throw storeRefusal(error)
  })
  const store = watching.timedStore(opened)
  try {
    await store.probeWrite().catch((error: unknown) => {
      throw storeRefusal(error)
    })
    const joining = { every: deps.every ?? intervalScheduler, secrets: deps.environment.sessionSecrets }
    const bus = await joinedBus(store, joining)
    return await compose({
      bundle,
      config,
      errors,
      ui,
      watching,
      store,
      bus,
      log,
      deps,
      capabilities,
      owners,
    }).catch(async (error: unknown) => {
      await bus.close()
      throw error
    })
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Parts {
  readonly bundle: AppBundle
  readonly config: ResolvedConfig
  readonly errors: ErrorMode
  /** Null = there is no `/docs`. */
  readonly ui: ReferenceUi | null
  readonly watching: Watching
  readonly store: Store
  /** To the other instances. */
  readonly bus: Bus
  readonly log: LateLogger
  readonly deps: Dependencies
  readonly capabilities: readonly Capability[]
  readonly owners: Owners
}

/** The application in stages; each returns a record that later ones are given. */
async function compose(parts: Parts): Promise<Application> {
  const changes = changesOf(parts)
  const trail = lateTrail()
  const auditLog = lateLogger()
  const core = coreOf(parts, { changes, trail, auditLog, identity: () => identity })
  const started = await startCapabilities(parts.capabilities, core, { ...parts, trail })
  const used = [...started.values()]
  const identity: Identity = identityOf(parts, { changes, trail, auditLog, used })
  await identity.authorization.begin()
  const routing = routingOf(parts, { ...identity, used })
  const mcp = mcpOf(parts, { ...identity, ...routing, changes, used })
  changes.listen({ userRevoked: (userId) => identity.access.userRevoked(userId) })
  changes.listen(mcp)
  const server = await serverOf(parts, { ...identity, ...routing, mcp })
  const stop = startOf(parts, { ...identity, ...routing, auditLog, mcp, server })
  return applicationOf(parts, { ...identity, ...routing, mcp, server, changes, trail, started, stop })
}

const settingsIn =
  ({ written }: ResolvedConfig): Core['settings'] =>
  (table) =>
    table.read(written)

interface Lent {
  readonly changes: SharedChanges
  readonly trail: LateTrail
  readonly auditLog: LateLogger
}

/** What the core lends to capabilities. */
function coreOf(
  parts: Parts,
  { changes, trail, auditLog, identity }: Lent & { readonly identity: () => Identity },
): Core {
  const { bundle, config, watching, store, bus, log, deps } = parts
  const { environment, clock, randomBytes, monotonic = clock, every = intervalScheduler } = deps
  return {
    ...{
      bundle,
      config,
      environment,
      store,
      bus,
      log,
      trail,
      clock,
      monotonic,
      randomBytes,
      every,
    },
    network: deps.network ?? internet,
    isRecorded: trail.isKept,
    services: () => identity().services,
    authInfoOf: (request) => identity().access.authInfoOf(request),
    count: watching.count,
    revoked: changes.revoked,
    record: (event, changed) => recordChange({ auditLog, auditTrail: trail }, event, changed),
    settings: settingsIn(config),
    limits: (table) => table.read(writtenLimits(config)),
  }
}

function changesOf({ bundle, bus, deps }: Parts): SharedChanges {
  const resourceUri = changedResource(bundle.catalogue.resources ?? [], deps.environment.baseUrl)
  return shareChanges(bus, { resourceUri, every: deps.every ?? intervalScheduler })
}

interface Identity {
  readonly authorization: AuthorizationServer
  readonly services: Services
  readonly access: AccessControl
}

/** The identity of users and clients, and what `this.services` of a controller has. */
function identityOf(
  parts: Parts,
  { changes, trail, auditLog, used }: Lent & { readonly used: readonly CapabilityParts[] },
): Identity {
  const { config, store, bus, log, deps } = parts
  const authorization = authorizationServer(
    parts,
    {
      auditLog,
      auditTrail: trail,
      onRevoked: changes.revoked,
      onGranted: changes.granted,
      services: () => services,
    },
    used,
  )
  const { userOfAccessToken, userOfSession } = authorization
  const { resourceChanged } = changes
  const events = { ...applicationEvents(bus, log), resourceChanged }
  const own = { userOfAccessToken, userOfSession, clock: deps.clock, ...events }
  const services = Object.assign(own, ...used.map((part) => part.services)) as Services // the capabilities have the rest
  lendDatabase(services, store.database)
  const { baseUrl } = deps.environment
  const access = accessControl(config, {
    ...deps,
    ...{ authorization, services, store, baseUrl, log },
    asksCaller: (route) => used.some((part) => part.asksCaller?.(route) === true),
  })
  return { authorization, services, access }
}

interface Routing {
  readonly onError: ServerOptions['onError']
  readonly limits: RouteLimits
  readonly guard: RunGuards
  readonly invoker: ToolInvoker
  /** Those of the routes and of the authorization server. */
  readonly others: readonly Endpoint[]
}

function routingOf(
  parts: Parts,
  {
    authorization,
    services,
    access,
    used,
  }: Identity & {
    readonly used: readonly CapabilityParts[]
  },
): Routing {
  const { bundle, config, log, deps } = parts
  const { baseUrl } = deps.environment
  const onError = unhandledBy(parts)
  const formats = createFormats(config)
  const { routeCalls, routeSeconds } = config.limits
  const { clock, monotonic = clock, every = intervalScheduler } = deps
  const limits = new RouteLimits({ routeCalls, routeSeconds, services, clock, monotonic, every })
  const handles = routeHandles(bundle, {
    ...{ services, baseUrl, log, formats, access, limits },
    parts: used,
    answers: config,
    isProduction: deps.environment.production,
  })
  const host = config.plugins.length > 0 ? new URL(baseUrl).host : null
  const invoker = toolInvoker(bundle, runnerOf(handles, onError), host)
  const settings = { hasPlugins: host !== null, forwardHeaders: config.mcp.forwardHeaders }
  const routes = onOwnHost(routeEndpoints(bundle, handles, settings), ownHostsOf(baseUrl))
  const others = withBuiltInEndpoints(routes, authorization.endpoints)
  return { onError, limits, guard: guardRunner(handles), invoker, others }
}

interface McpNeeds extends Identity, Routing {
  readonly changes: SharedChanges
  readonly used: readonly CapabilityParts[]
}

function mcpOf(
  { bundle, config, watching, store, bus, log, deps }: Parts,
  { authorization, services, access, guard, invoker, others, changes, used }: McpNeeds,
): McpServer {
  return mcpEndpoint(bundle, config, {
    ...deps,
    ...{ log, store, bus, watching, services, guard, others },
    run: invoker.invoke,
    findAuthInfo: access.options.find,
    isSignedHere: authorization.isSignedHere,
    pageSignIn: authorization.pageSignIn,
    onToolsChanged: changes.toolsChanged,
    observers: used.flatMap(({ observe }) => observe ?? []),
    parts: used,
  })
}

interface Served extends Identity, Routing {
  readonly mcp: McpServer
}

async function serverOf(
  parts: Parts,
  { authorization, onError, others, mcp }: Served,
): Promise<FastifyInstance> {
  const { bundle, config, watching, store, deps } = parts
  const { environment, clock, monotonic = clock } = deps
  const endpoints = watching.withEndpoints([...others, ...mcp.endpoints])
  const docs = docsEndpoints({ ...parts, ...deps, signIn: authorization.pageSignIn })
  const server: FastifyInstance = await createServer({
    ...serverSettings(parts, ownHostsOf(environment.baseUrl)),
    endpoints,
    docs: [...docs, ...docsNotice({ ...parts, environment })],
    probes: readinessProbes({
      store,
      monotonic,
      isDraining: () => isDraining(server),
      askWorkers: deps.askWorkers ?? null,
    }),
    rootPage: rootPage({ bundle, config, environment, store }, [...endpoints, ...docs]),
    onError,
  }).catch((error: unknown) => {
    throw error instanceof PluginMistake ? new BootError(error.message) : error
  })
  return server
}

interface Started extends Served {
  readonly server: FastifyInstance
}

/** Connects what was made before the server, and begins regular work; returns what ends that. */
function startOf(
  { config, watching, store, log, deps }: Parts,
  { auditLog, authorization, limits, invoker, mcp, server }: Started & Pick<Lent, 'auditLog'>,
): () => Promise<void> {
  log.connect(server.log)
  auditLog.connect(auditLogOf(server))
  invoker.connect(server)
  warnOfNobody(config, deps.environment, log)
  warnOfHiddenErrors(config, deps.environment, log)
  const stopSharing = shareCounts({ ...deps, store, log }, [authorization, mcp, limits])
  const stopReporting = watching.report({ ...deps, server, streams: mcp.streams, store })
  return () => {
    stopReporting()
    mcp.streams.close()
    return stopSharing()
  }
}

interface Running extends Started {
  readonly changes: SharedChanges
  readonly trail: LateTrail
  readonly started: ReadonlyMap<string, CapabilityParts>
  readonly stop: () => Promise<void>
}

function applicationOf(
  { config, watching, store, deps }: Parts,
  { authorization, services, invoker, mcp, server, changes, trail, started, stop }: Running,
): Application {
  return {
    server,
    store,
    services,
    mcpPath: config.mcp.path,
    streams: mcp.streams,
    parts: started,
    async purge(signal) {
      await store.purgeExpired(signal)
      for (const { purge } of started.values()) if (!signal.aborted) await purge?.(signal)
    },
    async begin(signal) {
      for (const { begin } of started.values()) if (!signal.aborted) await begin?.(signal)
    },
    invoke: invoker.invoke,
    watching,
    async developmentToken(userId, scope) {
      if (deps.environment.production) throw new BootError(noCredentials)
      return authorization.developmentToken(userId, scope)
    },
    saveSignIn: authorization.saveSignIn,
    drain: (waits) => drainConnections(server, waits),
    async close(storeWork, patienceMs = requestPatienceMs) {
      const stopped = stop()
      const ended = beginClosing(server, patienceMs)
      const work = [stopped, storeWork, ...[...started.values()].map((part) => part.close?.(patienceMs))]
      await server
        .close() // a plugin's hook may fail
        .finally(ended)
        .finally(() => closeStore(work, { trail, bus: changes, store }))
    },
    hurry() {
      for (const { hurry } of started.values()) hurry?.()
      hurryClosing(server)
    },
  }
}

/** The answer to what no handler of a route takes. */
function unhandledBy({ errors, log }: Parts): ServerOptions['onError'] {
  return (error, request) => {
    if (error instanceof RequestAborted) return jsonResponse(error.status, { error: error.message })
    if (error instanceof StoreBusy && error.cause instanceof WriteLockHeld) {
      log.error({ ...requestPlace(request, errors), err: error }, 'the store is busy')
    }
    return raised(error, request) ?? unhandledResponse(error, request, { ...errors, log, unavailable })
  }
}

const noCredentials = 'credentials are made for development only: this is refused in production'

/** Audit lines are written at every `LOG_LEVEL` but `silent`. */
const auditLogOf = ({ log }: FastifyInstance): Logger => log.child({}, { level: 'info' })

/** What ends work on the store may take as long as the database does: the server does not wait for it. */
async function closeStore(
  storeWork: readonly (Promise<void> | undefined)[],
  {
    trail,
    bus,
    store,
  }: Pick<Parts, 'store'> & { readonly trail: LateTrail; readonly bus: Pick<Bus, 'close'> },
): Promise<void> {
  try {
    await Promise.allSettled(storeWork) // what fails does not cut off what still writes
    await Promise.all(storeWork)
  } finally {
    await trail
      .close() // not before: answers under way are recorded
      .finally(() => bus.close()) // not before: answers under way may revoke
      .finally(() => store.close())
  }
}

const unavailable: ErrorHandlerOptions['unavailable'] = (error) => {
  if (!(error instanceof StoreUnavailable || error instanceof Overloaded)) return null
  const { message, retryAfterSeconds } = error
  return { message, retryAfterSeconds, isOutage: isOutage(error) && !(error instanceof StoreBusy) }
}

const isOutage = (error: unknown): boolean => error instanceof StoreUnavailable
