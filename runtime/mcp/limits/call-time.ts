/** How long tool calls may run. */
import type { Clock } from '../../contract/store.ts'
import type { Scheduler } from '../../scheduler.ts'

export interface DeadlineOptions {
  /** How long one call may run; null = no limit. */
  readonly toolCallSeconds: number | null
  readonly clock: Clock
  readonly every: Scheduler
}

/** The time of one call. */
export class CallTime {
  #isUp = false
  #listeners: (() => void)[] | null = null

  /** Calls `listener` when the time is up, at once when it is; returns how to stop that. */
  whenUp(listener: () => void): () => void {
    if (this.#isUp) {
      listener()
      return () => {}
    }
    this.#listeners ??= []
    this.#listeners.push(listener)
    return () => {
      this.#listeners = this.#listeners?.filter((one) => one !== listener) ?? null
    }
  }

  end(): void {
    this.#isUp = true
    for (const listener of this.#listeners ?? []) listener()
    this.#listeners = null
  }
}

const tickMs = 1000

interface Deadline {
  readonly at: number
  readonly passed: () => void
}

/** Looks once a second, as long as somebody waits, for whom the time is up. */
export class Deadlines {
  readonly #options: DeadlineOptions
  // all have the same time: a Set iterates in the order of insertion, so that the next is the first
  readonly #waiting = new Set<Deadline>()
  #stop: (() => Promise<void>) | null = null

  constructor(options: DeadlineOptions) {
    this.#options = options
  }

  /** Calls `passed` when the time that begins now is up; returns what ends that. */
  set(passed: () => void): () => void {
    const { toolCallSeconds, clock, every } = this.#options
    if (toolCallSeconds === null) return () => {}
    const deadline = { at: clock() + toolCallSeconds * 1000, passed }
    this.#waiting.add(deadline)
    this.#stop ??= every(tickMs, async () => this.#tick())
    return () => void this.#waiting.delete(deadline)
  }

  #tick(): void {
    const now = this.#options.clock()
    for (const deadline of this.#waiting) {
      if (deadline.at > now) break
      this.#waiting.delete(deadline)
      deadline.passed()
    }
    if (this.#waiting.size > 0) return
    void this.#stop?.()
    this.#stop = null
  }
}
