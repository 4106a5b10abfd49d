/** Whose the bearer token of a request is, looked up once however many ask: the guard, the controller, its filters. */
import type { HttpRequest } from '../../contract/http.ts'
import type { Access } from '../../contract/scopes.ts'
import type { AuthInfo, Clock, GrantLimits, User } from '../../contract/store.ts'
import { Unauthorized } from '../../errors.ts'
import { bearerOf } from './bearer.ts'

/** Whose a token is and what it grants, or null when it is not valid; `request` is the one that it came with. Rejects when
 *  that cannot be said now. */
export type LookUpToken = (token: string, request: HttpRequest) => Promise<AuthInfo | null>

export interface LookUpOptions {
  readonly find: LookUpToken
  readonly clock: Clock
  /** Milliseconds that never go back. */
  readonly monotonic: Clock
  /** How often tokens have been revoked here. */
  readonly revocations: () => number
}

interface Found {
  readonly auth: AuthInfo | null
  readonly access: Access | null
  readonly at: number
  /** As they were before it was looked up. */
  readonly revocations: number
}

export interface Relied {
  readonly auth: AuthInfo
  readonly isDoubtful: boolean
}

/** How long others may go by what was found: a stream or a socket runs on for hours, and must not. */
const reusedMs = 1000

export class RequestAccess {
  readonly request: HttpRequest
  readonly bearer: string | null
  /** Whether the route runs by what the token grants: then what it leaves open ends with the token. */
  isReliedOn = false
  /** Whether a controller or filter has found a user by another token than the bearer's. */
  hasOtherToken = false
  readonly #options: LookUpOptions
  #finding: Promise<Found> | null = null
  #found: Found | null = null
  #failure: { readonly error: unknown } | null = null

  constructor(request: HttpRequest, options: LookUpOptions) {
    this.request = request
    this.bearer = bearerOf(request)
    this.#options = options
    if (this.bearer === null) this.#found = this.#foundNow(null, options.revocations())
  }

  /** Rejects when it cannot be said now; then the next call asks again, as where time has passed. */
  async lookUp(): Promise<AuthInfo | null> {
    if (this.bearer === null) return null
    if (this.#found !== null && this.#isFresh(this.#found)) return this.#found.auth
    this.#finding ??= this.#find()
    try {
      this.#found = await this.#finding
      return this.#found.auth
    } catch (error) {
      this.#failure = { error }
      throw error
    } finally {
      this.#finding = null
    }
  }

  /** What was found. Throws what the look-up failed with, or that there was none. */
  get current(): Access | null {
    if (this.#found !== null) return this.#found.access
    if (this.#failure !== null) throw this.#failure.error
    throw notLookedUp()
  }

  /** Whose the token is that was found. */
  get auth(): AuthInfo | null {
    return this.#found?.auth ?? null
  }

  /** What the grant of the token that was found does not allow; null = nothing of that kind. */
  get limits(): GrantLimits | null {
    return this.auth?.limits ?? null
  }

  /** Whether the bearer token was issued here, or that cannot be said. */
  get isDelegated(): boolean {
    if (this.hasOtherToken) return true
    if (this.bearer === null) return false
    return this.#found === null || (this.#found.auth !== null && this.#found.auth.grantId !== null)
  }

  /** Whose the bearer token is now; what `current` says stays. */
  async user(): Promise<User | null> {
    const found = this.#found
    if (found !== null && this.#isFresh(found)) return found.auth?.user ?? null
    if (this.bearer === null) return null
    return (await this.#options.find(this.bearer, this.request))?.user ?? null
  }

  /** The token that is relied on, and whether one was revoked since it was found; null when there is none. */
  get relied(): Relied | null {
    const found = this.#found
    if (!this.isReliedOn || found === null || found.auth === null) return null
    return { auth: found.auth, isDoubtful: found.revocations !== this.#options.revocations() }
  }

  async #find(): Promise<Found> {
    const revocations = this.#options.revocations()
    const auth = this.bearer === null ? null : await this.#options.find(this.bearer, this.request)
    return this.#foundNow(auth, revocations)
  }

  #foundNow(auth: AuthInfo | null, revocations: number): Found {
    return { auth, access: auth && accessOf(auth), at: this.#options.monotonic(), revocations }
  }

  #isFresh({ auth, at, revocations }: Found): boolean {
    const { clock, monotonic } = this.#options
    if (revocations !== this.#options.revocations() || monotonic() - at >= reusedMs) return false
    return auth === null || clock() < auth.expiresAt
  }
}

/** What is known in a route where nothing looks tokens up. */
export function accessWithoutLookUp(request: HttpRequest): null {
  if (bearerOf(request) === null) return null
  throw notLookedUp()
}

export const notLookedUp = (): Error =>
  new Error(
    'nobody has looked up the token of this request: `this.access` and `this.requireScopes` must stand in a class of the controller, or scopes be declared',
  )

const accessOf = ({ user, clientId: client, grantId: grant, scopes }: AuthInfo): Access =>
  user === null ? new ClientAccess({ client, grant, scopes }) : { user, client, grant, scopes }

/** Of a client's own token: a route that asks for its user answers 401. */
class ClientAccess implements Access {
  readonly client: string | null
  readonly grant: string | null
  readonly scopes: readonly string[]

  constructor({ client, grant, scopes }: Omit<Access, 'user'>) {
    this.client = client
    this.grant = grant
    this.scopes = scopes
  }

  get user(): User {
    throw new Unauthorized(`this token is of the client ${this.client}, and of no user`)
  }
}
