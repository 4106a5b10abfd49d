/** `acmcp serve`: loads the bundle, reads the environment, listens. Loads no compiler. */
import { randomBytes, randomInt } from 'node:crypto'
import { type Application, createApplication, type Dependencies } from '../boot/application.ts'
import { BootError } from '../boot/boot-error.ts'
import { loadBundle } from '../boot/bundle.ts'
import { type Environment, readEnvironment, type Variables } from '../boot/environment.ts'
import { misspeltVariables } from '../boot/misspelt-variables.ts'
import { staleSources, staleText } from '../boot/stale-build.ts'
import type { ListeningPort } from '../boot/watching.ts'
import type { AppBundle } from '../contract/bundle.ts'
import type { LogStream } from '../http/log/log.ts'
import { traceSources } from '../http/log/stack-traces.ts'
import { lingerMs, requestPatienceMs } from '../http/server/close.ts'
import type { Unclaimed } from '../http/server/not-found.ts'
import { intervalScheduler, type Scheduler } from '../scheduler.ts'
import { withChosenPort } from './chosen-port.ts'
import { listenRefusal } from './listen-refusal.ts'
import { readableLine } from './readable-log.ts'
import { type Say, sayBy } from './say.ts'
import { retirementMs, type WorkerPlace } from './workers/protocol.ts'

export interface ServeOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
  /** Applies pending migrations also in production. */
  readonly migrate?: boolean
  /** Refuses to serve in production: new builds take its place. */
  readonly watch?: boolean
  /** Receives the addresses to open and what else there is to say: a line each, JSON unless people read it. */
  readonly print: (line: string) => void
  /** Where log lines go that are not for people; default: standard output, which must be read. */
  readonly logStream?: LogStream
  /** Whether `print` writes to a terminal: then, in development, lines and log are for people. */
  readonly isTerminal?: boolean
}

export interface RunningServer {
  readonly address: string
  close(): Promise<void>
}

/** Serves until closed. Throws `BootError` with one clear line when it must not start. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { address, drain, close } = await start({
    ...options,
    // Fastify would name each address that it is bound to: clients must use the base URL, and no other
    listen: ({ server }, at) =>
      server.listen({ ...at, listenTextResolver: () => `Server listening at ${at.baseUrl}` }),
  })
  const closeInTime = async (): Promise<void> => {
    await drain(() => {})
    await close()
  }
  return { address, close: closeInTime }
}

export interface StartOptions extends ServeOptions {
  /** Resolves with the address. */
  readonly listen: (
    application: Application,
    at: Pick<Environment, 'host' | 'port' | 'baseUrl'>,
  ) => Promise<string>
  /** Says things in place of `print`. */
  readonly say?: Say
  /** What does regular work; default: a timer. */
  readonly every?: Scheduler
  /** Pages of development, where the application has nothing. */
  readonly unclaimed?: Unclaimed
  /** Of a worker among others. */
  readonly place?: WorkerPlace
  readonly among?: AmongWorkers
}

/** What a worker has of its supervisor. */
export interface AmongWorkers extends Pick<Dependencies, 'isWorker' | 'shareMetrics' | 'askWorkers'> {}

/** An application that listens, with the work that is done beside it. */
export interface Started extends RunningServer {
  readonly application: Application
  /** Names the list of tools. */
  readonly version: string
  readonly baseUrl: string
  readonly say: Say
  /** The addresses of its routes. */
  readonly paths: readonly string[]
  /** Takes no further connection. Those that wait for a request have one answer more: in production within a second, beside a successor
   *  within a minute. Without one the server is not ready for a while before all that. */
  drain(closed: () => void, hasSuccessor?: boolean): Promise<void>
  /** Ends; in production with a successor requests have a minute more. */
  close(hasSuccessor?: boolean): Promise<void>
}

/** Throws what `serve` throws. */
export async function start(options: StartOptions): Promise<Started> {
  traceSources() // before the bundle
  const bundle = await loadBundle(options.cwd)
  const environment = environmentOf({ ...options, env: await withChosenPort(options.env) })
  const isReadable = options.isTerminal === true && !environment.production
  const say = options.say ?? sayBy(options.print, isReadable)
  for (const line of misspeltVariables(options.env)) say('warn', line)
  const stale = staleSources(options.cwd)
  if (stale.length > 0) say('warn', staleText(stale))
  if (environment.production && options.env.DATABASE_URL === undefined)
    say('warn', 'DATABASE_URL is not set: what is stored lies in data/acmcp.db')
  const readable = { write: (line: string) => options.print(readableLine(line)) }
  const logStream = isReadable ? readable : options.logStream
  const every = options.every ?? intervalScheduler
  const { unclaimed = () => null, among } = options
  const deps = {
    environment,
    every,
    unclaimed,
    ...(logStream === undefined ? {} : { logStream }),
    ...among,
  }
  const running = await run(bundle, deps, options)
  const { application } = running
  const { address, metrics } = await listening(application, environment, options).catch(
    async (error: unknown) => {
      await running.close()
      throw error
    },
  )
  announce(say, environment, application)
  if (metrics !== null) say('info', `  metrics: ${metrics.address}/metrics`)
  const paths = bundle.routes.flatMap(({ path, mcpOnly }) => (mcpOnly === true ? [] : [path]))
  return {
    ...running,
    address,
    version: bundle.mcpDigest,
    baseUrl: environment.baseUrl,
    say,
    paths,
    drain: (closed, hasSuccessor = false) =>
      application.drain({
        delayMs: hasSuccessor ? 0 : 1000 * environment.shutdownDelaySeconds,
        lingerMs: lingerOf(options, { hasSuccessor, isProduction: environment.production }),
        hasSuccessor,
        closed,
      }),
    async close(hasSuccessor = false) {
      const patienceMs = environment.production && hasSuccessor ? retirementMs : requestPatienceMs
      const closed = running.close(patienceMs)
      await Promise.all([closed, metrics?.close()])
    },
  }
}

/** How long connections that wait for a request are kept, in milliseconds. Under `watch` none waits. */
function lingerOf(
  { watch = false }: ServeOptions,
  { hasSuccessor, isProduction }: { readonly hasSuccessor: boolean; readonly isProduction: boolean },
): number {
  if (isProduction) return hasSuccessor ? retirementMs : lingerMs
  return hasSuccessor && !watch ? lingerMs : 0
}

/** Throws `BootError` for what cannot be served so. */
function environmentOf({ env, cwd, watch, place = alone }: StartOptions): Environment {
  const environment = readEnvironment(env, cwd, () => randomBytes(32).toString('base64url'))
  if (watch === true && environment.production)
    throw new BootError('serve --watch is for development: in production a new build is served by a restart')
  if (place.count > 1 && environment.databaseUrl.startsWith('sqlite:'))
    throw new BootError(
      `--workers ${place.count}: one process serves a SQLite store: set DATABASE_URL to a postgres:// address, or serve without --workers`,
    )
  return environment
}

interface Listening {
  readonly address: string
  /** On a port of its own, where that is asked for. */
  readonly metrics: ListeningPort | null
}

/** Throws `BootError` when a port is taken. */
async function listening(
  application: Application,
  environment: Environment,
  { listen }: StartOptions,
): Promise<Listening> {
  const address = await listen(application, environment).catch((error: unknown) => {
    throw listenRefusal(error, environment)
  })
  const { ownPort } = application.watching
  if (ownPort === null) return { address, metrics: null }
  const metrics = await ownPort.listen().catch((error: unknown) => {
    throw new BootError(`METRICS_PORT ${ownPort.port}: ${error instanceof Error ? error.message : error}`)
  })
  return { address, metrics }
}

const alone: WorkerPlace = { count: 1, cleans: true }

async function run(
  bundle: AppBundle,
  deps: Pick<Dependencies, 'environment' | 'logStream' | 'unclaimed'> &
    AmongWorkers & { readonly every: Scheduler },
  { migrate, place = alone }: StartOptions,
): Promise<{
  application: Application
  close: (patienceMs?: number) => Promise<void>
}> {
  const application = await createApplication(bundle, {
    ...deps,
    migrate: migrate === true || !deps.environment.production,
    clock: () => Date.now(),
    monotonic: () => performance.now(),
    randomBytes: (count) => randomBytes(count),
  })
  const stopPurging = place.cleans ? purgeRegularly(application, deps.every) : async () => {}
  const forget = logLastError(application)
  const close = async (patienceMs?: number): Promise<void> => {
    await application.close(stopPurging(), patienceMs)
    forget()
  }
  return { application, close }
}

/** An exception in a timer, or an unhandled rejection, ends the process, as Node has it: its line stands in the log before
 *  Node's own text. Returns what forgets it. */
function logLastError({ server }: Application): () => void {
  const log = (error: unknown, origin: string): void => {
    const message = 'the process ends: nobody took this exception'
    server.log.fatal({ event: 'uncaught', origin, err: error }, message)
  }
  process.on('uncaughtExceptionMonitor', log)
  return () => void process.off('uncaughtExceptionMonitor', log)
}

function announce(say: Say, environment: Environment, { mcpPath }: Application): void {
  say('info', `acmcp serves ${environment.baseUrl}`)
  if (environment.devLogin) say('info', `  sign in (development): ${environment.baseUrl}/auth`)
  say('info', `  MCP endpoint to paste into a client: ${environment.baseUrl}${mcpPath}`)
}

const purgeEveryMs = 5 * 60 * 1000
/** So that instances that started together do not purge together. */
const jitterMs = 30_000

/** Expired rows go every five minutes (decisions/store.md, Care); a failure is logged and tried again. What a process that has ended left goes
 *  on at once. Returns what ends it, after the batch under way. */
function purgeRegularly({ purge, begin, server }: Application, every: Scheduler): () => Promise<void> {
  const stopping = new AbortController()
  const logged = (work: (signal: AbortSignal) => Promise<void>): Promise<void> =>
    work(stopping.signal).catch((error: unknown) => {
      server.log.error({ err: error }, 'purge failed')
    })
  void logged(begin)
  const stop = every(purgeEveryMs + randomInt(-jitterMs, jitterMs), () => logged(purge))
  return () => {
    stopping.abort()
    return stop()
  }
}
