/** Answers that stay open, sockets and streams, and end with the token that opened them. Source: issue 15, 4. */
import type { AuthInfo, Clock } from '../../contract/store.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { LookUpToken, RequestAccess } from './request-access.ts'

export interface OpenAnswersOptions {
  readonly find: LookUpToken
  readonly clock: Clock
  readonly every: Scheduler
}

interface OpenAnswer {
  readonly access: RequestAccess
  readonly auth: AuthInfo
  readonly end: () => void
  /** It must be looked up whether the token is still good. */
  isDoubtful: boolean
}

const tickMs = 1000

/** One look a second at all of them, while there are some; a revoked token at once. */
export class OpenAnswers {
  readonly #options: OpenAnswersOptions
  readonly #open = new Set<OpenAnswer>()
  #stopTicking: (() => Promise<void>) | null = null

  constructor(options: OpenAnswersOptions) {
    this.#options = options
  }

  /** `end` is called once when the token that the request relies on is good no more; returns what to call when the answer has ended
   *  by itself. */
  add(access: RequestAccess, end: () => void): () => void {
    const { relied } = access
    if (relied === null) return () => {}
    const answer: OpenAnswer = { access, end, ...relied }
    this.#open.add(answer)
    this.#stopTicking ??= this.#options.every(tickMs, async () => this.#tick())
    if (answer.isDoubtful) void this.#check(answer)
    return () => this.#remove(answer)
  }

  /** A token of that user was revoked. */
  recheck(userId: string): void {
    for (const answer of this.#open) if (answer.auth.user.id === userId) void this.#check(answer)
  }

  #tick(): void {
    const now = this.#options.clock()
    for (const answer of this.#open) {
      if (answer.auth.expiresAt <= now) this.#end(answer)
      else if (answer.isDoubtful) void this.#check(answer)
    }
  }

  /** Where nobody can say now it is asked again. */
  async #check(answer: OpenAnswer): Promise<void> {
    const { bearer, request } = answer.access
    answer.isDoubtful = false // not again while this one runs
    try {
      const auth = bearer === null ? null : await this.#options.find(bearer, request)
      if (auth === null && this.#open.has(answer)) this.#end(answer)
    } catch {
      answer.isDoubtful = true
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
