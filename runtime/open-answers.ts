/** Answers that stay open: streams, sockets, and the streams of the MCP endpoint. Each ends when what it was opened by is good no more: a
 *  token, a session, a user. Source: decisions/http.md, The guard of scopes. */
import type { Clock } from './contract/store.ts'
import { LruMap } from './lru.ts'
import type { Scheduler } from './scheduler.ts'

export interface OpenAnswer {
  /** Whose it is: it is checked when something of one of these users changes; null = of any user. */
  readonly users: readonly string[] | null
  /** Resolves with when it is to be checked again, by the clock that never goes back; null = it is to end. Rejects where the store or the
   *  application cannot say now: then it is asked again. */
  readonly check: () => Promise<number | null>
  /** Whether its time is up: asked each second. */
  readonly isOver?: () => boolean
  /** Called once. */
  readonly end: () => void
}

interface Opening {
  /** When it is to be checked first; never when not given. */
  readonly checkAt?: number
  /** Whether it is checked at once; when not given: where something of its users has just changed. */
  readonly isDoubtful?: boolean
}

export interface OpenAnswersOptions {
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  readonly every: Scheduler
  /** Is called each second while some are open. */
  readonly ticked?: () => void
}

interface Entry extends OpenAnswer {
  checkAt: number
}

const tickMs = 1000
/** So many users are remembered of whom something has just changed, for requests that were under way then. */
const maxChanged = 1000
const underWayMs = 60_000

/** One look a second at all of them, while there are some. */
export class OpenAnswers {
  readonly #monotonic: Clock
  readonly #every: Scheduler
  readonly #ticked: () => void
  readonly #open = new Set<Entry>()
  readonly #checks = new RecheckQueue<Entry>((entry) => this.#check(entry))
  readonly #changed = new LruMap<string, number>(maxChanged)
  #gapAt = Number.NEGATIVE_INFINITY
  #stopTicking: (() => Promise<void>) | null = null

  constructor({ monotonic, every, ticked = () => {} }: OpenAnswersOptions) {
    this.#monotonic = monotonic
    this.#every = every
    this.#ticked = ticked
  }

  /** Returns what to call when the answer has ended by itself. */
  add(
    answer: OpenAnswer,
    { checkAt = Number.POSITIVE_INFINITY, isDoubtful = this.#isDoubtful(answer) }: Opening = {},
  ): () => void {
    const entry: Entry = { ...answer, checkAt }
    this.#open.add(entry)
    this.#stopTicking ??= this.#every(tickMs, async () => this.#tick())
    if (isDoubtful) this.#checkSoon([entry])
    return () => this.#remove(entry)
  }

  /** Something of that user has changed, as when a token was revoked; null = maybe of any user. */
  recheck(userId: string | null): void {
    if (userId === null) this.#gapAt = this.#monotonic()
    else this.#changed.set(userId, this.#monotonic())
    const isOf = ({ users }: Entry): boolean => userId === null || users === null || users.includes(userId)
    this.#checkSoon([...this.#open].filter(isOf))
  }

  #isDoubtful({ users }: OpenAnswer): boolean {
    const times = users?.map((user) => this.#changed.peek(user) ?? Number.NEGATIVE_INFINITY) ?? []
    return Math.max(this.#gapAt, ...times) >= this.#monotonic() - underWayMs
  }

  #tick(): void {
    this.#ticked()
    const now = this.#monotonic()
    for (const entry of this.#open) {
      if (entry.isOver?.() === true) this.#end(entry)
      else if (entry.checkAt <= now) this.#checkSoon([entry])
    }
  }

  #checkSoon(entries: readonly Entry[]): void {
    for (const entry of entries) entry.checkAt = Number.POSITIVE_INFINITY // not again until this one has run
    this.#checks.add(entries)
  }

  async #check(entry: Entry): Promise<void> {
    if (!this.#open.has(entry)) return
    try {
      const checkAt = await entry.check()
      if (checkAt !== null)
        entry.checkAt = Math.min(entry.checkAt, checkAt) // a later one may have failed meanwhile
      else if (this.#open.has(entry)) this.#end(entry)
    } catch {
      entry.checkAt = this.#checks.retryAt(this.#monotonic())
    }
  }

  #end(entry: Entry): void {
    this.#remove(entry)
    entry.end()
  }

  #remove(entry: Entry): void {
    if (!this.#open.delete(entry) || this.#open.size > 0) return
    void this.#stopTicking?.()
    this.#stopTicking = null
  }
}

/** At once. */
const maxAtOnce = 32
/** Between two checks that are tried again after the store or the application could not say, in milliseconds. */
const retryEveryMs = 5

/** Checks of credentials that many answers wait for at once, as after a gap of the bus: the store is asked for a few of them at a time. */
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

  /** When an answer whose check failed may be checked again: such checks are spread out, two hundred a second. */
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
