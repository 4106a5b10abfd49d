/** The tasks that this process works on: a sign of life for each every few seconds, their progress, and their end. */
import { randomUUID } from 'node:crypto'
import type { Clock, Logger } from '../../contract/store.ts'
import { LeaseSigns, LeaseWatch } from '../../lease-watch.ts'
import type { Scheduler } from '../../scheduler.ts'
import { RunningTask, type TaskWork } from './running-task.ts'
import type { TaskChange, TaskRecord, TaskStore } from './task-record.ts'
import type { TaskSettings } from './task-settings.ts'

export interface RunningTaskOptions {
  readonly store: TaskStore
  readonly bus: TaskSettings['bus']
  readonly clock: Clock
  /** Milliseconds that never go back, of when leases are renewed. */
  readonly monotonic: Clock
  readonly every: Scheduler
  readonly log: Logger
}

/** What the store is told of a task that this process takes. */
type Lease = Required<Pick<TaskChange, 'runner' | 'leaseUntil'>>

export interface RunningTasks {
  /** Takes nothing more. */
  readonly isClosing: boolean
  lease(): Lease
  /** Whether this process still works on it, however late its last sign of life, or another that lives. */
  isHeld(task: Pick<TaskRecord, 'key' | 'runner' | 'leaseUntil'>): boolean
  start(work: TaskWork): void
  /** It has been cancelled in the store: the process that runs it stops. */
  cancelled(task: Pick<TaskRecord, 'key' | 'runner'>): void
  /** That user may have been blocked, null = any user: those that the store has no more are stopped. */
  recheck(userId: string | null): void
  /** Waits so long for those that run. What may be run again is then left to another process, the others have failed. */
  close(patienceMs: number): Promise<void>
  /** Waits no longer than two seconds from now. */
  hurry(): void
}

/** How long a process is believed to live that gives no sign of it. */
const leaseMs = 30_000
const renewEveryMs = 5_000
const beatMs = 1_000
const hurriedMs = 2_000
const topic = 'task'

export function createRunningTasks(options: RunningTaskOptions): RunningTasks {
  const { store, bus, clock, monotonic, log } = options
  const runner = randomUUID()
  const running = new Map<string, RunningTask>()
  const signs = new LeaseSigns(clock, leaseMs)
  const watch = new LeaseWatch({ monotonic, leaseMs })
  const beats = createBeats({ ...options, signs, runner, running })
  let stopBeating: (() => Promise<void>) | null = null
  let isClosing = false
  let hurry: () => void = () => {}

  const left = (task: RunningTask): void => {
    if (running.get(task.key) === task) running.delete(task.key)
    if (running.size > 0) return
    void stopBeating?.()
    stopBeating = null
    hurry()
  }
  bus.subscribe(topic, (key) => running.get(String(key))?.lose())
  bus.onGap(() => void beats.renew())

  return {
    get isClosing() {
      return isClosing
    },
    lease: () => ({ runner, leaseUntil: signs.next() }),
    isHeld({ key, runner: holder, leaseUntil }) {
      if (holder === null) return false
      return (holder === runner && running.has(key)) || !watch.isOver(key, `${holder} ${leaseUntil}`)
    },
    start(work) {
      const task = new RunningTask(work, { store, log, left })
      running.set(task.key, task)
      stopBeating ??= beats.begin()
      task.run()
    },
    cancelled(task) {
      const here = running.get(task.key)
      if (here !== undefined) here.lose()
      else if (task.runner !== null) bus.publish(topic, task.key)
    },
    recheck(userId) {
      if ([...running.values()].some(({ user }) => userId === null || user === userId)) void beats.renew()
    },
    async close(patienceMs) {
      isClosing = true
      if (running.size > 0) {
        await new Promise<void>((resolve) => {
          hurry = resolve
          setTimeout(resolve, patienceMs).unref()
        })
      }
      await Promise.all([...running.values()].map((task) => task.giveUp()))
      await stopBeating?.()
    },
    hurry: () => void setTimeout(() => hurry(), hurriedMs).unref(),
  }
}

interface Beats {
  /** Until what it returns is called: signs of life, and the progress of tasks. */
  begin(): () => Promise<void>
  /** Leases are renewed now. Never rejects. */
  renew(): Promise<void>
}

interface BeatOptions extends Pick<RunningTaskOptions, 'store' | 'monotonic' | 'every' | 'log'> {
  readonly signs: LeaseSigns
  readonly runner: string
  readonly running: ReadonlyMap<string, RunningTask>
}

function createBeats({ store, signs, monotonic, every, log, runner, running }: BeatOptions): Beats {
  let renewAt = 0
  const renew = async (): Promise<void> => {
    const leased = [...running.values()] // what comes meanwhile is not judged
    renewAt = monotonic() + renewEveryMs
    const keys = leased.map(({ key }) => key)
    const kept = new Set(await store.renewTasks(runner, keys, signs.next()))
    for (const task of leased) if (!kept.has(task.key)) task.lose()
  }
  const report = async (): Promise<void> => {
    for (const task of [...running.values()]) await task.beat()
  }
  const attempt = (work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => log.warn({ err: error }, 'tasks could not be kept'))
  return {
    // however long the store takes for what tasks say of themselves, their leases are renewed
    begin() {
      renewAt = monotonic() + renewEveryMs
      const ends = [
        every(beatMs, () => (monotonic() >= renewAt ? attempt(renew) : Promise.resolve())),
        every(beatMs, () => attempt(report)),
      ]
      return async () => {
        await Promise.all(ends.map((end) => end()))
      }
    },
    renew: () => attempt(renew),
  }
}
