/** Signing in through an identity provider, whatever it speaks. */
import { lazy } from '../../lazy.ts'
import { toVisibleText } from '../clients/visible-text.ts'
import type { Identified, PendingLogin } from '../session.ts'
import { inTime } from './in-time.ts'
import { type ProviderConfig, type ResolvedProvider, resolveProvider } from './presets.ts'
import { type ProviderSigning, providerSigning, type SigningDependencies } from './provider-signing.ts'
import { ProviderHealth } from './provider-trouble.ts'
import type {
  Asks,
  DiscoveredProvider,
  ProtocolDependencies,
  ProviderProfile,
  SignInProtocol,
} from './sign-in-protocol.ts'

/** One configured provider. Its functions reject with what the provider or the network came to, in time. */
export interface IdentityProvider {
  /** Whether it may say when it last identified a user. */
  readonly tellsAuthTime: boolean
  /** Where to send the browser. */
  authorizationUrl(login: PendingLogin, asks: Asks): Promise<string>
  /** The user for whom the callback's query stands. */
  identify(query: URLSearchParams, login: PendingLogin): Promise<Identified>
  /** Null for one that signs nothing. */
  readonly signing: ProviderSigning | null
}

/** Those that are configured, by name. */
export type Providers = ReadonlyMap<string, IdentityProvider>

export interface ProviderDependencies extends SigningDependencies {
  readonly baseUrl: string
  /** For each function, whatever it asks the provider. */
  readonly timeoutMs: number
}

/** A provider called `name`, whose callback is `<baseUrl>/auth/<name>/callback`. Throws `ProviderConfigError`. */
export function createProvider(
  name: string,
  config: ProviderConfig,
  dependencies: ProviderDependencies,
): IdentityProvider {
  const { baseUrl, timeoutMs } = dependencies
  const provider = resolveProvider(name, config)
  const callback = `${baseUrl}/auth/${encodeURIComponent(name)}/callback`
  const deps = { callback, timeoutSeconds: timeoutMs / 1000 }
  const loaded = lazy(() => protocolOf(provider, deps))
  loaded().catch(() => {}) // begun at boot; a failure is the next sign-in's, which tries again
  const health = new ProviderHealth(name, dependencies)
  const published = async (): Promise<DiscoveredProvider> => {
    const found = (await loaded()).published?.()
    if (found === undefined) throw new Error('the provider publishes no keys')
    return inTime(found, timeoutMs, whose)
  }
  return {
    tellsAuthTime: provider.kind === 'oidc',
    authorizationUrl: async (login, asks) =>
      health.watch(inTime((await loaded()).authorizationUrl(login, asks), timeoutMs, whose)),
    identify: async (query, login) => {
      const protocol = await loaded()
      const callbackUrl = new URL(`${callback}?${query}`)
      const profile = await health.watch(inTime(protocol.identify(callbackUrl, login), timeoutMs, whose))
      health.worked()
      return signedInOf(name, profile)
    },
    signing:
      provider.kind === 'oidc'
        ? providerSigning({ name, clientId: config.clientId }, published, dependencies)
        : null,
  }
}

/** The library is loaded only where a provider is configured. */
async function protocolOf(provider: ResolvedProvider, deps: ProtocolDependencies): Promise<SignInProtocol> {
  if (provider.kind === 'github') return (await import('./github.ts')).createGithub(provider, deps)
  return (await import('./openid-connect.ts')).createOpenIdConnect(provider, deps)
}

/** Single requests have the same limit, so that what loses the race ends too. */
const whose = 'the provider'

const nameLimit = 200
const uidLimit = 255

/** Source: rules.md, User: provider name, else nickname, else uid. People choose these texts themselves. */
export function signedInOf(provider: string, profile: ProviderProfile): Identified {
  const { uid } = profile
  if (uid === '' || uid.length > uidLimit || uid !== toVisibleText(uid, uidLimit)) {
    throw new Error('the provider sent an unusable user id')
  }
  const name = textOf(profile.name) ?? textOf(profile.nickname) ?? uid
  const user = { id: `${provider}:${uid}`, name, email: textOf(profile.email) }
  return { user, authTime: profile.authTime, claims: profile.claims }
}

function textOf(value: string | null): string | null {
  const text = toVisibleText(value ?? '', nameLimit)
  return text === '' ? null : text
}
