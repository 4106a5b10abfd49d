/** How long calls may take: of tools, and of routes. */
import type { Clock } from '../../contract/store.ts'
import { RingItem } from '../../ring.ts'
import type { Scheduler } from '../../scheduler.ts'

export interface DeadlineOptions {
  /** How long one call may run; null = no limit. */
  readonly seconds: number | null
  /** Milliseconds that never go back nor jump when the machine's clock is set. */
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

class Deadline extends RingItem {
  readonly at: number
  readonly passed: () => void

  constructor(at: number, passed: () => void) {
    super()
    this.at = at
    this.passed = passed
  }
}

const never = (): Deadline => new Deadline(Number.POSITIVE_INFINITY, () => {})
const noDeadline = never()

/** Looks once a second or oftener, as long as a call waits, for calls whose time is up. */
export class Deadlines {
  readonly #options: DeadlineOptions
  /** All have the same time, so that the first is the next. */
  readonly #ring = never()
  #stop: (() => Promise<void>) | null = null

  constructor(options: DeadlineOptions) {
    this.#options = options
  }

  /** Calls `passed` when the time that begins now is up, unless what is returned has left before. */
  set(passed: () => void): Pick<RingItem, 'leave'> {
    const { seconds, monotonic, every } = this.#options
    if (seconds === null) return noDeadline
    const deadline = new Deadline(monotonic() + seconds * 1000, passed)
    deadline.join(this.#ring)
    this.#stop ??= every(tickMs(seconds), async () => this.#tick())
    return deadline
  }

  #tick(): void {
    const now = this.#options.monotonic()
    const ring = this.#ring
    while (ring.after.at <= now) {
      const { after } = ring
      after.leave()
      after.passed()
    }
    if (ring.after !== ring) return
    void this.#stop?.()
    this.#stop = null
  }
}
