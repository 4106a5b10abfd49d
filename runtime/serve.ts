/** `acmcp serve`: loads the bundle, reads the environment, listens. Loads no compiler. */
import { randomBytes, randomInt } from 'node:crypto'
import { type Application, createApplication } from './application.ts'
import { loadBundle } from './bundle.ts'
import { readEnvironment, type Variables } from './environment.ts'
import { byTimer } from './regularly.ts'

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
  const stopPurging = purgeRegularly(application)
  const address = await application.server.listen({ host: environment.host, port: environment.port })
  options.print(`acmcp serves ${environment.baseUrl}`)
  if (environment.devLogin) options.print(`  sign in (development): ${environment.baseUrl}/auth`)
  options.print(`  MCP endpoint to paste into a client: ${environment.baseUrl}${application.mcpPath}`)
  const close = async (): Promise<void> => {
    await stopPurging()
    await application.close()
  }
  return { address, close }
}

const purgeEveryMs = 5 * 60 * 1000
/** So that instances that started together do not purge together. */
const jitterMs = 30_000

/** Expired rows go every five minutes (reference/oauth-and-storage, 3.5); a failure is logged and tried again. Answers
 *  what ends it. */
function purgeRegularly({ store, server }: Application): () => Promise<void> {
  return byTimer(purgeEveryMs + randomInt(-jitterMs, jitterMs), async () => {
    await store.purgeExpired().catch((error: unknown) => {
      server.log.error({ err: error }, 'purge failed')
    })
  })
}
