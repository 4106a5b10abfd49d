/** What the routes of an application share to find out who asks, and what they may do. Source: decisions/http.md, The guard of
 *  scopes. */
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import type { AuthInfo } from '../../contract/store.ts'
import { endingStream } from './ending-stream.ts'
import { OpenAnswers } from './open-answers.ts'
import { RequestAccess } from './request-access.ts'
import { RouteAccess } from './route-access.ts'
import { SessionAnswers } from './session-answers.ts'
import type { AccessOptions, SharedAccess } from './shared-access.ts'
import { UserAnswers } from './user-answers.ts'

interface Carrier {
  [key: symbol]: RequestAccess | undefined
}

export class AccessControl implements SharedAccess {
  readonly options: AccessOptions
  readonly #openAnswers: OpenAnswers
  readonly #sessionAnswers: SessionAnswers
  readonly #userAnswers: UserAnswers
  /** On the request itself: a WeakMap with an entry for each costs the garbage collector microseconds. Of this application
   *  alone. */
  readonly #key = Symbol('access')
  #revocations = 0

  constructor(options: AccessOptions) {
    this.options = options
    this.#openAnswers = new OpenAnswers(options)
    this.#sessionAnswers = new SessionAnswers(options)
    this.#userAnswers = new UserAnswers(options)
  }

  /** Null for a route that has no use for a token: it is run as if there were none. `isCounted`: its calls are, by user. */
  ofRoute(route: Route, isCounted = false): RouteAccess | null {
    const { scopes, takesForeignTokens } = this.options
    const isGuarded =
      isCounted || route.scope !== undefined || scopes.declared.length > 0 || takesForeignTokens
    const isAsked =
      route.readsAccess === true ||
      route.answersSecrets === true ||
      route.approval !== undefined ||
      route.idempotencyKey !== undefined
    return isGuarded || isAsked ? new RouteAccess(route, this) : null
  }

  /** One for a request, whoever asks. */
  ofRequest(request: HttpRequest): RequestAccess {
    const carrier = request as unknown as Carrier // by a symbol that nobody else has
    const known = carrier[this.#key]
    if (known !== undefined) return known
    const { find, clock, monotonic } = this.options
    const made = new RequestAccess(request, { find, clock, monotonic, revocations: () => this.#revocations })
    carrier[this.#key] = made
    return made
  }

  /** Whose the bearer token of a request is; null without a valid one. */
  readonly authInfoOf = (request: HttpRequest): Promise<AuthInfo | null> => this.ofRequest(request).lookUp()

  /** A token of that user was revoked, null = maybe of anybody: nobody goes by what was found before, and what it opened ends. */
  userRevoked(userId: string | null): void {
    this.#revocations += 1
    this.#openAnswers.recheck(userId)
    this.#sessionAnswers.recheck(userId)
    this.#userAnswers.recheck(userId)
  }

  /** What is left open ends with the token that it relies on, else with the user and the session that
   *  came with it. An answer whose length is known ends by itself. */
  untilItEnds(request: HttpRequest, outcome: HttpResponse): HttpResponse {
    const { body, headers } = outcome
    if (!(body instanceof ReadableStream) || 'content-length' in headers) return outcome
    let end = (): void => {}
    const forget = this.whileOpen(request, () => end())
    if (forget === null) return outcome
    const stream = endingStream(body, headers, forget)
    end = stream.end
    return { ...outcome, body: stream.body }
  }

  /** The same for a socket: `end` closes it; returns what to call when it has closed, null where it depends on nobody. */
  whileOpen(request: HttpRequest, end: () => void): (() => void) | null {
    const access = (request as unknown as Carrier)[this.#key] // by a symbol that nobody else has
    if (access === undefined || access.relied === null) return this.#whoCame(request, end)
    return this.#openAnswers.add(access, end)
  }

  /** By whoever came with the request, whatever the route goes by. */
  #whoCame(request: HttpRequest, end: () => void): (() => void) | null {
    const ofUser = this.#userAnswers.add(request, end)
    const ofSession = this.#sessionAnswers.add(request, end)
    if (ofUser === null || ofSession === null) return ofUser ?? ofSession
    return () => {
      ofUser()
      ofSession()
    }
  }
}
