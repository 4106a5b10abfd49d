/** `acmcp health`: whether a server answers, for a container's health check. Starts nothing. */
import { askHealth } from '../../runtime/serve/health.ts'
import { withEnvFile } from './refusal.ts'

export interface HealthCommandOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly url: URL | null
  readonly store: boolean
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
}

/** Says what was asked; the exit code: 1 when the server is not well. */
export function health({ cwd, print, warn, ...options }: HealthCommandOptions): Promise<0 | 1> {
  return withEnvFile(cwd, warn, () => askAndSay({ cwd, print, warn, ...options }))
}

async function askAndSay({ print, warn, ...options }: HealthCommandOptions): Promise<0 | 1> {
  const asked = await askHealth(options)
  for (const { what, wrong } of asked) {
    if (wrong === null) print(what)
    else warn(`acmcp: not healthy: ${what}: ${wrong}`)
  }
  return asked.every(({ wrong }) => wrong === null) ? 0 : 1
}
