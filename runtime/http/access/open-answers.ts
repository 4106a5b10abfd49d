/** Answers that stay open, sockets and streams, and end with the token that opened them. Source: decisions/http.md, The guard
 *  of scopes. */
import type { AuthInfo, Clock } from '../../contract/store.ts'
import type { Scheduler } from '../../scheduler.ts'
import { RecheckQueue } from './recheck-queue.ts'
import type { LookUpToken, RequestAccess } from './request-access.ts'

export interface OpenAnswersOptions {
  readonly find: LookUpToken
  readonly clock: Clock
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  readonly every: Scheduler
}

interface OpenAnswer {
  readonly access: RequestAccess
  readonly auth: AuthInfo
  readonly end: () => void
  /** When it is looked up next whether the token is still good. */
  checkAt: number
}

const tickMs = 1000

/** How long a token is good here after it was revoked where nobody tells us, such as by `acmcp grants revoke` beside SQLite. */
const recheckMs = 60_000

/** One look a second at all of them, while there are some; a token that was revoked here at once. */
export class OpenAnswers {
  readonly #options: OpenAnswersOptions
  readonly #open = new Set<OpenAnswer>()
  readonly #checks = new RecheckQueue<OpenAnswer>((answer) => this.#check(answer))
  #stopTicking: (() => Promise<void>) | null = null

  constructor(options: OpenAnswersOptions) {
    this.#options = options
  }

  /** `end` is called once when the token that the request relies on is good no more; returns what to call when the answer has ended
   *  by itself. */
  add(access: RequestAccess, end: () => void): () => void {
    const { relied } = access
    if (relied === null) return () => {}
    const { auth, isDoubtful } = relied
    const answer: OpenAnswer = { access, auth, end, checkAt: this.#options.monotonic() + recheckMs }
    this.#open.add(answer)
    this.#stopTicking ??= this.#options.every(tickMs, async () => this.#tick())
    if (isDoubtful) this.#checkSoon([answer])
    return () => this.#remove(answer)
  }

  /** A token of that user was revoked; null = maybe of anybody. */
  recheck(userId: string | null): void {
    this.#checkSoon([...this.#open].filter(({ auth }) => userId === null || auth.subject === userId))
  }

  #tick(): void {
    const { clock, monotonic } = this.#options
    for (const answer of this.#open) {
      if (answer.auth.expiresAt <= clock()) this.#end(answer)
      else if (answer.checkAt <= monotonic()) this.#checkSoon([answer])
    }
  }

  #checkSoon(answers: readonly OpenAnswer[]): void {
    for (const answer of answers) answer.checkAt = Number.POSITIVE_INFINITY // not again until this one has run
    this.#checks.add(answers)
  }

  /** Where nobody can say now it is asked again. */
  async #check(answer: OpenAnswer): Promise<void> {
    const { bearer, request } = answer.access
    const { find, monotonic } = this.#options
    if (!this.#open.has(answer)) return
    try {
      const auth = bearer === null ? null : await find(bearer, request)
      answer.checkAt = monotonic() + recheckMs
      if (auth === null && this.#open.has(answer)) this.#end(answer)
    } catch {
      answer.checkAt = this.#checks.retryAt(monotonic())
    }
  }

  #end(answer: OpenAnswer): void {
    this.#remove(answer)
    answer.end()
  }

  #remove(answer: OpenAnswer): void {
    if (!this.#open.delete(answer) || this.#open.size > 0) return
    void this.#stopTicking?.()
    this.#stopTicking = null
  }
}
