/** What the routes of an application share to find out who calls, and what the caller may do. Source: decisions/http.md, The guard of
 *  scopes. */
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import type { AuthInfo } from '../../contract/store.ts'
import { OpenAnswers } from '../../open-answers.ts'
import { bearerOf } from './bearer.ts'
import { endingStream } from './ending-stream.ts'
import { type Relied, RequestAccess } from './request-access.ts'
import { RouteAccess } from './route-access.ts'
import type { AccessOptions, SharedAccess } from './shared-access.ts'

interface Carrier {
  [key: symbol]: RequestAccess | undefined
}

/** For how long a token or a user is good here after they ended untold, such as by `acmcp grants revoke` beside SQLite. */
const recheckMs = 60_000

export class AccessControl implements SharedAccess {
  readonly options: AccessOptions
  readonly #open: OpenAnswers
  /** Of their own: `verifyToken` may never answer, and then keeps no blocked user's answer open. */
  readonly #openByToken: OpenAnswers
  readonly #isGone: (userId: string) => Promise<boolean>
  /** On the request itself: a WeakMap with an entry for each costs the garbage collector microseconds. Of this application
   *  alone. */
  readonly #key = Symbol('access')
  #revocations = 0

  constructor(options: AccessOptions) {
    this.options = options
    this.#open = new OpenAnswers(options)
    this.#openByToken = new OpenAnswers(options)
    this.#isGone = askedTogether(options.findGone)
  }

  /** Null for a route that has no use for a token: it is run as if there were none. `isCounted`: its calls are, by user. */
  ofRoute(route: Route, isCounted = false): RouteAccess | null {
    const { scopes, takesForeignTokens, asksCaller } = this.options
    const isGuarded =
      isCounted || route.scope !== undefined || scopes.declared.length > 0 || takesForeignTokens
    const isAsked = route.readsAccess === true || route.answersSecrets === true || asksCaller(route)
    return isGuarded || isAsked ? new RouteAccess(route, this) : null
  }

  /** One for a request, for all parts that ask. */
  ofRequest(request: HttpRequest): RequestAccess {
    const carrier = request as unknown as Carrier // by a symbol that only this file has
    const known = carrier[this.#key]
    if (known !== undefined) return known
    const { find, clock, monotonic } = this.options
    const made = new RequestAccess(request, { find, clock, monotonic, revocations: () => this.#revocations })
    carrier[this.#key] = made
    return made
  }

  /** Whose the bearer token of a request is; null without a valid one. */
  readonly authInfoOf = (request: HttpRequest): Promise<AuthInfo | null> => this.ofRequest(request).lookUp()

  /** A token of that user was revoked, null = maybe of any user: what was found before is dropped, and what it opened ends. */
  userRevoked(userId: string | null): void {
    this.#revocations += 1
    this.#open.recheck(userId)
    this.#openByToken.recheck(userId)
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

  /** The same for a socket: `end` closes it; returns what to call when it has closed, null where it depends on no user. */
  whileOpen(request: HttpRequest, end: () => void): (() => void) | null {
    const access = (request as unknown as Carrier)[this.#key] // by a symbol that only this file has
    return access?.relied ? this.#whileToken(access, access.relied, end) : this.#whileThere(request, end)
  }

  #whileToken({ bearer, request }: RequestAccess, { auth, isDoubtful }: Relied, end: () => void): () => void {
    const { find, clock } = this.options
    const isGood = async (): Promise<boolean> => bearer !== null && (await find(bearer, request)) !== null
    const check = async (): Promise<number | null> => ((await isGood()) ? this.#nextCheck() : null)
    const isOver = (): boolean => auth.expiresAt <= clock()
    const answer = { users: [auth.subject], check, isOver, end }
    return this.#openByToken.add(answer, { checkAt: this.#nextCheck(), isDoubtful })
  }

  /** By the user of the request, whatever the route goes by: until the session is another's, which is looked at when something of its user
   *  has changed, or one of the users is blocked or erased. */
  #whileThere(request: HttpRequest, end: () => void): (() => void) | null {
    const { headers, session } = request
    const user = headers.cookie === undefined ? null : session.get('user_id')
    const ofSession = typeof user === 'string' ? [user] : []
    const users = [...new Set([...subjectIn(bearerOf(request), this.options.issuer), ...ofSession])]
    if (users.length === 0) return null
    const isGone = async (): Promise<boolean> => (await Promise.all(users.map(this.#isGone))).includes(true)
    const ofUsers = { users, check: async () => ((await isGone()) ? null : this.#nextCheck()), end }
    const forget = this.#open.add(ofUsers, { checkAt: this.#nextCheck() })
    if (ofSession.length === 0) return forget
    const check = async (): Promise<number | null> => {
      await session.read?.()
      return session.get('user_id') === user ? Number.POSITIVE_INFINITY : null
    }
    const forgetSession = this.#open.add({ users: ofSession, check, end })
    return () => {
      forget()
      forgetSession()
    }
  }

  #nextCheck(): number {
    return this.options.monotonic() + recheckMs
  }
}

/** Whose our token says it is; none = it is none. It is not verified: it can only end what came with it. */
function subjectIn(token: string | null, issuer: string): readonly string[] {
  try {
    const { iss, sub } = JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString())
    return iss === issuer && typeof sub === 'string' ? [sub] : []
  } catch {
    return []
  }
}

/** Asks whether one id is among those that `find` finds; ids that come while the store is asked are asked about together. */
function askedTogether(
  find: (ids: readonly string[]) => Promise<readonly string[]>,
): (id: string) => Promise<boolean> {
  let asking: Promise<unknown> = Promise.resolve()
  let next: { readonly ids: Set<string>; readonly found: Promise<readonly string[]> } | null = null
  return async (id) => {
    if (next === null) {
      const ids = new Set<string>()
      const found = asking.then(() => {
        next = null
        return find([...ids])
      })
      next = { ids, found }
      asking = found.catch(() => {})
    }
    next.ids.add(id)
    return (await next.found).includes(id)
  }
}
