/** Connections to a PostgreSQL that may have none left for us: then ours are taken in turn. */
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { StoreBusy, StoreUnavailable } from '../store.ts'
import { WaitQueue } from '../wait-queue.ts'

/** Too many connections. Source: PostgreSQL, Error Codes. */
const tooMany = '53300'
/** Between two attempts while we have none at all. */
const againMs = 100
/** How long no further connection is asked for. */
const restMs = 1000

export interface TakenClient {
  readonly client: pg.PoolClient
  release(isBroken: boolean): void
}

/** A pool whose size is that of `pool`, and while the server has no more for us what it has: the longest waiting caller gets the next free one. */
export class PatientPool {
  readonly #pool: pg.Pool
  readonly #size: number
  readonly #patienceMs: number
  readonly #waiting = new WaitQueue()
  #used = 0
  #limit: number
  #restsUntil = 0

  /** `patienceMs`: how long a connection is waited for. */
  constructor(pool: pg.Pool, patienceMs: number) {
    this.#pool = pool
    this.#size = pool.options.max
    this.#limit = this.#size
    this.#patienceMs = patienceMs
  }

  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Rejects with `StoreBusy` when none of ours was free in time, and with `StoreUnavailable` when none could be made. */
  async take(): Promise<TakenClient> {
    const deadline = performance.now() + this.#patienceMs
    for (;;) {
      if (this.#used < this.#limitNow() && this.#waiting.length === 0) this.#used += 1
      else await this.#waiting.wait(deadline - performance.now(), allInUse)
      try {
        return this.#taken(await this.#pool.connect())
      } catch (error) {
        this.#used -= 1
        const isLate = performance.now() >= deadline
        if (isTooMany(error)) this.#rest()
        if (isLate || !isTooMany(error)) this.#wake()
        if (isLate && isTooMany(error) && this.#used > 0) throw new StoreBusy({ cause: error })
        if (isLate || !isTooMany(error)) throw new StoreUnavailable(undefined, { cause: error })
      }
      if (this.#used > 0) continue
      await pause(againMs)
      this.#wake() // no connection is lent whose return would let the next caller in
    }
  }

  #taken(client: pg.PoolClient): TakenClient {
    return {
      client,
      release: (isBroken) => {
        client.release(isBroken)
        this.#used -= 1
        this.#wake()
      },
    }
  }

  #limitNow(): number {
    if (this.#restsUntil > 0 && performance.now() >= this.#restsUntil) {
      this.#restsUntil = 0
      this.#limit = this.#size
    }
    return this.#limit
  }

  #rest(): void {
    this.#limit = Math.max(1, this.#used)
    this.#restsUntil = performance.now() + restMs
  }

  /** A caller that is let in counts from now on: two that are free are not given to three. */
  #wake(): void {
    while (this.#waiting.length > 0 && this.#used < this.#limitNow()) {
      this.#used += 1
      this.#waiting.shift()?.()
    }
  }
}

const allInUse = (): Error =>
  new StoreBusy({ cause: new Error('every connection of the pool was in use all the time') })

const isTooMany = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === tooMany
