/** Keeps worker processes serving on one port (node:cluster), and puts new ones in their place without a refused connection.
 *  It loads nothing of the application; worker.ts is the other end. Workers share the handle and take connections themselves
 *  (SCHED_NONE): one that the supervisor had handed (round robin) to a worker that ends meanwhile would hang for ever. */
import cluster from 'node:cluster'
import { BootError } from '../boot/boot-error.ts'
import type { BuildReport } from '../contract/build-report.ts'
import type { Say } from './say.ts'
import type { SupervisorMessage, WorkerMessage, WorkerTask } from './worker.ts'

export interface SupervisorOptions {
  /** What each worker runs: a program that calls `serveAsWorker`. */
  readonly program: { readonly exec: string; readonly args: readonly string[]; readonly cwd: string }
  /** How many workers. */
  readonly count: number
  /** Whether one process more waits beside each worker, with all of acmcp and nothing of the application loaded: `replace`
   *  takes it, and need not wait for a start of Node. */
  readonly standby: boolean
  /** Says what the first worker says while it starts, and later what goes wrong with any. */
  readonly say: Say
  /** What a worker that is started now is to serve; default: the build that lies there. */
  readonly task?: () => WorkerTask
}

export interface Supervisor {
  /** Where the workers listen. */
  readonly address: string
  /** Starts new workers, one by one: each serves before the one in its place stops taking connections. Resolves when no
   *  connection goes to an old one any more. Rejects with why a new one did not start: the one in its place goes on; once
   *  the supervisor is being closed none is started. `say` says what the first of them says while it starts. */
  replace(say?: Say): Promise<void>
  /** Tells the workers that serve. */
  tell(report: BuildReport): void
  /** Where they show the report; null = nowhere. */
  readonly reportAddress: string | null
  /** Ends all in order, after nine seconds by force. Rejects when one could not close. */
  close(): Promise<void>
}

/** Starts the workers. Rejects when one does not start: with a `BootError` when it must not. */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { program, count, standby, say, task = () => lastBuild } = options
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ ...program, args: [...program.args] })
  const workers = new Set<WorkerProcess>()
  const kill = (): void => {
    for (const worker of workers) worker.kill()
  }
  process.on('exit', kill)
  const slots = Array.from({ length: count }, () => new WorkerSlot(workers, { standby, say, task }))
  try {
    for (const slot of slots) await slot.replace(slot === slots[0] ? say : silent)
  } catch (error) {
    kill()
    throw error
  }
  return {
    address: slots[0]?.address ?? '',
    async replace(relay = silent) {
      for (const slot of slots) await slot.replace(slot === slots[0] ? relay : silent)
    },
    tell(report) {
      for (const slot of slots) slot.tell(report)
    },
    get reportAddress() {
      return slots[0]?.reportAddress ?? null
    },
    async close() {
      for (const slot of slots) slot.leaveEmpty()
      await Promise.all([...workers].map((worker) => worker.stop(null)))
    },
  }
}

const silent: Say = () => {}

const lastBuild: WorkerTask = { serves: 'application', report: null }

type SlotOptions = Required<Pick<SupervisorOptions, 'standby' | 'say' | 'task'>>

/** How long after its end a worker is started again: twice as long each time, until one has lived for a while. */
const firstWaitMs = 100
const mostWaitMs = 10_000
const steadyMs = 10_000

/** Where one worker serves after the other. */
class WorkerSlot {
  readonly #workers: Set<WorkerProcess>
  readonly #options: SlotOptions
  #current: WorkerProcess | null = null
  #standby: WorkerProcess | null = null
  #isLeftEmpty = false
  #waitMs = firstWaitMs
  #restart: NodeJS.Timeout | undefined

  constructor(workers: Set<WorkerProcess>, options: SlotOptions) {
    this.#workers = workers
    this.#options = options
  }

  get address(): string {
    return this.#current?.address ?? ''
  }

  get reportAddress(): string | null {
    return this.#current?.reportAddress ?? null
  }

  tell(report: BuildReport): void {
    this.#current?.tell(report)
  }

  async replace(relay: Say = silent): Promise<void> {
    if (this.#isLeftEmpty) throw new Error('the supervisor is being closed') // `close` would not know of the new one
    const next = this.#standby ?? this.#fork()
    this.#standby = null
    try {
      await next.start(this.#options.task(), relay)
      clearTimeout(this.#restart)
    } catch (error) {
      this.#prepare()
      throw error
    }
    const before = this.#current
    this.#current = next
    this.#restartAfter(next)
    if (before !== null) await this.#retire(before, next.version)
    else this.#prepare()
  }

  #fork(): WorkerProcess {
    const worker = new WorkerProcess()
    this.#workers.add(worker)
    void worker.exited.then(() => {
      this.#workers.delete(worker)
      if (this.#standby === worker) this.#standby = null
    })
    return worker
  }

  /** Forks the next one, after whatever waits for this one: a fork takes its time. */
  #prepare(): void {
    if (!this.#options.standby) return
    setImmediate(() => {
      if (this.#current !== null && !this.#isLeftEmpty) this.#standby ??= this.#fork()
    })
  }

  /** Resolves when it takes no further connection. */
  async #retire(before: WorkerProcess, successor: string): Promise<void> {
    const stopped = before.stop(successor).catch((error: unknown) => {
      this.#options.say('error', `acmcp: the old build did not close: ${textOf(error)}`)
    })
    void stopped.then(() => this.#prepare())
    await before.draining
  }

  /** Nothing is started here again. */
  leaveEmpty(): void {
    this.#isLeftEmpty = true
    clearTimeout(this.#restart)
  }

  async #restartAfter(worker: WorkerProcess): Promise<void> {
    const bornMs = performance.now()
    const how = await worker.exited
    if (this.#current !== worker || this.#isLeftEmpty) return
    this.#current = null
    if (performance.now() - bornMs > steadyMs) this.#waitMs = firstWaitMs
    this.#restartLater(`acmcp: the application ended (${how}): it is started again`)
  }

  #restartLater(why: string): void {
    this.#options.say('error', why)
    const again = async (): Promise<void> => {
      try {
        await this.replace()
        this.#options.say('info', 'acmcp serves again')
      } catch (error) {
        if (this.#current !== null || this.#isLeftEmpty) return
        this.#restartLater(`acmcp: the application does not start again: ${textOf(error)}`)
      }
    }
    this.#restart = setTimeout(again, this.#waitMs)
    this.#waitMs = Math.min(2 * this.#waitMs, mostWaitMs)
  }
}

/** Whoever supervises us kills after ten seconds. */
const mostStoppingMs = 9_000

/** One process. */
class WorkerProcess {
  /** Resolves with the exit code or the signal. */
  readonly exited: Promise<string>
  /** Resolves when it takes no further connection. */
  readonly draining: Promise<unknown>
  address = ''
  /** Names its list of tools. */
  version = ''
  reportAddress: string | null = null
  readonly #worker = cluster.fork()
  readonly #waiting = this.#told('waiting')
  #stopped: Promise<void> | null = null

  constructor() {
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', (code: number | null, signal) => resolve(signal ?? `exit code ${code}`))
      this.#worker.once('error', (error: Error) => resolve(error.message)) // there was none
    })
    this.draining = Promise.race([this.#told('draining'), this.exited])
  }

  /** Resolves when it serves. */
  async start(task: WorkerTask, relay: Say): Promise<void> {
    await Promise.race([this.#waiting, this.exited])
    this.#send({ kind: 'start', task })
    this.#worker.on('message', (message: WorkerMessage | null) => {
      if (message?.kind === 'say') relay(message.level, message.message)
    })
    const said = await Promise.race([this.#told('ready'), this.#told('failed'), this.exited])
    if (typeof said === 'string') throw new BootError(`the application ended (${said}) before it served`)
    if (said.kind === 'failed') throw await this.#failed(said)
    this.address = said.address
    this.version = said.version
    this.reportAddress = said.reportAddress
  }

  tell(report: BuildReport): void {
    this.#send({ kind: 'report', report })
  }

  /** Ends it in order, before it serves by force; `successor` is the version of the one in its place. */
  stop(successor: string | null): Promise<void> {
    this.#stopped ??= this.address === '' ? this.#killed() : this.#stop(successor)
    return this.#stopped
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  async #killed(): Promise<void> {
    this.kill()
    await this.exited
  }

  async #stop(successor: string | null): Promise<void> {
    const force = setTimeout(() => this.kill(), mostStoppingMs)
    this.#send({ kind: 'stop', successor })
    const said = await Promise.race([this.#told('failed'), this.exited])
    clearTimeout(force)
    if (typeof said !== 'string') throw await this.#failed(said)
    if (said === 'SIGKILL') throw new Error('it did not stop in time')
    if (said !== 'exit code 0') throw new Error(`it ended with ${said}`)
  }

  /** To one that is gone by now: so be it. */
  #send(message: SupervisorMessage): void {
    this.#worker.send(message, () => {})
  }

  async #failed({ name, message, stack }: Told<'failed'>): Promise<Error> {
    await this.#killed()
    return name === 'BootError' ? new BootError(message) : Object.assign(new Error(message), { stack })
  }

  /** Resolves with the next message of this kind. */
  #told<Kind extends WorkerMessage['kind']>(kind: Kind): Promise<Told<Kind>> {
    const isMeant = (message: WorkerMessage | null): message is Told<Kind> => message?.kind === kind // an application may send too
    return new Promise((resolve) => {
      this.#worker.on('message', (message: WorkerMessage | null) => {
        if (isMeant(message)) resolve(message)
      })
    })
  }
}

type Told<Kind> = Extract<WorkerMessage, { readonly kind: Kind }>

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
