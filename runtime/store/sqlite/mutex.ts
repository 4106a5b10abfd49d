import { StoreBusy, WriteLockHeld } from '../store.ts'
import { WaitQueue } from '../wait-queue.ts'

/** Lets one caller in at a time, in the order of asking. Between two of them the event loop runs, so that a queue of
 *  writes never keeps it from its sockets and timers. */
export class Mutex {
  readonly #waiting = new WaitQueue()
  #isTaken = false

  /** Resolves when the caller has it; rejects with `StoreBusy` after `patienceMs`. */
  acquire(patienceMs: number): Promise<void> {
    if (this.#isTaken) {
      return this.#waiting.wait(patienceMs, () => new StoreBusy({ cause: new WriteLockHeld() }))
    }
    this.#isTaken = true
    return Promise.resolve()
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else setImmediate(next)
  }
}
