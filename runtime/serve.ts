/** `acmcp serve`: loads the bundle, reads the environment, listens. Loads no compiler. */
import { randomBytes } from 'node:crypto'
import { type Application, createApplication } from './application.ts'
import { loadBundle } from './bundle.ts'
import { readEnvironment, type Variables } from './environment.ts'

export interface ServeOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
  /** Applies pending migrations also in production. */
  readonly migrate?: boolean
  /** Receives the addresses to open, a line each. */
  readonly print: (line: string) => void
}

export interface Served {
  readonly address: string
  close(): Promise<void>
}

/** Serves until closed. Throws `BootError` with one clear line when it must not start. */
export async function serve(options: ServeOptions): Promise<Served> {
  const bundle = await loadBundle(options.cwd)
  const environment = readEnvironment(options.env, options.cwd, () => randomBytes(32).toString('base64url'))
  const application = await createApplication(bundle, {
    environment,
    migrate: options.migrate === true || !environment.production,
    clock: () => Date.now(),
    randomBytes: (count) => randomBytes(count),
  })
  const purging = purgeRegularly(application)
  const address = await application.server.listen({ host: environment.host, port: environment.port })
  options.print(`acmcp serves ${environment.baseUrl}`)
  if (environment.devLogin) options.print(`  sign in (development): ${environment.baseUrl}/auth`)
  options.print(`  MCP endpoint to paste into a client: ${environment.baseUrl}${application.mcpPath}`)
  const close = async (): Promise<void> => {
    clearInterval(purging)
    await application.close()
  }
  return { address, close }
}

const purgeEveryMs = 5 * 60 * 1000

/** Expired rows go every five minutes (reference/oauth-and-storage, 3.5); a failure is logged and tried again. */
function purgeRegularly({ store, server }: Application): NodeJS.Timeout {
  const purge = (): void => {
    store.purgeExpired().catch((error: unknown) => server.log.error({ err: error }, 'purge failed'))
  }
  return setInterval(purge, purgeEveryMs).unref()
}
