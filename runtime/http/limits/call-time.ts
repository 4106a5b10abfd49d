/** How long calls may take: of tools, and of routes. */
import type { Clock } from '../../contract/store.ts'
import type { Scheduler } from '../../scheduler.ts'

export interface DeadlineOptions {
  /** How long one call may run; null = no limit. */
  readonly seconds: number | null
  /** Milliseconds that never go back nor jump, whoever sets the clock. */
  readonly monotonic: Clock
  readonly every: Scheduler
}

/** What a run ends with that goes on after its time: it has been answered. */
export class LateRun extends Error {}

/** The time of one call. */
export class CallTime {
  isUp = false
  #isCancelled = false
  #listeners: (() => void)[] | null = null
  #leavers: (() => void)[] | null = null

  /** Calls `listener` when the time is up, at once when it is; returns how to stop that. */
  whenUp(listener: () => void): () => void {
    if (this.isUp) {
      listener()
      return () => {}
    }
    this.#listeners ??= []
    this.#listeners.push(listener)
    return () => {
      this.#listeners = this.#listeners?.filter((item) => item !== listener) ?? null
    }
  }

  /** The same when its client takes the call back: what runs is told, and its time goes on. */
  whenCancelled(listener: () => void): () => void {
    if (this.#isCancelled) {
      listener()
      return () => {}
    }
    this.#leavers ??= []
    this.#leavers.push(listener)
    return () => {
      this.#leavers = this.#leavers?.filter((item) => item !== listener) ?? null
    }
  }

  end(): void {
    this.isUp = true
    for (const listener of this.#listeners ?? []) listener()
    this.#listeners = null
  }

  cancel(): void {
    this.#isCancelled = true
    for (const listener of this.#leavers ?? []) listener()
    this.#leavers = null
  }
}

/** A time of a few seconds is kept to a tenth of it. */
const tickMs = (seconds: number): number => Math.min(1000, seconds * 100)

interface Deadline {
  readonly at: number
  readonly passed: () => void
}

/** Looks once a second or oftener, as long as somebody waits, for whom the time is up. */
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
    const { seconds, monotonic, every } = this.#options
    if (seconds === null) return () => {}
    const deadline = { at: monotonic() + seconds * 1000, passed }
    this.#waiting.add(deadline)
    this.#stop ??= every(tickMs(seconds), async () => this.#tick())
    return () => void this.#waiting.delete(deadline)
  }

  #tick(): void {
    const now = this.#options.monotonic()
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
