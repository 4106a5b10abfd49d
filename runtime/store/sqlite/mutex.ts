import { StoreBusy, WriteLockHeld } from '../store.ts'

/** Lets one caller in at a time, in the order of asking. Between two of them the event loop runs, so that a queue of
 *  writes never keeps it from its sockets and timers. */
export class Mutex {
  readonly #waiting: (() => void)[] = []
  #isTaken = false

  /** Resolves when the caller has it; rejects with `StoreBusy` after `patienceMs`. */
  acquire(patienceMs: number): Promise<void> {
    if (this.#isTaken) return this.#wait(patienceMs)
    this.#isTaken = true
    return Promise.resolve()
  }

  release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else setImmediate(next)
  }

  #wait(patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const giveUp = (): void => {
        const place = this.#waiting.indexOf(enter)
        if (place === -1) return // it has just been let in
        this.#waiting.splice(place, 1)
        reject(new StoreBusy({ cause: new WriteLockHeld() }))
      }
      const timer = setTimeout(giveUp, patienceMs)
      this.#waiting.push(enter)
    })
  }
}
