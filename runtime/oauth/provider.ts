/** Signing in through an OpenID Connect provider: discovery, PKCE, nonce and issuer checks by openid-client. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  fetchUserInfo,
} from 'openid-client'
import type { User } from '../contract.ts'
import { sha256Base64Url } from '../secret.ts'
import type { ProviderConfig } from './options.ts'
import type { PendingSignIn } from './session.ts'

/** One configured provider. Both functions reject with what the provider or the network came to. */
export interface IdentityProvider {
  /** Where to send the browser. */
  authorizationUrl(state: string, pending: PendingSignIn): Promise<string>
  /** The user that the callback's query stands for. */
  identify(query: URLSearchParams, state: string, pending: PendingSignIn): Promise<User>
}

const timeoutSeconds = 10
const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** A provider called `name`, whose callback is `<baseUrl>/auth/<name>/callback`. It is discovered on first use. */
export function createProvider(name: string, config: ProviderConfig, baseUrl: string): IdentityProvider {
  const callback = `${baseUrl}/auth/${encodeURIComponent(name)}/callback`
  const configuration = rememberSuccess(() => discover(config))
  return {
    authorizationUrl: async (state, pending) =>
      authorizationUrl(await configuration(), callback, { state, pending }),
    identify: async (query, state, pending) => {
      const currentUrl = new URL(`${callback}?${query}`)
      return identify(name, await configuration(), currentUrl, { state, pending })
    },
  }
}

interface Flow {
  readonly state: string
  readonly pending: PendingSignIn
}

function discover(config: ProviderConfig): Promise<Configuration> {
  const issuer = new URL(config.issuer)
  const isLoopback = issuer.protocol === 'http:' && loopbackHosts.has(issuer.hostname)
  return discovery(issuer, config.clientId, undefined, clientAuth(config.clientSecret), {
    execute: isLoopback ? [allowInsecureRequests] : [],
    timeout: timeoutSeconds,
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

/** Asks once and keeps the answer; a failure is forgotten, so that the next sign-in tries again. */
function rememberSuccess<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | null = null
  return () => {
    known ??= ask().catch((error: unknown) => {
      known = null
      throw error
    })
    return known
  }
}

function authorizationUrl(configuration: Configuration, callback: string, { state, pending }: Flow): string {
  const url = buildAuthorizationUrl(configuration, {
    redirect_uri: callback,
    response_type: 'code',
    scope: 'openid profile email',
    state,
    nonce: pending.nonce,
    code_challenge: sha256Base64Url(pending.verifier),
    code_challenge_method: 'S256',
  })
  return url.href
}

async function identify(
  name: string,
  configuration: Configuration,
  currentUrl: URL,
  { state, pending }: Flow,
): Promise<User> {
  const tokens = await authorizationCodeGrant(configuration, currentUrl, {
    expectedState: state,
    expectedNonce: pending.nonce,
    pkceCodeVerifier: pending.verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('the provider sent no ID token')
  const more = needsUserInfo(configuration, claims)
    ? await fetchUserInfo(configuration, tokens.access_token, claims.sub)
    : {}
  return userOf(name, claims.sub, { ...more, ...claims })
}

/** Many providers put name and address into the user info only (OpenID Connect Core, 5.4). */
function needsUserInfo(configuration: Configuration, claims: Readonly<Record<string, unknown>>): boolean {
  const isComplete = text(claims.name) !== null && text(claims.email) !== null
  return !isComplete && configuration.serverMetadata().userinfo_endpoint !== undefined
}

/** Source: specification, Resources, User: provider name, else nickname, else uid. */
function userOf(provider: string, uid: string, claims: Readonly<Record<string, unknown>>): User {
  const name = text(claims.name) ?? text(claims.nickname) ?? uid
  return { id: `${provider}:${uid}`, name, email: text(claims.email) }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
