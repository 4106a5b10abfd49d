import { StoreBusy, WriteLockHeld } from './store.ts'

/** Callers that wait for their turn, in the order of asking, each for so long. */
export class WaitQueue {
  readonly #waiting: (() => void)[] = []

  get length(): number {
    return this.#waiting.length
  }

  /** Resolves when what `shift` returned for the caller is called; rejects with `timeoutError()` after `ms` milliseconds. */
  wait(ms: number, timeoutError: () => Error): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const giveUp = (): void => {
        const place = this.#waiting.indexOf(enter)
        if (place === -1) return // its turn has come
        this.#waiting.splice(place, 1)
        reject(timeoutError())
      }
      const timer = setTimeout(giveUp, ms)
      this.#waiting.push(enter)
    })
  }

  /** Takes out the caller that waits longest, and returns what lets it go on. */
  shift(): (() => void) | undefined {
    return this.#waiting.shift()
  }
}

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
