/** Questions, on their way over the channel between a supervisor and a worker: either may ask the other. */
import type { WorkersPulse } from '../../boot/settings/readiness.ts'
import type { ProcessMetrics, ShareMetrics } from '../../boot/watching.ts'

/** What each is answered with: by a worker of itself, by the supervisor of its other workers. */
export interface WorkerFacts {
  readonly metrics: readonly ProcessMetrics[]
  readonly pulse: WorkersPulse
}

type Subject = keyof WorkerFacts

/** In both directions. */
export type QuestionMessage =
  | { readonly kind: 'question'; readonly subject: Subject; readonly id: number }
  | { readonly kind: 'answer'; readonly subject: Subject; readonly id: number; readonly answer: unknown }

/** A worker that does not answer within this time is silent, in milliseconds. A scraper waits ten seconds (Prometheus,
 *  `scrape_timeout`), `acmcp health` five. */
const workerPatienceMs: Readonly<Record<Subject, number>> = { metrics: 1_000, pulse: 3_000 }
/** The supervisor waits for its workers. */
const supervisorMoreMs = 1_000

interface Ends<S extends Subject> {
  readonly write: (message: QuestionMessage) => void
  /** What this end has to tell. Never rejects. */
  readonly read: () => Promise<WorkerFacts[S]>
}

/** One end of a channel, for one subject. */
export class QuestionLine<S extends Subject> {
  readonly #subject: S
  readonly #ends: Ends<S>
  readonly #patienceMs: number
  readonly #waiting = new Map<number, (answer: WorkerFacts[S] | null) => void>()
  #lastId = 0

  constructor(subject: S, otherEnd: 'worker' | 'supervisor', ends: Ends<S>) {
    this.#subject = subject
    this.#ends = ends
    this.#patienceMs = workerPatienceMs[subject] + (otherEnd === 'worker' ? 0 : supervisorMoreMs)
  }

  /** Resolves with what the other end has to tell; null when it does not answer in time. */
  ask(): Promise<WorkerFacts[S] | null> {
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#answered(id, null), this.#patienceMs)
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      this.#ends.write({ kind: 'question', subject: this.#subject, id })
    })
  }

  /** Any message of the channel: others have no subject. */
  hear(message: QuestionMessage | null): void {
    if (message?.subject !== this.#subject) return
    if (message.kind === 'question') void this.#answer(message.id)
    else this.#answered(message.id, message.answer as WorkerFacts[S]) // of the other end of this line
  }

  /** The other end is gone. */
  end(): void {
    for (const id of this.#waiting.keys()) this.#answered(id, null)
  }

  async #answer(id: number): Promise<void> {
    const answer = await this.#ends.read()
    this.#ends.write({ kind: 'answer', subject: this.#subject, id, answer })
  }

  #answered(id: number, answer: WorkerFacts[S] | null): void {
    this.#waiting.get(id)?.(answer)
    this.#waiting.delete(id)
  }
}

/** Of this process, which a supervisor started. */
function lineToSupervisor<S extends Subject>(
  subject: S,
  read: () => Promise<WorkerFacts[S]>,
): QuestionLine<S> {
  const line = new QuestionLine(subject, 'supervisor', { write: writeToSupervisor, read })
  process.on('message', (message: QuestionMessage | null) => line.hear(message))
  return line
}

/** One that is gone reads nothing: so be it. */
function writeToSupervisor(message: QuestionMessage): void {
  if (process.connected) process.send?.(message, undefined, {}, () => {})
}

/** With the other workers of the supervisor that started this process. */
export const shareWithWorkers: ShareMetrics = (own) => {
  const line = lineToSupervisor('metrics', async () => [own()])
  return async () => (await line.ask()) ?? []
}

const alone: WorkersPulse = { others: 0, silent: 0 }

/** The function that it returns asks whether the other workers of the supervisor answer; it never rejects. */
export function pulseOfWorkers(): () => Promise<WorkersPulse> {
  const line = lineToSupervisor('pulse', async () => alone)
  return async () => (await line.ask()) ?? alone // a supervisor that stands still serves nothing
}
