/** `acmcp serve --workers` as a process of its own, which a test restarts, kills and stops. For tests and tortures. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export interface InstanceOptions {
  /** The application's folder, built. */
  readonly cwd: string
  readonly port: number
  readonly workers: number
  /** Beside `PATH` and `PORT`; its `LOG_LEVEL` is `silent` unless told otherwise. */
  readonly env?: Readonly<Record<string, string>>
  /** More of the command line. */
  readonly args?: readonly string[]
}

export interface Instance {
  readonly baseUrl: string
  readonly process: ChildProcessByStdio<null, Readable, null>
  /** Everything that it has said. */
  readonly said: readonly string[]
  /** Resolves with the next message on standard output that holds the text; each is told once. Rejects when there is none any more. */
  until(text: string): Promise<string>
  /** A rolling restart: resolves when every worker was replaced. Rejects with why one was not. */
  restart(): Promise<void>
  /** The processes below the supervisor, those that end included. */
  workerPids(): readonly number[]
  /** Kills one process below the supervisor; resolves when another serves in its place, with the milliseconds that it took. */
  killWorker(pid: number): Promise<number>
  /** Resolves with exit code and signal when no process of it has its output open any more. */
  readonly gone: Promise<readonly unknown[]>
  /** SIGTERM; the same. */
  stop(): Promise<readonly unknown[]>
}

/** Resolves when all workers serve. */
export async function startInstance({
  cwd,
  port,
  workers,
  env,
  args = [],
}: InstanceOptions): Promise<Instance> {
  const main = join(process.cwd(), 'dist/cli/main.js')
  const child = spawn(process.execPath, [main, 'serve', '--workers', String(workers), ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', PORT: String(port), LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close')
  const { said, until } = messagesOf(child.stdout)
  await until(workers === 1 ? 'MCP endpoint' : 'workers serve')
  return {
    baseUrl: `http://localhost:${port}`,
    process: child,
    said,
    until,
    async restart() {
      child.kill('SIGHUP')
      const outcome = await until('restarted')
      if (outcome.includes('not restarted')) throw new Error(outcome)
    },
    workerPids: () => childrenOf(Number(child.pid)),
    async killWorker(pid) {
      const began = performance.now()
      process.kill(pid, 'SIGKILL')
      await until('acmcp serves again')
      return performance.now() - began
    },
    gone,
    stop() {
      child.kill('SIGTERM')
      return gone
    },
  }
}

/** Linux. */
function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

function messagesOf(stdout: Readable): Pick<Instance, 'said' | 'until'> {
  const said: string[] = []
  let at = 0
  let hasEnded = false
  let wake = (): void => {}
  const lines = createInterface({ input: stdout })
  lines.on('line', (line) => {
    said.push(messageIn(line))
    wake()
  })
  lines.on('close', () => {
    hasEnded = true
    wake()
  })
  const until = async (text: string): Promise<string> => {
    for (;;) {
      while (at < said.length) {
        const line = said[at]
        at += 1
        if (line?.includes(text)) return line
      }
      if (hasEnded) throw new Error(`it ended without saying ${text}:\n${said.slice(-20).join('\n')}`)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { said, until }
}

/** With the stack of an error. What is no line of the log is the application's. */
function messageIn(line: string): string {
  try {
    const { msg, err } = JSON.parse(line)
    return err === undefined ? String(msg) : `${msg}: ${err.stack}`
  } catch {
    return line
  }
}
