/** Answers that stay open, by the browser's session that came with them: they end when something of its user has changed and the session is
 *  there no more, as when an identity provider has ended it. Source: decisions/http.md, The guard of scopes. */
import type { HttpRequest } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { LruMap } from '../../lru.ts'
import type { Scheduler } from '../../scheduler.ts'
import { RecheckQueue } from './recheck-queue.ts'

export interface SessionAnswersOptions {
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  readonly every: Scheduler
}

interface OpenAnswer {
  readonly request: HttpRequest
  readonly user: string
  readonly end: () => void
}

/** So many users are remembered of whom something has just changed, for requests that were under way then. */
const maxChanged = 1000
const underWayMs = 60_000
const retryMs = 1000

export class SessionAnswers {
  readonly #options: SessionAnswersOptions
  readonly #open = new Set<OpenAnswer>()
  readonly #changed = new LruMap<string, number>(maxChanged)
  #gapAt = Number.NEGATIVE_INFINITY
  readonly #checks = new RecheckQueue<OpenAnswer>((answer) => this.#check(answer))
  /** Of which nobody could say. */
  readonly #unsure = new Set<OpenAnswer>()
  #stopRetrying: (() => Promise<void>) | null = null

  constructor(options: SessionAnswersOptions) {
    this.#options = options
  }

  /** `end` is called once; returns what to call when the answer has ended by itself. Null where nobody is signed in by a cookie. */
  add(request: HttpRequest, end: () => void): (() => void) | null {
    const user = request.headers.cookie === undefined ? null : request.session.get('user_id')
    if (typeof user !== 'string') return null
    const answer: OpenAnswer = { request, user, end }
    this.#open.add(answer)
    const since = this.#options.monotonic() - underWayMs
    if (Math.max(this.#gapAt, this.#changed.peek(user) ?? Number.NEGATIVE_INFINITY) >= since)
      this.#checks.add([answer])
    return () => void this.#open.delete(answer)
  }

  /** Something of that user has changed; null = maybe of anybody. */
  recheck(userId: string | null): void {
    if (userId === null) this.#gapAt = this.#options.monotonic()
    else this.#changed.set(userId, this.#options.monotonic())
    this.#checks.add([...this.#open].filter(({ user }) => userId === null || user === userId))
  }

  /** Where the store cannot say now it is asked again. */
  async #check(answer: OpenAnswer): Promise<void> {
    const { request, user, end } = answer
    if (!this.#open.has(answer)) return
    try {
      await request.session.read?.()
    } catch {
      this.#unsure.add(answer)
      this.#stopRetrying ??= this.#options.every(retryMs, async () => this.#retry())
      return
    }
    if (request.session.get('user_id') !== user && this.#open.delete(answer)) end()
  }

  #retry(): void {
    const answers = [...this.#unsure]
    this.#unsure.clear()
    void this.#stopRetrying?.()
    this.#stopRetrying = null
    this.#checks.add(answers)
  }
}
