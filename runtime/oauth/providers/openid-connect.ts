/** OpenID Connect: discovery, PKCE, nonce, issuer and signature checks by openid-client. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  genericGrantRequest,
  type IDToken,
  ResponseBodyError,
} from 'openid-client'
import { lazy } from '../../lazy.ts'
import type { PendingLogin } from '../session.ts'
import type { ResolvedProvider } from './presets.ts'
import {
  type Asks,
  authorizationUrl,
  type DiscoveredProvider,
  isInsecureAllowed,
  type ProtocolDependencies,
  type ProviderProfile,
  type SignInProtocol,
} from './sign-in-protocol.ts'

type OidcProvider = Extract<ResolvedProvider, { kind: 'oidc' }>
type Claims = Readonly<Record<string, unknown>>

export interface OpenIdConnect extends SignInProtocol {
  published(): Promise<DiscoveredProvider>
  /** Redeems a code that there is not. Rejects with what the provider answers, unless that is so. */
  tryCredentials(): Promise<void>
}

/** A provider that is discovered on first use. */
export function createOpenIdConnect(provider: OidcProvider, deps: ProtocolDependencies): OpenIdConnect {
  const configuration = lazy(() => discover(provider, deps.timeoutSeconds))
  return {
    authorizationUrl: async (login, asks) => {
      const { callback } = deps
      return authorizationUrl(await configuration(), login, {
        callback,
        scope: provider.scope,
        nonce: login.nonce,
        ...askingFor(asks, provider),
      })
    },
    identify: async (callbackUrl, login) => identify(await configuration(), callbackUrl, { login, provider }),
    published: async () => {
      const { issuer, jwks_uri: jwksUri } = (await configuration()).serverMetadata()
      if (jwksUri === undefined) throw new Error('the discovery document has no jwks_uri')
      return { issuer, jwksUri }
    },
    tryCredentials: async () => tryCredentials(await configuration(), deps.callback),
  }
}

async function tryCredentials(configuration: Configuration, redirect_uri: string): Promise<void> {
  const sent = { code: 'of-acmcp-doctor', redirect_uri, code_verifier: 'x'.repeat(43) }
  await genericGrantRequest(configuration, 'authorization_code', sent).catch((error: unknown) => {
    if (!(error instanceof ResponseBodyError) || error.error !== 'invalid_grant') throw error
  })
}

/** A user is asked for the password again to sign in anew, also where `prompt` or `max_age` alone is heeded. Source: OpenID Connect Core,
 *  3.1.2.1. */
function askingFor(
  asks: Asks,
  { accountPrompt }: OidcProvider,
): Readonly<Partial<Record<'prompt' | 'max_age', string>>> {
  if (asks === null) return {}
  return asks === 'account' ? { prompt: accountPrompt } : { prompt: 'login', max_age: '0' }
}

/** ID tokens come straight from the token endpoint, and the library would take the connection for their signature. */
function discover({ issuer, clientId, clientSecret }: OidcProvider, timeout: number): Promise<Configuration> {
  const insecure = isInsecureAllowed(issuer) ? [allowInsecureRequests] : []
  return discovery(new URL(issuer), clientId, undefined, clientAuth(clientSecret), {
    execute: [enableNonRepudiationChecks, ...insecure],
    timeout,
  })
}

/** Basic unless the provider's metadata rules it out; basic is also what no metadata means (OpenID Connect Discovery, 3). */
function clientAuth(secret: string): ClientAuth {
  const basic = ClientSecretBasic(secret)
  const post = ClientSecretPost(secret)
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const authenticate = methods.includes('client_secret_basic') ? basic : post
    authenticate(server, client, body, headers)
  }
}

async function identify(
  configuration: Configuration,
  callbackUrl: URL,
  {
    login: { state, nonce, verifier },
    provider: { trustEmail, asksUserInfo },
  }: { readonly login: PendingLogin; readonly provider: OidcProvider },
): Promise<ProviderProfile> {
  const tokens = await authorizationCodeGrant(configuration, callbackUrl, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('the provider sent no ID token')
  const email = emailOf(claims, trustEmail)
  const isComplete = !asksUserInfo && text(claims.name) !== null && email !== null
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined)
    return profileOf(claims, claims, email)
  const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub)
  return profileOf(claims, merged(claims, more), email ?? emailOf(more, trustEmail))
}

/** What is said of a claim comes from where the claim does. Source: OpenID Connect Core, 5.1. */
const verifiedBy = [
  ['email', 'email_verified'],
  ['phone_number', 'phone_number_verified'],
] as const

/** What the ID token says goes first. */
function merged(claims: Claims, userInfo: Claims): Claims {
  const all: Record<string, unknown> = { ...userInfo, ...claims }
  for (const [name, verified] of verifiedBy) {
    if (all[name] === undefined) continue
    const source = claims[name] === undefined ? userInfo : claims
    delete all[verified]
    if (source[verified] !== undefined) all[verified] = source[verified]
  }
  return all
}

/** How providers write that an address is not verified. */
const unverified: ReadonlySet<unknown> = new Set([false, 'false', 0, '0'])

/** The address, when the very source that gives it calls it verified: another could belong to any person. A trusted provider need
 *  not say so; what it calls unverified is not taken from it either. Source: OpenID Connect Core, 5.1 and 5.7. */
export function emailOf({ email, email_verified: verified }: Claims, trustEmail: boolean): string | null {
  return verified === true || (trustEmail && !unverified.has(verified)) ? text(email) : null
}

/** Many providers put name and address into the user info only (OpenID Connect Core, 5.4). */
export function profileOf(
  { sub: uid, auth_time: time }: Pick<IDToken, 'sub' | 'auth_time'>,
  claims: Claims,
  email: string | null,
): ProviderProfile {
  const authTime = typeof time === 'number' ? time * 1000 : null
  return { uid, name: text(claims.name), nickname: text(claims.nickname), email, authTime, claims }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
