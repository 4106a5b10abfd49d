/** Answers that stay open, sockets and streams, by the user whose token or session came with them: they end when that user is blocked or
 *  erased, whatever the route goes by. Source: decisions/http.md, The guard of scopes. */
import type { HttpRequest } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { LruMap } from '../../lru.ts'
import type { Scheduler } from '../../scheduler.ts'
import { bearerOf } from './bearer.ts'

export interface UserAnswersOptions {
  /** As our tokens name it. */
  readonly issuer: string
  /** Those of these users who are blocked or not there. */
  readonly findGone: (userIds: readonly string[]) => Promise<readonly string[]>
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  readonly every: Scheduler
}

/** So many users whose access has changed are remembered, for requests that were under way then. */
const maxChanged = 1000
const underWayMs = 60_000
const retryMs = 1000
/** For what nobody told us of. */
const lookEveryMs = 60_000

export class UserAnswers {
  readonly #options: UserAnswersOptions
  readonly #open = new Map<string, Set<() => void>>()
  readonly #changed = new LruMap<string, number>(maxChanged)
  #gapAt = Number.NEGATIVE_INFINITY
  readonly #waiting = new Set<string>()
  #isChecking = false
  #stopRetrying: (() => Promise<void>) | null = null
  #stopLooking: (() => Promise<void>) | null = null

  constructor(options: UserAnswersOptions) {
    this.#options = options
  }

  /** `end` is called once; returns what to call when the answer has ended by itself. Null where nobody of ours asks. */
  add(request: HttpRequest, end: () => void): (() => void) | null {
    const users = this.#usersOf(request)
    if (users.length === 0) return null
    for (const user of users) this.#open.set(user, (this.#open.get(user) ?? new Set()).add(end))
    this.#stopLooking ??= this.#options.every(lookEveryMs, async () => this.#check([...this.#open.keys()]))
    this.#check(users.filter((user) => this.#isDoubtful(user)))
    return () => {
      for (const user of users) this.#remove(user, end)
    }
  }

  /** Something of that user has changed; null = maybe of anybody. */
  recheck(userId: string | null): void {
    if (userId === null) this.#gapAt = this.#options.monotonic()
    else this.#changed.set(userId, this.#options.monotonic())
    this.#check(userId === null ? [...this.#open.keys()] : [userId])
  }

  /** What the token says is not verified: it can only end what came with it. */
  #usersOf(request: HttpRequest): readonly string[] {
    const bearer = bearerOf(request)
    const ofToken = bearer === null ? null : this.#subjectOf(bearer)
    const ofSession = request.headers.cookie === undefined ? null : request.session.get('user_id')
    return [...new Set([ofToken, ofSession])].filter((user) => typeof user === 'string')
  }

  #subjectOf(token: string): unknown {
    try {
      const { iss, sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      return iss === this.#options.issuer ? sub : null
    } catch {
      return null
    }
  }

  #isDoubtful(user: string): boolean {
    const since = this.#options.monotonic() - underWayMs
    return this.#gapAt >= since || (this.#changed.peek(user) ?? Number.NEGATIVE_INFINITY) >= since
  }

  #check(users: readonly string[]): void {
    for (const user of users) if (this.#open.has(user)) this.#waiting.add(user)
    if (this.#waiting.size > 0 && !this.#isChecking) void this.#run()
  }

  /** Where the store cannot say now it is asked again. */
  async #run(): Promise<void> {
    this.#isChecking = true
    void this.#stopRetrying?.()
    this.#stopRetrying = null
    while (this.#waiting.size > 0 && this.#stopRetrying === null) {
      const users = [...this.#waiting]
      this.#waiting.clear()
      try {
        for (const user of await this.#options.findGone(users)) this.#end(user)
      } catch {
        for (const user of users) this.#waiting.add(user)
        this.#stopRetrying = this.#options.every(retryMs, async () => this.#check([]))
      }
    }
    this.#isChecking = false
  }

  #end(user: string): void {
    const ends = this.#open.get(user) ?? []
    this.#open.delete(user)
    for (const end of ends) end()
    this.#restIfNone()
  }

  #remove(user: string, end: () => void): void {
    const ends = this.#open.get(user)
    ends?.delete(end)
    if (ends?.size === 0) this.#open.delete(user)
    this.#restIfNone()
  }

  #restIfNone(): void {
    if (this.#open.size > 0) return
    void this.#stopLooking?.()
    this.#stopLooking = null
  }
}
