/** `acmcp serve`: loads the bundle, reads the environment, listens. Loads no compiler. */
import { randomBytes, randomInt } from 'node:crypto'
import { type Application, createApplication } from './application.ts'
import { BootError } from './boot-error.ts'
import { bundleDigest, loadBundle } from './bundle.ts'
import type { AppBundle } from './contract.ts'
import { type Environment, readEnvironment, type Variables } from './environment.ts'
import { byTimer } from './regularly.ts'
import type { Running } from './reload.ts'

export interface ServeOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
  /** Applies pending migrations also in production. */
  readonly migrate?: boolean
  /** Serves each new build as soon as it is there; refused in production. */
  readonly watch?: boolean
  /** Receives the addresses to open, a line each. */
  readonly print: (line: string) => void
}

export interface Served {
  readonly address: string
  close(): Promise<void>
}

/** Serves until closed. Throws `BootError` with one clear line when it must not start. */
export async function serve(options: ServeOptions): Promise<Served> {
  const digest = options.watch === true ? bundleDigest(options.cwd) : null
  const bundle = await loadBundle(options.cwd)
  const environment = readEnvironment(options.env, options.cwd, () => randomBytes(32).toString('base64url'))
  if (options.watch === true && environment.production)
    throw new BootError('serve --watch is for development: Node never lets go of the builds before')
  const start = (loaded: AppBundle): Promise<Running> => run(loaded, environment, options)
  const first = await start(bundle)
  const served =
    options.watch === true
      ? await watched(first, start, { environment, digest, options })
      : await plain(first, environment)
  announce(options, environment, first.application)
  return served
}

async function run(bundle: AppBundle, environment: Environment, { migrate }: ServeOptions): Promise<Running> {
  const application = await createApplication(bundle, {
    environment,
    migrate: migrate === true || !environment.production,
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
  readonly options: ServeOptions
}

async function watched(
  first: Running,
  start: (bundle: AppBundle) => Promise<Running>,
  { environment: { host, port }, digest, options: { cwd, print } }: Watching,
): Promise<Served> {
  const { serveBuilds } = await import('./reload.ts')
  return serveBuilds(first, { cwd, at: { host, port }, digest, start, print })
}

function announce({ print }: ServeOptions, environment: Environment, { mcpPath }: Application): void {
  print(`acmcp serves ${environment.baseUrl}`)
  if (environment.devLogin) print(`  sign in (development): ${environment.baseUrl}/auth`)
  print(`  MCP endpoint to paste into a client: ${environment.baseUrl}${mcpPath}`)
}

const purgeEveryMs = 5 * 60 * 1000
/** So that instances that started together do not purge together. */
const jitterMs = 30_000

/** Expired rows go every five minutes (reference/oauth-and-storage, 3.5); a failure is logged and tried again. Answers
 *  what ends it, after the batch under way. */
function purgeRegularly({ store, server }: Application): () => Promise<void> {
  const stopping = new AbortController()
  const stop = byTimer(purgeEveryMs + randomInt(-jitterMs, jitterMs), async () => {
    await store.purgeExpired(stopping.signal).catch((error: unknown) => {
      server.log.error({ err: error }, 'purge failed')
    })
  })
  return () => {
    stopping.abort()
    return stop()
  }
}
