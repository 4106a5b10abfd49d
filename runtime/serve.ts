/** `acmcp serve`: loads the bundle, reads the environment, listens. Loads no compiler. */
import { randomBytes } from 'node:crypto'
import { createApplication } from './application.ts'
import { loadBundle } from './bundle.ts'
import { readEnvironment, type Variables } from './environment.ts'

export interface ServeOptions {
  /** The application's folder. */
  readonly cwd: string
  readonly env: Variables
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
    clock: () => Date.now(),
    randomBytes: (count) => randomBytes(count),
  })
  const address = await application.server.listen({ host: environment.host, port: environment.port })
  options.print(`acmcp serves ${environment.baseUrl}`)
  if (environment.devLogin) options.print(`  sign in (development): ${environment.baseUrl}/auth`)
  options.print(`  MCP endpoint to paste into a client: ${environment.baseUrl}${application.mcpPath}`)
  return { address, close: application.close }
}
