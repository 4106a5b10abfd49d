/** GitHub: plain OAuth 2 without discovery or ID tokens; its HTTP API names the user who signed in. Source:
 *  rules.md, identity providers. */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  ClientSecretPost,
  Configuration,
  fetchProtectedResource,
} from 'openid-client'
import type { GithubAddresses, ResolvedProvider } from './presets.ts'
import {
  authorizationUrl,
  isInsecureAllowed,
  type ProtocolDependencies,
  type ProviderProfile,
  type SignInProtocol,
} from './sign-in-protocol.ts'

type GithubProvider = Extract<ResolvedProvider, { kind: 'github' }>
type Fields = Readonly<Record<string, unknown>>

/** Sign-in with GitHub or an Enterprise Server. */
export function createGithub(provider: GithubProvider, deps: ProtocolDependencies): SignInProtocol {
  const { addresses } = provider
  const configuration = configure(provider, deps.timeoutSeconds)
  return {
    authorizationUrl: async (login, asks) =>
      authorizationUrl(configuration, login, {
        callback: deps.callback,
        scope: provider.scope,
        ...(asks === null ? {} : { prompt: provider.accountPrompt }),
      }),
    identify: async (callbackUrl, { state, verifier }) => {
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      const tokens = await authorizationCodeGrant(configuration, callbackUrl, checks)
      return profileOf(configuration, addresses, tokens.access_token)
    },
  }
}

function configure({ addresses, clientId, clientSecret }: GithubProvider, timeout: number): Configuration {
  const server = {
    issuer: addresses.issuer,
    authorization_endpoint: addresses.authorization,
    token_endpoint: addresses.token,
  }
  const configuration = new Configuration(server, clientId, undefined, ClientSecretPost(clientSecret))
  configuration.timeout = timeout
  if (isInsecureAllowed(addresses.token)) allowInsecureRequests(configuration)
  return configuration
}

async function profileOf(
  configuration: Configuration,
  addresses: GithubAddresses,
  accessToken: string,
): Promise<ProviderProfile> {
  const ask = (address: string): Promise<Response> =>
    fetchProtectedResource(configuration, accessToken, new URL(address), 'GET', null, apiHeaders())
  const profile = fieldsOf(await jsonOf(await ask(addresses.profile)))
  if (typeof profile.id !== 'number') throw new Error('the profile has no id')
  const emails = await ask(addresses.emails)
  // an application without the permission is told 403 or 404; the person has no address then
  const email = [403, 404].includes(emails.status) ? null : primaryEmail(await jsonOf(emails))
  const [name, nickname] = [textOf(profile.name), textOf(profile.login)]
  return { uid: String(profile.id), name, nickname, email, authTime: null, claims: profile }
}

function apiHeaders(): Headers {
  return new Headers({ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' })
}

async function jsonOf(response: Response): Promise<unknown> {
  if (response.status !== 200) throw new Error(`the API answered ${response.status}`, { cause: response })
  return response.json()
}

/** The profile's own address is what the person chose to show; the primary verified one is theirs. */
function primaryEmail(list: unknown): string | null {
  const entries: readonly unknown[] = Array.isArray(list) ? list : []
  const primary = entries.map(fieldsOf).find((entry) => entry.primary === true && entry.verified === true)
  return textOf(primary?.email)
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
