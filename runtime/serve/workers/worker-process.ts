/** One process of a supervisor, and what it says. */
import type { Worker } from 'node:cluster'
import { BootError } from '../../boot/boot-error.ts'
import type { ProcessMetrics } from '../../boot/watching.ts'
import type { BuildReport } from '../../contract/build-report.ts'
import type { Say } from '../say.ts'
import type { SupervisorMessage, WorkerMessage, WorkerPlace, WorkerTask } from './protocol.ts'
import { QuestionLine, type QuestionMessage, type WorkerFacts } from './question-line.ts'

/** A supervisor kills us after ten seconds. */
const maxStoppingMs = 9_000

/** What comes on top of the time in which it must end, in milliseconds. */
export interface StopWaits {
  /** How long it serves on when no worker takes its place. */
  readonly shutdownDelayMs: number
  /** How long its requests may take when one does. */
  readonly retirementMs: number
}

/** Reads the other workers. Never rejects. */
export type OtherWorkers = { readonly [Subject in keyof WorkerFacts]: () => Promise<WorkerFacts[Subject]> }

/** It waits to be started. */
export class WorkerProcess {
  /** Resolves with the exit code or the signal. */
  readonly exited: Promise<string>
  /** Resolves when it takes no further connection. */
  readonly draining: Promise<unknown>
  address = ''
  /** Names its list of tools. */
  version = ''
  reportAddress: string | null = null
  readonly #worker: Worker
  readonly #waiting: Promise<unknown>
  readonly #metrics = new QuestionLine('metrics', 'worker', {
    write: (message) => this.#send(message),
    read: () => this.#others.metrics(),
  })
  readonly #pulse = new QuestionLine('pulse', 'worker', {
    write: (message) => this.#send(message),
    read: () => this.#others.pulse(),
  })
  readonly #waits: StopWaits
  #others: OtherWorkers = { metrics: async () => [], pulse: async () => ({ others: 0, silent: 0 }) }
  #force: NodeJS.Timeout | undefined
  #stopped: Promise<void> | null = null

  constructor(worker: Worker, waits: StopWaits) {
    this.#worker = worker
    this.#waits = waits
    this.#waiting = this.#messageOf('waiting')
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', (code: number | null, signal) => resolve(signal ?? `exit code ${code}`))
      this.#worker.once('error', (error: Error) => resolve(error.message)) // there was none
    })
    this.draining = Promise.race([this.#messageOf('draining'), this.exited])
    void this.exited.then(() => {
      this.#metrics.end()
      this.#pulse.end()
    })
  }

  /** Resolves when it serves. */
  async start(task: WorkerTask, place: WorkerPlace, relay: Say): Promise<void> {
    await Promise.race([this.#waiting, this.exited])
    this.#send({ kind: 'start', task, place })
    this.#worker.on('message', (message: WorkerMessage | null) => {
      if (message?.kind === 'say') relay(message.level, message.message)
    })
    const said = await Promise.race([this.#messageOf('ready'), this.#messageOf('failed'), this.exited])
    if (typeof said === 'string') throw new BootError(`the application ended (${said}) before it served`)
    if (said.kind === 'failed') throw await this.#failed(said)
    this.address = said.address
    this.version = said.version
    this.reportAddress = said.reportAddress
  }

  report(report: BuildReport): void {
    this.#send({ kind: 'report', report })
  }

  get isServing(): boolean {
    return this.address !== ''
  }

  /** Its metrics; nothing when it does not answer in time, or ends. */
  async metrics(): Promise<readonly ProcessMetrics[]> {
    return (await this.#metrics.ask()) ?? []
  }

  /** Whether it does not answer in time. */
  async isSilent(): Promise<boolean> {
    return (await Promise.race([this.#pulse.ask(), this.exited])) === null
  }

  /** What is answered when it asks about the others. */
  answerBy(others: OtherWorkers): void {
    this.#others = others
    this.#worker.on('message', (message: QuestionMessage | null) => {
      this.#metrics.hear(message)
      this.#pulse.hear(message)
    })
  }

  /** Ends it in order, in the end by force; `successor` is the version of the one in its place. With null it hurries, although it has been
   *  told to end before. */
  stop(successor: string | null): Promise<void> {
    if (this.#stopped !== null && successor === null) this.#order(null, maxStoppingMs)
    this.#stopped ??= this.isServing ? this.#stop(successor) : this.#killed()
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
    const { shutdownDelayMs, retirementMs } = this.#waits
    this.#order(successor, maxStoppingMs + (successor === null ? shutdownDelayMs : retirementMs))
    const said = await Promise.race([this.#messageOf('failed'), this.exited])
    clearTimeout(this.#force)
    if (typeof said !== 'string') throw await this.#failed(said)
    if (said === 'SIGKILL') throw new Error('it did not stop in time')
    if (said !== 'exit code 0') throw new Error(`it ended with ${said}`)
  }

  #order(successor: string | null, maxMs: number): void {
    clearTimeout(this.#force)
    this.#force = setTimeout(() => this.kill(), maxMs)
    this.#send({ kind: 'stop', successor })
  }

  /** To one that is gone by now: so be it. */
  #send(message: SupervisorMessage): void {
    this.#worker.send(message, () => {})
  }

  async #failed({ name, message, stack }: MessageOf<'failed'>): Promise<Error> {
    await this.#killed()
    return name === 'BootError' ? new BootError(message) : Object.assign(new Error(message), { stack })
  }

  /** Resolves with the next message of this kind. */
  #messageOf<Kind extends WorkerMessage['kind']>(kind: Kind): Promise<MessageOf<Kind>> {
    const isMeant = (message: WorkerMessage | null): message is MessageOf<Kind> => message?.kind === kind // an application may send too
    return new Promise((resolve) => {
      this.#worker.on('message', (message: WorkerMessage | null) => {
        if (isMeant(message)) resolve(message)
      })
    })
  }
}

type MessageOf<Kind> = Extract<WorkerMessage, { readonly kind: Kind }>
