/** Scopes: what a token may do, as an application declares it and its routes ask for it. See templates/docs/scopes.md. */
// Source: RFC 6749, 3.3; language.md, Scopes, limits, audit; rules.md, scopes.
import type { HttpRequest } from './http.ts'
import type { Services, User } from './store.ts'

/** One scope of `defineApp({ scopes })`. */
export interface ScopeConfig {
  /** What it lets a client do, in words that finish "It may …". */
  readonly text: string
  /** Scopes that come with it, theirs too. */
  readonly implies?: readonly string[]
  /** No part of `api`: a client must ask for it by name, and its user tick it. */
  readonly sensitive?: boolean
  /** Whether this user can be asked for it at all; asked at consent and at each refresh. Default: everybody can. */
  readonly mayHave?: (user: User, services: Services) => boolean | Promise<boolean>
}

/** Scopes by name (a `scope-token` of RFC 6749), each with its words alone or with more. */
export type ScopesConfig = Readonly<Record<string, string | ScopeConfig>>

/** What a route asks for (`@scope`). */
export interface RequiredScope {
  /** All of these, in the order of their declaration; never empty. */
  readonly names: readonly string[]
  /** Callers that pass without an `Authorization` header: a user signed in to the session, or a sender of an `X-API-Key`. */
  readonly unless: readonly OtherCredential[]
}

export type OtherCredential = 'session' | 'key'

/** Whose a valid access token is, and what it may do. */
export interface Access {
  readonly user: User
  /** The client's id, or null when the token names none. */
  readonly client: string | null
  /** The grant's id, or null for a token that was not issued here. */
  readonly grant: string | null
  /** Declared scopes, `api` and what they imply resolved; `['api']` in an application that declares none. */
  readonly scopes: readonly string[]
}

/** The application's own check of a bearer token that our keys did not sign: signature, issuer, audience and time are its
 *  duty. `scopes` are names: `api` and what they imply are resolved afterwards. `expiresAt` (milliseconds since the epoch) is
 *  when streams and sockets that it opened end. Null = not valid. */
export type VerifyToken = (
  token: string,
  request: HttpRequest,
) => Promise<(Access & { readonly expiresAt?: number }) | null>
