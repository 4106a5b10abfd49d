/** Servers of the benches in processes of their own. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface Started {
  readonly child: ChildProcess
  readonly port: number
}

/** Starts `mcp-target` with these arguments; it ends when it is disconnected. */
export async function startTarget(...args: readonly string[]): Promise<Started> {
  const child = fork(join(import.meta.dirname, 'mcp-target.js'), args, { execArgv: ['--expose-gc'] })
  const [port] = await once(child, 'message')
  return { child, port: Number(port) }
}

/** Asks a target for its CPU time (microseconds) or its heap (bytes). */
export async function ask(child: ChildProcess, what: 'cpu' | 'heap'): Promise<number> {
  child.send(what)
  const [answer] = await once(child, 'message')
  return Number(answer)
}
