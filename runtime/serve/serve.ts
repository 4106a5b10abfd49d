/** `acmcp serve`: loads the bundle, reads the environment, listens. Loads no compiler. */
import { randomBytes, randomInt } from 'node:crypto'
import { BootError } from '../boot/boot-error.ts'
import { bundleDigest, loadBundle } from '../boot/bundle.ts'
import { type Application, createApplication, type Surroundings } from '../boot/compose.ts'
import { type Environment, readEnvironment, type Variables } from '../boot/environment.ts'
import { misspeltVariables } from '../boot/misspelt-variables.ts'
import { staleSources, staleText } from '../boot/stale-build.ts'
import type { AppBundle } from '../contract/bundle.ts'
import { intervalScheduler } from '../every.ts'
import { listenRefusal } from './listen-refusal.ts'
import { readableLine } from './readable-log.ts'
import type { Running } from './reload.ts'
import { type Say, sayBy } from './say.ts'

export interface ServeOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
  /** Applies pending migrations also in production. */
  readonly migrate?: boolean
  /** Serves each new build as soon as it is there; refused in production. */
  readonly watch?: boolean
  /** Receives the addresses to open and what else there is to say: a line each, JSON unless people read it. */
  readonly print: (line: string) => void
  /** Whether `print` writes to a terminal: then, in development, lines and log are for people. */
  readonly isTerminal?: boolean
}

export interface Served {
  readonly address: string
  close(): Promise<void>
}

/** Serves until closed. Throws `BootError` with one clear line when it must not start. */
export async function serve(options: ServeOptions): Promise<Served> {
  const digest = options.watch === true ? bundleDigest(options.cwd) : null
  process.setSourceMapsEnabled(true) // before the bundle: stacks name the application's sources
  const bundle = await loadBundle(options.cwd)
  const environment = readEnvironment(options.env, options.cwd, () => randomBytes(32).toString('base64url'))
  if (options.watch === true && environment.production)
    throw new BootError('serve --watch is for development: Node never lets go of the builds before')
  const isReadable = options.isTerminal === true && !environment.production
  const say = sayBy(options.print, isReadable)
  for (const line of misspeltVariables(options.env)) say('warn', line)
  const stale = staleSources(options.cwd)
  if (stale.length > 0) say('warn', staleText(stale))
  const logStream = isReadable
    ? { logStream: { write: (line: string) => options.print(readableLine(line)) } }
    : {}
  const start = (loaded: AppBundle): Promise<Running> => run(loaded, { environment, ...logStream }, options)
  const first = await start(bundle)
  const opening =
    options.watch === true
      ? watched(first, start, { environment, digest, cwd: options.cwd, say })
      : plain(first, environment)
  const served = await opening.catch(async (error: unknown) => {
    await first.close()
    throw listenRefusal(error, environment)
  })
  announce(say, environment, first.application)
  return served
}

async function run(
  bundle: AppBundle,
  around: Pick<Surroundings, 'environment' | 'logStream'>,
  { migrate }: ServeOptions,
): Promise<Running> {
  const application = await createApplication(bundle, {
    ...around,
    migrate: migrate === true || !around.environment.production,
    clock: () => Date.now(),
    randomBytes: (count) => randomBytes(count),
  })
  const stopPurging = purgeRegularly(application)
  const close = async (): Promise<void> => {
    application.drain()
    try {
      await stopPurging()
    } finally {
      await application.close()
    }
  }
  return { application, close }
}

async function plain({ application, close }: Running, { host, port }: Environment): Promise<Served> {
  return { address: await application.server.listen({ host, port }), close }
}

interface Watching {
  readonly environment: Environment
  /** Names the build that is served first. */
  readonly digest: string | null
  readonly cwd: string
  readonly say: Say
}

async function watched(
  first: Running,
  start: (bundle: AppBundle) => Promise<Running>,
  { environment: { host, port }, digest, cwd, say }: Watching,
): Promise<Served> {
  const { serveBuilds } = await import('./reload.ts')
  return serveBuilds(first, { cwd, at: { host, port }, digest, start, say })
}

function announce(say: Say, environment: Environment, { mcpPath }: Application): void {
  say('info', `acmcp serves ${environment.baseUrl}`)
  if (environment.devLogin) say('info', `  sign in (development): ${environment.baseUrl}/auth`)
  say('info', `  MCP endpoint to paste into a client: ${environment.baseUrl}${mcpPath}`)
}

const purgeEveryMs = 5 * 60 * 1000
/** So that instances that started together do not purge together. */
const jitterMs = 30_000

/** Expired rows go every five minutes (reference/oauth-and-storage, 3.5); a failure is logged and tried again. Answers
 *  what ends it, after the batch under way. */
function purgeRegularly({ store, server }: Application): () => Promise<void> {
  const stopping = new AbortController()
  const stop = intervalScheduler(purgeEveryMs + randomInt(-jitterMs, jitterMs), async () => {
    await store.purgeExpired(stopping.signal).catch((error: unknown) => {
      server.log.error({ err: error }, 'purge failed')
    })
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
