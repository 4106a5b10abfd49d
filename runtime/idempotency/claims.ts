/** The claims that this process works on, for whose calls it gives signs of life; and which claims of others got none for so long that
 *  their processes have died. */
import type { IdempotencyStore, Lease } from '../contract/idempotency.ts'
import type { Clock } from '../contract/store.ts'
import { LeaseSigns, LeaseWatch } from '../lease-watch.ts'
import type { Scheduler } from '../scheduler.ts'

/** How long a process is believed to live without a sign of it, and how often it gives one. */
const leaseMs = 30_000
const signMs = 10_000

export interface ClaimOptions {
  readonly store: Pick<IdempotencyStore, 'renewKeys'>
  readonly clock: Clock
  /** Milliseconds that never go back, of when leases are over. */
  readonly monotonic: Clock
  readonly every: Scheduler
}

export class Claims {
  readonly #options: ClaimOptions
  readonly #running = new Set<string>()
  readonly #signs: LeaseSigns
  readonly #watch: LeaseWatch
  #stop: (() => Promise<void>) | null = null

  constructor(options: ClaimOptions) {
    this.#options = options
    this.#signs = new LeaseSigns(options.clock, leaseMs)
    this.#watch = new LeaseWatch({ monotonic: options.monotonic, leaseMs })
  }

  /** What a claim that begins now has as its lease. */
  nextSign(): number {
    return this.#signs.next()
  }

  /** Whether no process works on it any more. */
  isOver({ claim, leaseUntil }: Lease): boolean {
    return !this.#running.has(claim) && this.#watch.isOver(claim, String(leaseUntil))
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
      return this.#options.store.renewKeys([...this.#running], this.#signs.next()).catch(() => {})
    void this.#stop?.()
    this.#stop = null
  }
}
