/** Calls that wait for a decision, which may be made at another instance. */
import type { Bus } from '../../contract/bus.ts'
import { type DeadlineOptions, Deadlines } from '../../http/limits/call-time.ts'

/** Of the bus: the id of an approval. */
export const approvalTopic = 'approval'
/** Most clients wait a minute for an answer, some half of that. */
const holdSeconds = 25
/** Calls that wait for one decision; further ones are answered at once. */
const maxWaits = 4

interface Wait {
  readonly signal: AbortSignal
  /** Asked once it is listened for: it may have been decided before. */
  readonly isDecided: () => Promise<boolean>
}

export interface WaitOptions extends Omit<DeadlineOptions, 'seconds'> {
  readonly bus: Pick<Bus, 'publish' | 'subscribe' | 'onGap'>
}

export class DecisionWaits {
  readonly #deadlines: Deadlines
  readonly #bus: Pick<Bus, 'publish'>
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor({ bus, ...times }: WaitOptions) {
    this.#bus = bus
    this.#deadlines = new Deadlines({ ...times, seconds: holdSeconds })
    bus.subscribe(approvalTopic, (id) => {
      if (typeof id === 'string') this.#wake(id)
    })
    bus.onGap(() => {
      for (const id of this.#waiting.keys()) this.#wake(id)
    })
  }

  /** It has been decided here. */
  tell(id: string): void {
    this.#wake(id)
    this.#bus.publish(approvalTopic, id)
  }

  /** Resolves with whether it was decided within 25 seconds, and before `signal` aborted. */
  async until(id: string, { signal, isDecided }: Wait): Promise<boolean> {
    const all = this.#waiting.get(id) ?? new Set()
    if (all.size >= maxWaits || signal.aborted) return false
    this.#waiting.set(id, all)
    let wake = (): void => {}
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    all.add(wake)
    const deadline = this.#deadlines.set(wake)
    signal.addEventListener('abort', wake)
    try {
      if (await isDecided()) return true
      await woken
      return !signal.aborted && (await isDecided())
    } finally {
      deadline.leave()
      signal.removeEventListener('abort', wake)
      all.delete(wake)
      if (all.size === 0) this.#waiting.delete(id)
    }
  }

  #wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake()
  }
}
