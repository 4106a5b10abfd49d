/** Keeps worker processes serving on one port (node:cluster), and puts new ones in their place without a refused connection.
 *  It loads nothing of the application; worker.ts is the other end. Workers share the handle and take connections themselves
 *  (SCHED_NONE): one that the supervisor had handed (round robin) to a worker that ends meanwhile would hang for ever. */
import cluster from 'node:cluster'
import type { BuildReport } from '../contract/build-report.ts'
import { withChosenPort } from './chosen-port.ts'
import type { Say } from './say.ts'
import type { WorkerPlace, WorkerTask } from './workers/protocol.ts'
import { type OtherWorkers, type StopWaits, WorkerProcess } from './workers/worker-process.ts'

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
  /** How much longer workers may take to end; default: no longer. */
  readonly waits?: StopWaits
  /** What a worker that is started now is to serve; default: the build that lies there. */
  readonly task?: () => WorkerTask
}

export interface Supervisor {
  /** Where the workers listen. */
  readonly address: string
  /** Starts new workers, one by one: each serves before the one in its place stops taking connections. Resolves when no connection goes to an old one any more. Rejects with why a new one did not start: the one in its place goes on; once
   *  the supervisor is being closed none is started. `say` says what the first of them says while it starts. */
  replace(say?: Say): Promise<void>
  /** Tells the workers that serve. */
  report(report: BuildReport): void
  /** Where they show the report; null = nowhere. */
  readonly reportAddress: string | null
  /** Ends all in order, after nine seconds by force. Rejects when one could not close. */
  close(): Promise<void>
}

/** Starts the workers. Rejects when one does not start: with a `BootError` when it must not. */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { program, count, standby, say, waits = noLonger, task = () => lastBuild } = options
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ ...program, args: [...program.args] })
  const { PORT } = await withChosenPort(process.env) // all workers listen on it, one after the other too
  const env = PORT === undefined ? {} : { PORT }
  const workers = new Set<WorkerProcess>()
  const kill = (): void => {
    for (const worker of workers) worker.kill()
  }
  process.on('exit', kill)
  const slots = Array.from({ length: count }, (_, at) => {
    const place = { count, cleans: at === 0 }
    return new WorkerSlot(workers, { standby, say, waits, task, place, env })
  })
  const [first, ...others] = slots
  try {
    await first?.replace(say) // it brings the store up to date
    await Promise.all(others.map((slot) => slot.replace()))
  } catch (error) {
    kill()
    throw error
  }
  return {
    address: slots[0]?.address ?? '',
    async replace(relay = silent) {
      for (const [at, slot] of slots.entries())
        await slot.replace(at === 0 ? relay : silent).catch((error: unknown) => {
          if (at === 0) throw error
          const why = `${at} of ${slots.length} workers were replaced: ${textOf(error)}`
          throw new Error(why, { cause: error })
        })
    },
    report(report) {
      for (const slot of slots) slot.report(report)
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

/** What those of `workers` tell that serve beside one. */
function othersOf(workers: ReadonlySet<WorkerProcess>, worker: WorkerProcess): OtherWorkers {
  const others = (): readonly WorkerProcess[] =>
    [...workers].filter((other) => other !== worker && other.isServing)
  return {
    metrics: async () => (await Promise.all(others().map((other) => other.metrics()))).flat(),
    async pulse() {
      const silent = await Promise.all(others().map((other) => other.isSilent()))
      return { others: silent.length, silent: silent.filter(Boolean).length }
    },
  }
}

const noLonger: StopWaits = { shutdownDelayMs: 0, retirementMs: 0 }

const lastBuild: WorkerTask = { serves: 'application', report: null }

interface SlotOptions extends Required<Omit<SupervisorOptions, 'program' | 'count'>> {
  readonly place: WorkerPlace
  /** What a worker has beside the variables of this process. */
  readonly env: Readonly<Record<string, string>>
}

/** How long after its end a worker is started again: twice as long each time, until one has lived for a while; one that has served
 *  waits for no longer than a second. */
const firstWaitMs = 100
const maxWaitMs = 10_000
const maxWaitAfterServingMs = 1_000
const steadyMs = 1_000

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

  report(report: BuildReport): void {
    this.#current?.report(report)
  }

  async replace(relay: Say = silent): Promise<void> {
    if (this.#isLeftEmpty) throw new Error('the supervisor is being closed') // `close` would not know of the new one
    const next = this.#standby ?? this.#fork()
    this.#standby = null
    try {
      await next.start(this.#options.task(), this.#options.place, relay)
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
    const worker = new WorkerProcess(cluster.fork(this.#options.env), this.#options.waits)
    this.#workers.add(worker)
    worker.answerBy(othersOf(this.#workers, worker))
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
    const isSteady = performance.now() - bornMs > steadyMs
    this.#waitMs = isSteady ? firstWaitMs : Math.min(this.#waitMs, maxWaitAfterServingMs)
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
    this.#waitMs = Math.min(2 * this.#waitMs, maxWaitMs)
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
