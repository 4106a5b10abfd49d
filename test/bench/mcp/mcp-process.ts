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

/** Starts the help desk in `folder`, with the token of a client. */
export async function startDesk(folder: string): Promise<Started & { readonly token: string }> {
  const child = fork(join(import.meta.dirname, 'desk-target.js'), [folder])
  const [{ port, token }] = await once(child, 'message')
  return { child, port: Number(port), token: String(token) }
}

/** Asks a target for its CPU time (microseconds) or its heap (bytes). */
export async function ask(child: ChildProcess, what: 'cpu' | 'heap'): Promise<number> {
  child.send(what)
  const [answer] = await once(child, 'message')
  return Number(answer)
}
