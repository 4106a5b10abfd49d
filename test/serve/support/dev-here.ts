/** `acmcp dev` in this process: the compiler is loaded once a test file, not once a start. Its workers are processes as ever. */
import { buildAndServe } from '../../../cli/capabilities/dev/commands/dev.ts'
import { folderOf } from '../../cli/support/built-app.ts'
import type { Files } from '../../cli/support/memory-host.ts'
import { freePort } from '../../support/free-port.ts'
import { type DevProcess, linesSaid, main, type Test } from './dev-process.ts'

export interface DevHere extends Pick<DevProcess, 'root' | 'baseUrl' | 'until'> {
  /** Resolves with the exit code. */
  readonly stop: () => Promise<number>
}

/** Of an application with these files, which was never built unless `before` does; one at a time, since workers have the variables of
 *  this process. */
export async function startDevHere(
  t: Test,
  files: Files,
  env: Readonly<Record<string, string>> = {},
  before: (root: string) => Promise<void> = async () => {},
): Promise<DevHere> {
  const root = folderOf(t, files)
  await before(root)
  return startDevHereIn(t, root, env)
}

/** Of an application in a folder that is there. */
export async function startDevHereIn(
  t: Test,
  root: string,
  env: Readonly<Record<string, string>> = {},
): Promise<DevHere> {
  const port = String(await freePort())
  const variables = { PORT: port, LOG_LEVEL: 'silent', DATABASE_URL: 'sqlite::memory:', ...env }
  Object.assign(process.env, variables)
  const { say, until } = linesSaid(port)
  const print = (text: string): void => text.split('\n').forEach(say)
  const stopping = new AbortController()
  const context = {
    cwd: root,
    env: process.env,
    main,
    print,
    warn: print,
    errors: { isTerminal: false, colour: false },
    progress: null,
  }
  const ended = buildAndServe(context, stopping.signal)
  const stop = async (): Promise<number> => {
    stopping.abort()
    const code = await ended
    for (const name of Object.keys(variables)) delete process.env[name]
    return code
  }
  t.teardown(async () => void (await stop()))
  return { root, baseUrl: `http://localhost:${port}`, until, stop }
}
