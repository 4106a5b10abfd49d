/** `acmcp serve --watch` as a process of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { folderOf } from '../../cli/support/built-app.ts'
import { freePort } from '../../support/free-port.ts'
import { deploy } from './builds.ts'
import { main, type Test } from './dev-process.ts'

export interface Watched {
  readonly root: string
  readonly baseUrl: string
  readonly process: ChildProcessWithoutNullStreams
  /** Resolves with the next message on standard output that holds the text. */
  readonly until: (text: string) => Promise<string>
  /** Resolves with exit code and signal when no process of it has its output open any more. */
  readonly gone: Promise<readonly unknown[]>
}

type Variables = Readonly<Record<string, string>>

/** `acmcp serve --watch` of build `a`, as a process group of its own. */
export async function spawnWatch(
  t: Test,
  env: Variables = {},
): Promise<ChildProcessWithoutNullStreams & { readonly root: string }> {
  const root = folderOf(t, {})
  await deploy(root, 'a')
  const common = { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent', DATABASE_URL: 'sqlite::memory:' }
  const child = spawn(process.execPath, [main, 'serve', '--watch'], {
    cwd: root,
    env: { ...common, ...env },
    detached: true,
  })
  const gone = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await gone
  })
  return Object.assign(child, { root })
}

export async function watched(t: Test, env: Variables = {}): Promise<Watched> {
  const port = String(await freePort())
  const child = await spawnWatch(t, { PORT: port, ...env })
  const gone = once(child, 'close')
  child.stderr.pipe(process.stderr)
  const messages = lines(child)
  await messages('MCP endpoint')
  return { root: child.root, baseUrl: `http://localhost:${port}`, process: child, until: messages, gone }
}

/** Messages as they come, each told once. */
function lines({ stdout }: ChildProcessWithoutNullStreams): (text: string) => Promise<string> {
  let seen: readonly string[] = []
  let wake = (): void => {}
  createInterface({ input: stdout }).on('line', (line) => {
    seen = [...seen, String(JSON.parse(line).msg)]
    wake()
  })
  return async (text) => {
    for (;;) {
      const at = seen.findIndex((line) => line.includes(text))
      const found = seen[at]
      seen = seen.slice(at + 1)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
}
