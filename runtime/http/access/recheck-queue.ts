/** Checks of credentials that many answers wait for at once, as after a gap of the bus: the store is asked for a few of them at a time. */

/** At once. */
const maxAtOnce = 32
/** Between two that are tried again because nobody could say, in milliseconds. */
const retryEveryMs = 5

export class RecheckQueue<Open> {
  readonly #check: (open: Open) => Promise<void>
  /** The last one is the next. */
  readonly #waiting: Open[] = []
  #running = 0
  #retryAt = 0

  /** `check` never rejects. */
  constructor(check: (open: Open) => Promise<void>) {
    this.#check = check
  }

  /** Checks these now, before those that wait already. */
  add(several: Iterable<Open>): void {
    for (const open of [...several].reverse()) this.#waiting.push(open) // a call takes some 100,000 arguments
    while (this.#running < maxAtOnce && this.#waiting.length > 0) void this.#run()
  }

  /** When one that nobody could check may be tried again: they are spread out, two hundred a second. */
  retryAt(now: number): number {
    this.#retryAt = Math.max(now, this.#retryAt + retryEveryMs)
    return this.#retryAt
  }

  async #run(): Promise<void> {
    this.#running += 1
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop())
      await this.#check(next)
    this.#running -= 1
  }
}
