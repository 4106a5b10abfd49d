/** One route's guard, and what its controller has of the token. Source: decisions/http.md, The guard of scopes. */
import type { Guard, HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import type { Access, OtherCredential, RequiredScope } from '../../contract/scopes.ts'
import type { AuthInfo, Services } from '../../contract/store.ts'
import { Forbidden, passingHandlers } from '../../errors.ts'
import { apiScope, havableBy, verdictOn } from '../../scopes.ts'
import { changeOf, limitedBy, limitWords } from '../../surface.ts'
import { type AccessError, AccessRefusal, refusedResponse } from './access-refusal.ts'
import { bearerOf } from './bearer.ts'
import { noteDecision } from './decision.ts'
import { otherCredentials } from './other-credentials.ts'
import type { RequestAccess } from './request-access.ts'
import type { SharedAccess } from './shared-access.ts'

/** What the route's exception handlers answer to an error, without its filters. Rejects with it when none takes it. */
type Handle = (error: Error, request: HttpRequest, services: Services) => Promise<HttpResponse>

type GuardedRoute = Pick<
  Route,
  'id' | 'verb' | 'path' | 'readOnly' | 'scope' | 'websocket' | 'answersSecrets'
>

/** What a refusal is answered with; `words` for people, where the error does not say it all. */
interface RefusalAnswer {
  readonly error: AccessError
  readonly needed: readonly string[]
  readonly words?: string
}

/** The caller of a route; ids. */
export interface ProvenCaller {
  /** That of the token, or the user's id. */
  readonly subject: string
  /** Null = a client that acts for no user. */
  readonly user: string | null
  readonly client: string | null
  readonly grant: string | null
  readonly bySession: boolean
}

export class RouteAccess {
  readonly #route: GuardedRoute
  readonly #shared: SharedAccess
  readonly #change: string | null

  constructor(route: GuardedRoute, shared: SharedAccess) {
    this.#route = route
    this.#change = changeOf(route)
    this.#shared = shared
  }

  /** Looks the token up, and refuses where the route asks for a scope that it does not grant, or its grant is limited. */
  guard(handle: Handle): Guard {
    const { scope } = this.#route
    const handledFor =
      (request: HttpRequest) =>
      (error: Error): Promise<HttpResponse> =>
        handle(error, request, this.#shared.options.services)
    if (scope === undefined) {
      return (request) => {
        if (bearerOf(request) === null) return null
        return this.#change === null
          ? this.#lookUpOnly(request)
          : this.#refuseLimited(request, handledFor(request))
      }
    }
    return async (request) => {
      const isAllowed = await this.#allows(request, scope)
      const { limits } = this.#of(request)
      if (limits === null && isAllowed) return null
      const handled = handledFor(request)
      // more scopes do not help a client that may only look
      const limited = isAllowed || limits?.readOnly ? await this.#refuseLimited(request, handled) : null
      return limited ?? (isAllowed ? null : this.answer(new AccessRefusal(scope.names), request, handled))
    }
  }

  /** Whether it came with a token that was issued here; so it did where that cannot be said now. */
  isDelegated(request: HttpRequest): boolean {
    return this.#of(request).isDelegated
  }

  accessTo(request: HttpRequest): Access | null {
    return this.#of(request).current
  }

  /** The services of one request: they know whose its token is. Null where it has none, and none that came elsewhere matters. */
  servicesOf(request: HttpRequest): Services | null {
    const access = this.#of(request)
    if (access.bearer === null && this.#route.answersSecrets !== true) return null
    const { services } = this.#shared.options
    const userOfAccessToken: Services['userOfAccessToken'] = async (token) => {
      if (token === access.bearer) return access.user()
      const user = await services.userOfAccessToken(token)
      access.hasOtherToken ||= user !== null
      return user
    }
    return Object.assign(Object.create(services), services, { userOfAccessToken }) // what is lent to the original is inherited
  }

  /** The subject of a valid token, or the id of the user whom the session proves; null where none does, or it cannot be said now. What else is sent
   *  beside a session changes nothing of whose it is. */
  subjectOf(request: HttpRequest): MaybePromise<string | null> {
    const access = this.#of(request)
    const bySession = (): MaybePromise<string | null> =>
      request.headers.cookie === undefined ? null : this.#userOfSession(request).catch(() => null)
    if (access.bearer === null) return bySession()
    return access.lookUp().then(
      (auth) => auth?.subject ?? bySession(),
      () => bySession(),
    )
  }

  /** Whose call it is, by a valid token or the session; null where there is none, or these name two: a route may go by either. Rejects,
   *  past every handler, where that cannot be said now. */
  callerOf(request: HttpRequest): Promise<ProvenCaller | null> {
    return this.#callerOf(request).catch((error: unknown) => {
      throw passingHandlers(error)
    })
  }

  /** Whether its bearer token was issued here, though it may have expired or been revoked. */
  async isOfOurs(request: HttpRequest): Promise<boolean> {
    const { bearer } = this.#of(request)
    return bearer !== null && this.#shared.options.isSignedHere(bearer)
  }

  async #callerOf(request: HttpRequest): Promise<ProvenCaller | null> {
    const auth = await this.#of(request).lookUp()
    const user = request.headers.cookie === undefined ? null : await this.#userOfSession(request)
    const bySession = { client: null, grant: null, bySession: true }
    if (auth === null) return user === null ? null : { subject: user, user, ...bySession }
    const { subject, clientId: client, grantId: grant } = auth
    if (user !== null && user !== subject) return null
    return { subject, user: auth.user?.id ?? null, client, grant, bySession: false }
  }

  /** Throws unless the token grants them all. */
  require(request: HttpRequest, names: readonly string[]): void {
    const access = this.#of(request)
    const { current } = access
    const required = { names: this.#known(names), unless: [] }
    const verdict = verdictOn(required, { scopes: current?.scopes ?? null, others: [] })
    if (verdict !== 'allowed') throw new AccessRefusal(this.#needed(names))
    access.isReliedOn = true
  }

  /** The answer to a request that was refused; `handled` is asked for its body. */
  async answer(
    { needed }: AccessRefusal,
    request: HttpRequest,
    handled: (error: Error) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const { current, auth } = this.#of(request)
    const isNobody = current === null || auth === null
    const error = isNobody ? 'invalid_token' : await this.#errorFor(needed, auth)
    return this.#tell({ error, needed }, request, handled)
  }

  async #tell(
    { error, needed, words }: RefusalAnswer,
    request: HttpRequest,
    handled: (error: Error) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const metadataUrl = this.#shared.options.metadataUrlOf?.(request) ?? null
    const { bearer, current } = this.#of(request)
    const decision = error === 'invalid_token' ? 401 : 403
    noteDecision(request, { decision, scopes: current?.scopes ?? null })
    const challenge = { error, needed, hasBearer: bearer !== null, metadataUrl }
    if (error === 'invalid_token') return refusedResponse(challenge, null)
    const forbidden = new Forbidden(words ?? error)
    const answered = await handled(forbidden).catch((failure: unknown) => {
      if (failure !== forbidden) this.#logFailure(failure, request)
      return null
    })
    return refusedResponse(challenge, answered, words)
  }

  /** Null where the grant of its token lets it run the route. Rejects where that cannot be said now. */
  async #refuseLimited(
    request: HttpRequest,
    handled: (error: Error) => Promise<HttpResponse>,
  ): Promise<HttpResponse | null> {
    const auth = await this.#of(request).lookUp()
    const limit = limitedBy(auth?.limits, this.#change)
    if (limit === null || auth === null) return null
    const needed = this.#route.scope?.names ?? []
    if (limit === 'uncovered' && (await this.#isToAsk(auth, needed)))
      return this.#tell({ error: 'insufficient_scope', needed }, request, handled)
    return this.#tell({ error: 'forbidden', needed, words: limitWords[limit] }, request, handled)
  }

  /** Once for a grant: a client that has the scopes would ask for them for ever. It is not sent for what the user may not have. */
  async #isToAsk(auth: AuthInfo, needed: readonly string[]): Promise<boolean> {
    const { grantId, limits } = auth
    if (grantId === null || limits?.isAsked === true) return false
    const { scopes, services, log, askOnce } = this.#shared.options
    const havable = await havableBy(auth, needed, { scopes, services, log })
    return havable.length === needed.length && askOnce(grantId)
  }

  #of(request: HttpRequest): RequestAccess {
    return this.#shared.ofRequest(request)
  }

  /** What fails here is told to the caller. */
  async #lookUpOnly(request: HttpRequest): Promise<null> {
    await this.#of(request)
      .lookUp()
      .catch(() => {})
    return null
  }

  async #allows(request: HttpRequest, required: RequiredScope): Promise<boolean> {
    const access = this.#of(request)
    const auth = await access.lookUp()
    const others = await this.#othersOf(request, required.unless)
    const scopes = auth?.scopes ?? null
    if (verdictOn(required, { scopes, others }) !== 'allowed') return false
    access.isReliedOn = true
    noteDecision(request, { decision: 'allowed', scopes })
    return true
  }

  /** A browser opens a socket with its cookies from any page: the session, which is not read yet, counts beside our own `Origin`
   *  alone, whatever other origins may use the endpoint. */
  async #othersOf(
    request: HttpRequest,
    unless: readonly OtherCredential[],
  ): Promise<readonly OtherCredential[]> {
    if (unless.length === 0) return []
    const wanted = this.#mayCountSession(request)
      ? unless
      : unless.filter((credential) => credential !== 'session')
    if (this.#route.websocket && wanted.includes('session')) await request.session.read?.()
    return otherCredentials(request, wanted, this.#shared.options.services)
  }

  #mayCountSession({ headers: { origin, cookie } }: HttpRequest): boolean {
    return !this.#route.websocket || (origin === this.#shared.options.origin && cookie !== undefined)
  }

  async #userOfSession(request: HttpRequest): Promise<string | null> {
    if (!this.#mayCountSession(request)) return null
    if (this.#route.websocket) await request.session.read?.()
    const user = await this.#shared.options.services.userOfSession(request.session)
    return user?.id ?? null
  }

  /** The client is not sent to ask for what the user may not have. */
  async #errorFor(needed: readonly string[], auth: AuthInfo): Promise<AccessError> {
    const { scopes, services, log } = this.#shared.options
    const missing = needed.filter((name) => !auth.scopes.includes(name) && scopes.isKnown(name))
    const havable = await havableBy(auth, missing, { scopes, services, log })
    if (havable.length < missing.length) return 'forbidden'
    return 'insufficient_scope'
  }

  /** A handler that fails itself changes nothing either. */
  #logFailure(failure: unknown, { id, method }: HttpRequest): void {
    const { log } = this.#shared.options
    log.error({ requestId: id, method, route: this.#route.id, err: failure }, 'unhandled exception')
  }

  /** What the route needs anyway and these, in the order of declaration. */
  #needed(names: readonly string[]): readonly string[] {
    const all = new Set([...(this.#route.scope?.names ?? []), ...names])
    const { declared } = this.#shared.options.scopes
    return declared.length === 0 ? [...all] : declared.map(({ name }) => name).filter((name) => all.has(name))
  }

  #known(names: readonly string[]): readonly string[] {
    const { declared } = this.#shared.options.scopes
    const known = declared.length === 0 ? [apiScope] : declared.map(({ name }) => name)
    const unknown = names.find((name) => !known.includes(name))
    if (unknown === undefined) return names
    throw new Error(`requireScopes: '${unknown}' is not declared in defineApp({ scopes })`)
  }
}
