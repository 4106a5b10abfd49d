/** The claims that this process works on: as long as it lives, nobody takes their calls for interrupted. */
import type { IdempotencyStore } from '../contract/idempotency.ts'
import type { Clock } from '../contract/store.ts'
import type { Scheduler } from '../scheduler.ts'

/** How long a process is believed to live without a sign of it, and how often it gives one. */
const leaseMs = 30_000
const signMs = 10_000

export interface ClaimOptions {
  readonly store: Pick<IdempotencyStore, 'renewKeys'>
  readonly clock: Clock
  readonly every: Scheduler
}

export class Claims {
  readonly #options: ClaimOptions
  readonly #running = new Set<string>()
  #stop: (() => Promise<void>) | null = null

  constructor(options: ClaimOptions) {
    this.#options = options
  }

  /** Until when a claim that begins or is renewed now counts. */
  get leaseUntil(): number {
    return this.#options.clock() + leaseMs
  }

  begin(claim: string): void {
    this.#running.add(claim)
    this.#stop ??= this.#options.every(signMs, () => this.#renew())
  }

  end(claim: string): void {
    this.#running.delete(claim)
  }

  /** Where the store is away, the next sign may still come in time. */
  async #renew(): Promise<void> {
    if (this.#running.size > 0)
      return this.#options.store.renewKeys([...this.#running], this.leaseUntil).catch(() => {})
    void this.#stop?.()
    this.#stop = null
  }
}
