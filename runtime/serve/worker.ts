/** `serve` as a worker: the process that a supervisor (supervisor.ts) started. It tells the supervisor what becomes of it,
 *  and ends in order when it is told to. When the channel closes, node:cluster ends the process. */
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import { BootError } from '../boot/boot-error.ts'
import type { Level } from './say.ts'
import { type RunningServer, type ServeOptions, type Started, start } from './serve.ts'

export type WorkerMessage =
  /** It has loaded acmcp and nothing of the application: it waits to be told. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'say'; readonly level: Level; readonly message: string }
  /** It listens. `version` names the list of tools. */
  | { readonly kind: 'ready'; readonly address: string; readonly version: string }
  /** It takes no further connection. */
  | { readonly kind: 'draining' }
  /** It could not start, or could not close: it waits to be killed. */
  | { readonly kind: 'failed'; readonly name: string; readonly message: string; readonly stack: string }

export type SupervisorMessage =
  /** The build lies there. */
  | { readonly kind: 'start' }
  /** `successor` is the version of the one that is ready in its place, null when there is none. */
  | { readonly kind: 'stop'; readonly successor: string | null }

/** Serves, when it is told to, until the supervisor or a signal ends it. What is wrong with the application is the supervisor's to say: then this
 *  never resolves. */
export async function serveAsWorker(options: ServeOptions): Promise<RunningServer> {
  if (process.send === undefined) throw new BootError('serve --worker is started by serve --watch alone')
  try {
    await toldToStart()
    const say = (level: Level, message: string): void => void tell({ kind: 'say', level, message })
    const started = await start({ ...options, say, listen })
    const close = onceOnly((successor: string | null) => closeInOrder(started, successor))
    process.on('message', (message: SupervisorMessage) => {
      if (message.kind !== 'stop') return
      void close(message.successor).then(() => process.disconnect?.(), tellFailure) // node:cluster ends it
    })
    await tell({ kind: 'ready', address: started.address, version: started.version })
    return { address: started.address, close: () => close(null) }
  } catch (error) {
    await tellFailure(error)
    return new Promise(() => {})
  }
}

async function toldToStart(): Promise<void> {
  const told = once(process, 'message')
  await tell({ kind: 'waiting' })
  await told
}

/** By Node itself: Fastify would log each address once more with every build. */
async function listen(
  { server }: Started['application'],
  at: { readonly host: string; readonly port: number },
): Promise<string> {
  await server.ready()
  server.server.listen(at)
  await once(server.server, 'listening')
  return server.listeningOrigin
}

/** How long clients have to see that a connection has ended before they are given a reason to use it. */
const noticeMs = 250

/** Clients that listen for changes of the list of tools are told when the successor has another one. Source: decisions.md,
 *  notification stream. */
async function closeInOrder(
  { application, version, close }: Started,
  successor: string | null,
): Promise<void> {
  application.server.server.close() // first, and with it what is idle: whoever hears of the change asks the successor
  void tell({ kind: 'draining' })
  if (successor !== null && successor !== version) {
    await after(noticeMs)
    application.streams.toolsChanged()
  }
  await close()
}

/** A signal and the supervisor may both ask for it. */
function onceOnly<Value>(close: (value: Value) => Promise<void>): (value: Value) => Promise<void> {
  let closed: Promise<void> | null = null
  return (value) => {
    closed ??= close(value)
    return closed
  }
}

function tellFailure(error: unknown): Promise<void> {
  const { name, message, stack = message } = error instanceof Error ? error : new Error(String(error))
  return tell({ kind: 'failed', name, message, stack })
}

/** Resolves when it is on its way; a supervisor that has gone hears nothing. */
function tell(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve())
    else resolve()
  })
}
