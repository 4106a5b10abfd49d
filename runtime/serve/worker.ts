/** `serve` as a worker: the process that a supervisor (supervisor.ts) started. It serves the application, or for `acmcp dev` what
 *  its last build said, tells the supervisor what becomes of it, and ends in order when it is told to. When the channel closes, node:cluster ends the process. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BootError } from '../boot/boot-error.ts'
import type { BuildReport } from '../contract/build-report.ts'
import { buildReportAddress, buildReportPage, serveReport } from './dev/report-server.ts'
import type { Level } from './say.ts'
import { type RunningServer, type ServeOptions, type Started, type StartOptions, start } from './serve.ts'
import type { Serving, StartOrder, SupervisorMessage, WorkerMessage } from './workers/protocol.ts'
import { pulseOfWorkers, shareWithWorkers } from './workers/question-line.ts'

/** Serves, when it is told to, until the supervisor or a signal ends it. What is wrong with the application is the supervisor's to say: then this
 *  never resolves. */
export async function serveAsWorker(options: ServeOptions): Promise<RunningServer> {
  if (process.send === undefined)
    throw new BootError('serve --worker is started by serve --workers, serve --watch and dev')
  try {
    process.on('SIGHUP', () => {}) // the supervisor's, though all of a group may get it
    const order = await startOrder()
    const { serving, hurry, close: closeWith } = await startTask(order, options)
    const close = onceOnly(closeWith, hurry)
    process.on('message', (message: SupervisorMessage) => {
      if (message.kind === 'stop') void close(message.successor).then(leave, sendFailure)
    })
    await sendMessage({ kind: 'ready', ...serving })
    return { address: serving.address, close: () => close(null) }
  } catch (error) {
    await sendFailure(error)
    return new Promise(() => {})
  }
}

/** node:cluster ends the process. It may be told to end twice. */
function leave(): void {
  if (process.connected) process.disconnect()
}

async function startOrder(): Promise<StartOrder> {
  const order = once(process, 'message') as Promise<[SupervisorMessage]> // of a supervisor, which starts it first
  await sendMessage({ kind: 'waiting' })
  const [message] = await order
  if (message.kind !== 'start') throw new Error(`a worker is started first, not told: ${message.kind}`)
  return message
}

interface Running {
  readonly serving: Serving
  readonly close: (successor: string | null) => Promise<void>
  /** Closes faster than for a successor. */
  readonly hurry: () => void
}

async function startTask({ task, place }: StartOrder, options: ServeOptions): Promise<Running> {
  const { serves, report } = task
  if (serves === 'report') return startReport(options, latest(report))
  const say = (level: Level, message: string): void => void sendMessage({ kind: 'say', level, message })
  const pages = report === null ? {} : { unclaimed: buildReportPage(latest(report)) }
  const several = place.count === 1 ? {} : { shareMetrics: shareWithWorkers, askWorkers: pulseOfWorkers() }
  const among = { isWorker: true, ...several }
  const listen = (...at: Parameters<StartOptions['listen']>): Promise<string> =>
    listenAt(at, options.watch === true)
  const started = await start({ ...options, ...pages, say, listen, place, among })
  const { address, version } = started
  const reportAddress = report === null ? null : buildReportAddress(started)
  return {
    serving: { address, version, reportAddress },
    close: (successor) => closeInOrder(started, successor),
    hurry: started.application.hurry,
  }
}

async function startReport(options: ServeOptions, report: () => BuildReport): Promise<Running> {
  const { address, reportAddress, close } = await serveReport(options, report)
  return {
    serving: { address, reportAddress, version: '' },
    close: async (successor) => {
      const closed = close(successor !== null)
      void sendMessage({ kind: 'draining' })
      await closed
    },
    hurry: () => {},
  }
}

/** The last of the reports that are told. */
function latest(first: BuildReport): () => BuildReport {
  let report = first
  process.on('message', (message: SupervisorMessage) => {
    if (message.kind === 'report') report = message.report
  })
  return () => report
}

/** By Node itself: Fastify would log each address once more with every build. Where builds follow each other no connection is kept: its
 *  client would send the next request to the build before, or while the connection is being closed. */
async function listenAt(
  [{ server }, at]: Parameters<StartOptions['listen']>,
  buildsFollow: boolean,
): Promise<string> {
  await server.ready()
  if (buildsFollow) server.server.prependListener('request', endConnection)
  server.server.listen(at)
  await once(server.server, 'listening')
  return server.listeningOrigin
}

const endConnection = (_request: IncomingMessage, response: ServerResponse): void =>
  void response.setHeader('connection', 'close')

/** Clients that listen for changes of lists are told when the successor may have others. Source: rules.md, notification stream. */
async function closeInOrder(
  { application, version, drain, close }: Started,
  successor: string | null,
): Promise<void> {
  // first: a client that hears of the change asks the successor
  await drain(() => void sendMessage({ kind: 'draining' }), successor !== null)
  if (successor !== null && successor !== version) application.streams.listsChanged()
  await close(successor !== null)
}

/** A signal and the supervisor may both ask for it, and the supervisor again when it ends itself. */
function onceOnly<Value>(
  close: (value: Value) => Promise<void>,
  again: () => void,
): (value: Value) => Promise<void> {
  let closed: Promise<void> | null = null
  return (value) => {
    if (closed !== null) again()
    closed ??= close(value)
    return closed
  }
}

function sendFailure(error: unknown): Promise<void> {
  const { name, message, stack = message } = error instanceof Error ? error : new Error(String(error))
  return sendMessage({ kind: 'failed', name, message, stack })
}

/** Resolves when it is on its way; a supervisor that has gone hears nothing. */
function sendMessage(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve())
    else resolve()
  })
}
