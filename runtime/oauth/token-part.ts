/** What an optional part of the authorization server does for programs: clients, and identity providers. */
import type { JWTPayload } from 'jose'
import type { Endpoint, HttpRequest, HttpResponse } from '../contract/http.ts'
import type { AuthInfo } from '../contract/store.ts'
import type { AuthMethod, ClientSource, SigningClients } from './clients/client.ts'
import type { AuthorizationServerOptions, SigningOptions } from './options.ts'
import type { Parameters } from './parameters.ts'
import type { Providers } from './providers/provider.ts'

/** The authorization server as such a part sees it. */
export interface TokenRoom {
  readonly options: SigningOptions
  readonly providers: Providers
}

export interface TokenRequest {
  readonly request: HttpRequest
  /** `resource` among them is ours. */
  readonly parameters: Parameters
  readonly options: SigningOptions
}

/** A grant of the token endpoint. It authenticates its client itself. Rejects with an `OAuthError`. */
export type TokenGrant = (request: TokenRequest) => Promise<HttpResponse>

/** By `grant_type`. */
export type TokenGrants = ReadonlyMap<string, TokenGrant>

/** Access tokens that a client has for itself: they stand for no user. */
export interface ClientTokens {
  /** The setting that names such clients, for the log. */
  readonly setting: string
  /** Null where the token is none of these clients', or not any more. `claims` were verified. */
  readonly find: (claims: JWTPayload, subject: string) => Promise<AuthInfo | null>
}

export interface TokenPart {
  readonly grants?: (room: TokenRoom) => TokenGrants
  /** Limited as the token endpoint is. */
  readonly endpoints?: (room: TokenRoom) => readonly Endpoint[]
  readonly clientSource?: (options: AuthorizationServerOptions) => ClientSource
  /** Further ones of the token endpoint. */
  readonly authMethods?: readonly AuthMethod[]
  /** Further members of the metadata of the authorization server. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Whose assertions the grants of every part take. */
  readonly signingClients?: SigningClients
  /** Of one part at most. */
  readonly clientTokens?: (room: TokenRoom) => ClientTokens
}
