/** What a sign-in protocol (OpenID Connect, GitHub's OAuth 2) gets and gives, and what both do. */
import { buildAuthorizationUrl, type Configuration } from 'openid-client'
import { isLoopbackUrl } from '../../loopback.ts'
import { sha256Base64Url } from '../../secret.ts'
import type { PendingLogin } from '../session.ts'

/** A person as a provider describes them; texts as they came. */
export interface ProviderProfile {
  readonly uid: string
  readonly name: string | null
  readonly nickname: string | null
  readonly email: string | null
  /** When it last identified them, in milliseconds since the epoch; null = it does not say. */
  readonly authTime: number | null
  /** All that it said: JSON. */
  readonly claims: Readonly<Record<string, unknown>>
}

/** What a provider is told to ask: which account, or to sign in anew the user who is signed in there; null = what it likes. */
export type Asks = 'account' | 'sign-in' | null

/** What a protocol does. Both functions reject with what the provider or the network came to. */
export interface SignInProtocol {
  authorizationUrl(login: PendingLogin, asks: Asks): Promise<string>
  /** `callbackUrl`: our address with the query that the browser brought. */
  identify(callbackUrl: URL, login: PendingLogin): Promise<ProviderProfile>
  /** What its discovery document says; absent where it has none. */
  published?(): Promise<DiscoveredProvider>
}

export interface DiscoveredProvider {
  readonly issuer: string
  readonly jwksUri: string
}

export interface ProtocolDependencies {
  /** Our address that the provider sends the browser back to. */
  readonly callback: string
  /** For each request. */
  readonly timeoutSeconds: number
}

/** Where the provider asks the person, with state and PKCE. */
export function authorizationUrl(
  configuration: Configuration,
  { state, verifier }: PendingLogin,
  {
    callback,
    scope,
    ...others
  }: { readonly callback: string; readonly scope: string } & Readonly<
    Partial<Record<'nonce' | 'prompt' | 'max_age', string>>
  >,
): string {
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: callback,
    response_type: 'code',
    scope,
    state,
    ...others,
    code_challenge: sha256Base64Url(verifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

/** Plain http is spoken on loopback only. */
export function isInsecureAllowed(address: string): boolean {
  return new URL(address).protocol === 'http:' && isLoopbackUrl(address)
}
