/** Decides about credentials that are not in the cache: whether they pass, whose they are, and whether they are worth a place
 *  there. Made-up ones get no places, and no checks without end. Source: rules.md, rate limits and authentication cache. */
import type { HttpRequest, MaybePromise } from '../../contract/http.ts'
import type { AuthInfo, Clock } from '../../contract/store.ts'
import { bearerOf } from '../../http/access/bearer.ts'
import { addressKey, createRateCounter, type RateCounter } from '../../rate-limit.ts'
import { sha256Hex } from '../../secret.ts'
import type { AuthCache } from './auth-cache.ts'
import { type Caller, callerOfAddress, callerOfCredentials, callerOfUser } from './caller.ts'
import { hasCredentials } from './credentials.ts'

/** Whether the credential is good cannot be said now, and a 401 would sign the client out: the probe answered 503, or too many
 *  that were guesses came from the same address (429). `retryAfter` is a number of seconds. */
export class AuthenticationUnavailable extends Error {
  readonly status: 429 | 503
  readonly retryAfter: string
  constructor(status: 429 | 503, retryAfter: string) {
    super(status === 429 ? 'Too many unknown credentials' : 'Service unavailable')
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** Seconds. */
export const retryAfterOutage = '5'

export interface JudgeOptions {
  /** Every check of the endpoint that is configured. */
  readonly passes: (request: HttpRequest) => Promise<boolean>
  /** Whether those look at the credentials; without any look everything passes and nothing is accepted. */
  readonly accepts: boolean
  /** Whose a bearer token is that the application issued or accepts and that is good now, else null; `request` came with it. */
  readonly findAuthInfo: (token: string, request: HttpRequest) => Promise<AuthInfo | null>
  /** Whether our key signed a token, whatever else is wrong with it. */
  readonly isSignedHere: (token: string) => Promise<boolean>
  /** Whether the application judges tokens that none of our keys signed. */
  readonly judgesForeign: boolean
  /** Whether it must be known whose a token is, because that decides what its holder sees. */
  readonly needsAuth: boolean
  /** Whether the checks read the URL too, so that every URL is another request to remember. */
  readonly judgesUrl: boolean
  readonly cache: AuthCache
  readonly clock: Clock
  readonly monotonic?: Clock | undefined
}

/** How many credentials that have not passed before may come in a minute: refused ones from an address, accepted ones beside a
 *  token of ours, or from an address where there is none. */
const newPerMinute = 100
const capacity = 10_000

export class Judge {
  readonly #options: JudgeOptions
  readonly #counter: RateCounter
  #revocations = 0

  constructor(options: JudgeOptions) {
    this.#options = options
    const { clock, monotonic } = options
    this.#counter = createRateCounter({ windowSeconds: 60, capacity, clock, monotonic })
  }

  /** The caller that passes, or null. `isAgain`: it has passed before, however many others are refused now. Rejects with
   *  `AuthenticationUnavailable` only. */
  async check(request: HttpRequest, isAgain: boolean): Promise<Caller | null> {
    const { cache, passes } = this.#options
    const revocations = this.#revocations
    const isKnown = isAgain || cache.isKnown(request)
    if (!isKnown) this.#holdBack(`beside ${tokenKey(request)}`)
    const auth = await this.#authOf(request)
    const guesser = auth || !hasCredentials(request.headers) ? null : await this.#guesserOf(request)
    if (guesser !== null && !isKnown) this.#holdBack(guesser)
    if (!(await passes(request))) {
      cache.remove(request)
      if (guesser !== null) this.#counter.take(guesser, newPerMinute)
      return null
    }
    const isKept = isKnown || this.#isNewAllowed(request, auth)
    const caller = this.#callerOf(request, auth, isKept)
    const isCertain = auth === null ? this.#options.accepts : auth !== undefined
    if (isKept && isCertain && revocations === this.#revocations) cache.add(request, caller)
    return caller
  }

  /** Whose request it is where everybody passes. */
  identify(request: HttpRequest): MaybePromise<Caller> {
    return bearerOf(request) === null ? callerOfAddress(request.ip) : this.#identified(request)
  }

  /** No success of that user is remembered, not even of a check that is under way. */
  forgetUser(userId: string | null): void {
    this.#revocations += 1
    this.#options.cache.removeUser(userId)
  }

  async #identified(request: HttpRequest): Promise<Caller> {
    const { cache } = this.#options
    const revocations = this.#revocations
    const auth = await this.#authOf(request)
    if (!auth) {
      if (auth === null && (await this.#isForeign(request)) && revocations === this.#revocations)
        cache.addForeign(request)
      return callerOfAddress(request.ip)
    }
    const caller = callerOfUser(auth)
    const isKept = cache.isKnown(request) || this.#isNewAllowed(request, auth)
    if (isKept && revocations === this.#revocations) cache.add(request, caller)
    return caller
  }

  /** Whose try it is, where credentials are not those of a token that is good; null for a token that we signed: it is no guess,
   *  and its client must read 401 to refresh it. What comes beside such a token may be one. */
  async #guesserOf(request: HttpRequest): Promise<string | null> {
    const { authorization: _, ...others } = request.headers
    const token = bearerOf(request)
    const isOurs = token !== null && (await this.#options.isSignedHere(token).catch(() => false))
    if (!isOurs) return `refused ${addressKey(request.ip)}`
    return hasCredentials(others) ? `refused beside ${tokenKey(request)}` : null
  }

  /** Whether its token is none of ours, and no `authenticate` judges it. */
  async #isForeign(request: HttpRequest): Promise<boolean> {
    const { isSignedHere, judgesForeign } = this.#options
    const token = bearerOf(request)
    if (judgesForeign || token === null) return false
    return !(await isSignedHere(token).catch(() => true)) // where it cannot be said, nothing is remembered
  }

  /** Undefined when it cannot be said now; rejects then where it must be known. */
  async #authOf(request: HttpRequest): Promise<AuthInfo | null | undefined> {
    const token = bearerOf(request)
    if (token === null) return null
    try {
      return await this.#options.findAuthInfo(token, request)
    } catch {
      if (this.#options.needsAuth) throw new AuthenticationUnavailable(503, retryAfterOutage)
      return undefined
    }
  }

  /** A client that tries out credentials waits, instead of having each of them checked. */
  #holdBack(source: string): void {
    const waitSeconds = this.#counter.wait(source, newPerMinute)
    if (waitSeconds > 0) throw new AuthenticationUnavailable(429, String(waitSeconds))
  }

  #isNewAllowed(request: HttpRequest, auth: AuthInfo | null | undefined): boolean {
    if (!auth) return this.#isFew(`accepted ${addressKey(request.ip)}`)
    return this.#options.judgesUrl
      ? this.#isFew(`user ${auth.subject}`)
      : this.#isFew(`beside ${tokenKey(request)}`)
  }

  readonly #isFew = (source: string): boolean => this.#counter.take(source, newPerMinute) === 0

  /** Of several credentials that pass together no one knows which was looked at: they count as one, and above the limit of new
   *  ones by the address, so that a made-up one beside a good one gains nothing. */
  #callerOf({ headers, ip }: HttpRequest, auth: AuthInfo | null | undefined, isKept: boolean): Caller {
    if (auth) return callerOfUser(auth)
    const isAccepted = this.#options.accepts && isKept && hasCredentials(headers)
    return isAccepted ? callerOfCredentials(headers) : callerOfAddress(ip)
  }
}

/** What stands for the `Authorization` header. */
const tokenKey = ({ headers: { authorization } }: HttpRequest): string => sha256Hex(String(authorization))
