/** What must be true of one account, known from the requests alone: which additions were acknowledged, and which have no answer. It
 *  imports nothing. */

export class Ledger {
  /** Whose it is. */
  readonly owner: string
  readonly #acknowledged = new Map<string, number>()
  readonly #doubtful = new Set<string>()
  /** Of the doubtful ones so many have happened for certain. */
  #atLeast = 0
  /** What could not be. */
  readonly wrong: string[] = []

  constructor(owner: string) {
    this.owner = owner
  }

  get additions(): number {
    return this.#acknowledged.size
  }

  /** An addition was answered with the value after it. */
  added(key: string, value: number): void {
    const known = this.#acknowledged.size + 1
    this.#acknowledged.set(key, value)
    this.#judge(value, known, `the addition ${key}`)
  }

  /** It may have happened, and may still. */
  doubted(key: string): void {
    this.#doubtful.add(key)
  }

  /** The value was read while no addition was under way, but doubtful ones. */
  seen(value: number): void {
    this.#judge(value, this.#acknowledged.size, 'a look')
  }

  #judge(value: number, known: number, what: string): void {
    const others = value - known
    if (others < this.#atLeast || others > this.#doubtful.size)
      this.wrong.push(
        `${what} at ${this.owner} said ${value}, with ${known} acknowledged and ${this.#atLeast} to ${this.#doubtful.size} others`,
      )
    else this.#atLeast = others
  }

  /** At the end, against what is stored: the value, and the keys with the value that each made. */
  audit(value: number, stored: ReadonlyMap<string, number>): void {
    const say = (text: string): void => void this.wrong.push(`${this.owner}: ${text}`)
    if (value !== stored.size) say(`the value is ${value}, of ${stored.size} additions`)
    if (new Set(stored.values()).size !== stored.size) say('two additions made the same value')
    for (const [key, made] of this.#acknowledged)
      if (stored.get(key) !== made)
        say(`${key} was acknowledged as ${made} and is stored as ${stored.get(key)}`)
    for (const key of stored.keys())
      if (!this.#acknowledged.has(key) && !this.#doubtful.has(key)) say(`nobody sent ${key}`)
  }
}
