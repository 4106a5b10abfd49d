import type { KeyObject } from 'node:crypto'
import type { CheckToken, OnSignIn } from '../contract/application.ts'
import type { AuditTrail } from '../contract/calls.ts'
import type { HttpRequest } from '../contract/http.ts'
import type { Clock, Logger, RandomBytes, Services } from '../contract/store.ts'
import type { Scopes } from '../scopes.ts'
import type { RefreshGrace, Store } from '../store/store.ts'
import type { ScopedChange } from '../surface.ts'
import type { ClientSource, SigningClients } from './clients/client.ts'
import type { ConfidentialClients, HeldAddresses } from './clients/confidential-clients.ts'
import type { NativeSchemes } from './clients/redirect-uri.ts'
import type { Coverage } from './consent/coverage.ts'
import type { RateLimits } from './limits.ts'
import type { Parameters } from './parameters.ts'
import type { Profile } from './profile.ts'
import type { ProviderConfig } from './providers/presets.ts'
import type { Signer } from './tokens/jwt.ts'

/** Everything the authorization server works with. `baseUrl` has no trailing slash and is the issuer. The first of
 *  `jwtPrivateKeys` signs, or without any the first of `jwtSecrets` (the key being the UTF-8 bytes); all verify. */
export interface AuthorizationServerOptions {
  readonly baseUrl: string
  /** The name that the pages show for this service; null = its host. */
  readonly serviceName: string | null
  /** The path of the MCP endpoint. */
  readonly mcpPath: string
  /** Headers that clients send beside the specification's, in lower case. */
  readonly forwardHeaders: readonly string[]
  /** The redirect URIs of our own pages (`ownPageUris`); none = no page signs in. */
  readonly ownPages: readonly string[]
  /** Private-use schemes of redirect URIs; null = none is taken. */
  readonly nativeSchemes: NativeSchemes
  readonly store: Store
  readonly jwtSecrets: readonly string[]
  readonly jwtPrivateKeys: readonly KeyObject[]
  readonly clock: Clock
  /** Milliseconds that never go back, of limits and caches (default: the clock). */
  readonly monotonic?: Clock | undefined
  readonly randomBytes: RandomBytes
  readonly devLogin: boolean
  readonly providers: Readonly<Record<string, ProviderConfig>>
  readonly limits: RateLimits
  readonly checkToken: CheckToken | null
  /** What the application declares. */
  readonly scopes: Scopes
  /** What they let clients change. */
  readonly changes: readonly ScopedChange[]
  /** Whether a grant covers what its page showed, or what its scopes cover. */
  readonly cover: 'shown' | 'scopes'
  /** What the `mayHave` of a scope is given; made after this server, of which it is a part. */
  readonly services: () => Services
  /** Called at every sign-in; null = all may, and nothing is kept with them. */
  readonly onSignIn: OnSignIn | null
  /** How long ago, in milliseconds, the user of a refresh token may have signed in; null = it does not matter. */
  readonly signInWithinMs: number | null
  /** Null = a refresh token is exchanged once. */
  readonly refreshGrace: RefreshGrace | null
  /** For everything that one step of a sign-in asks the provider, and for `onSignIn`. */
  readonly providerTimeoutMs: number
  /** Clients with a secret. */
  readonly confidentialClients: ConfidentialClients
  /** Redirect addresses of theirs, which no other client may have. */
  readonly heldAddresses: HeldAddresses
  /** What clients get beyond the letter of the specification. */
  readonly profile: Profile
  readonly log: Logger
  /** Where audit lines go: no level leaves them out. */
  readonly auditLog: Logger
  readonly auditTrail: AuditTrail
  /** Told after a token, or a whole family, of that user has been revoked, or what is kept with them has changed. */
  readonly onRevoked: (userId: string) => void
  /** Told after a consent or a refresh, with what the user lets the client do from then on, resolved. */
  readonly onGranted: (granted: Granted) => void
}

/** What a client may do for a user from now on. */
export interface Granted {
  readonly userId: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

/** The sender of a token or revocation request. */
export interface SendingClient {
  readonly id: string
  /** Rejects with an `OAuthError` where its document names keys and it has not proved one. Asked of the client's own codes and tokens alone:
   *  a stranger makes the server fetch no document. */
  readonly proveKey: () => Promise<void>
}

/** Throws an `OAuthError` where the client has not proved its secret. */
export type AuthenticateClient = (request: HttpRequest, parameters: Parameters) => SendingClient

/** The same with what signs and verifies codes and tokens. */
export interface SigningOptions extends AuthorizationServerOptions {
  readonly signer: Signer
  /** Null where no scopes are declared. */
  readonly coverage: Coverage | null
  /** Those of the configuration: whatever their grant, they are known by their keys. */
  readonly signingClients: SigningClients
  readonly clientSources: readonly ClientSource[]
  readonly authenticateClient: AuthenticateClient
  /** Whether every `resource` of a request is ours. */
  readonly areOwnResources: (parameters: Parameters) => boolean
}

/** Whose pages these are: `serverName`, or the host alone. */
export function serviceOf({
  baseUrl,
  serviceName,
}: Pick<AuthorizationServerOptions, 'baseUrl' | 'serviceName'>): {
  readonly name: string
  readonly host: string
} {
  const { host } = new URL(baseUrl)
  return { name: serviceName ?? host, host }
}

/** Lifetimes in seconds. Source: rules.md, Limits. */
export const codeLifetimeSeconds: number = 5 * 60
export const accessLifetimeSeconds: number = 60 * 60
/** Of a client's own. */
export const clientLifetimeSeconds: number = 10 * 60
export const refreshLifetimeSeconds: number = 30 * 24 * 60 * 60

/** A second use of a refresh token within this time leaves its family alone. Source: rules.md, OAuth. */
export const quietWindowMs = 60_000

/** So often a refresh token is exchanged again in its grace: clients that refresh in parallel, and answers that were lost. */
export const maxRefreshRetries = 5

/** `count` random bytes as lower-case hex. */
export function randomHex(randomBytes: RandomBytes, count: number): string {
  return Buffer.from(randomBytes(count)).toString('hex')
}

/** 32 random bytes as url-safe base64 without padding. Source: rules.md, Limits. */
export function randomState(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(32)).toString('base64url')
}
