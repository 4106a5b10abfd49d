/** Whether a lease in the store that another process holds is over. Clocks of machines differ, and are set while leases run: no time that
 *  another has written is compared with a clock of ours. Source: decisions/http.md, Idempotency. */
import type { Clock } from './contract/store.ts'
import { LruMap } from './lru.ts'

export interface LeaseWatchOptions {
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  /** So long a process is believed to live without a sign of it. */
  readonly leaseMs: number
}

/** Forgotten ones are watched anew: their leases last longer, and never shorter. */
const capacity = 10_000

export class LeaseWatch {
  readonly #options: LeaseWatchOptions
  readonly #seen = new LruMap<string, { readonly sign: string; readonly at: number }>(capacity)

  constructor(options: LeaseWatchOptions) {
    this.#options = options
  }

  /** `sign`: what the holder of the lease `key` changes whenever it renews it. True when we have seen no other for as long as a lease. */
  isOver(key: string, sign: string): boolean {
    const { monotonic, leaseMs } = this.#options
    const now = monotonic()
    const seen = this.#seen.get(key)
    if (seen?.sign === sign) return now - seen.at >= leaseMs
    this.#seen.set(key, { sign, at: now })
    return false
  }
}

/** Signs of life of one process, as the store keeps them: the time until which a lease counts, by the clock, but never one that was
 *  written before, so that each is seen as a change. */
export class LeaseSigns {
  readonly #clock: Clock
  readonly #leaseMs: number
  #last = 0

  constructor(clock: Clock, leaseMs: number) {
    this.#clock = clock
    this.#leaseMs = leaseMs
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, this.#clock() + this.#leaseMs)
    return this.#last
  }
}
