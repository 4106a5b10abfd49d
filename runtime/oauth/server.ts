import type { Endpoint, HttpRequest, HttpResponse, Session } from '../contract/http.ts'
import type { PageSignIn } from '../contract/pages.ts'
import type { User } from '../contract/store.ts'
import { onOwnHost } from '../http/server/own-host.ts'
import { lazy } from '../lazy.ts'
import { ownHostsOf } from '../loopback.ts'
import type { ShareCounts } from '../rate-limit.ts'
import { createClientAuthentication } from './clients/client-authentication.ts'
import { pageSignIn } from './clients/own-pages.ts'
import { Coverage } from './consent/coverage.ts'
import { authorizeEndpoint } from './endpoints/authorize.ts'
import { connectionEndpoints } from './endpoints/connections.ts'
import { jwksEndpoints, jwksUri, serverMetadataEndpoints } from './endpoints/metadata.ts'
import { registrationEndpoint } from './endpoints/registration.ts'
import { signInEndpoints } from './endpoints/sign-in.ts'
import { revocationEndpoint, tokenEndpoint } from './endpoints/token.ts'
import { joinedParts } from './joined-parts.ts'
import { createLimiter, pollingUser } from './limits.ts'
import { OAuthError } from './oauth-error.ts'
import { type AuthorizationServerOptions, serviceOf } from './options.ts'
import type { AuthorizationServerPart } from './part.ts'
import { attributesJson } from './providers/admission.ts'
import { createProvider, type Providers } from './providers/provider.ts'
import { ownResourceTest } from './resource.ts'
import { allowingHeaders, errorResponse, htmlPage, oauthFailureOf, unavailableResponse } from './responses.ts'
import { signedInUser } from './session.ts'
import type { TokenRoom } from './token-part.ts'
import { createFindAuthInfo, type FindAuthInfo } from './tokens/access-tokens.ts'
import { type DevelopmentToken, issueDevelopmentToken } from './tokens/development-token.ts'
import { createSigner } from './tokens/jwt.ts'
import { asymmetricKey, type Key, secretKey } from './tokens/keys.ts'

/** The authorization server, independent of any transport. */
export interface AuthorizationServer {
  readonly endpoints: readonly Endpoint[]
  /** To be awaited before anything is served: grants of before there were surfaces cover what scopes cover now. */
  begin(): Promise<void>
  /** The user of an access token that is ours, not expired and not revoked, else null. Source: rules.md, Protected API. */
  userOfAccessToken(token: string): Promise<User | null>
  /** Keeps a user as a sign-in does whose `onSignIn` returned `attributes`: for tests of applications. */
  saveSignIn(user: User, attributes: unknown): Promise<void>
  /** The user who is signed in to a browser, else null. */
  userOfSession(session: Session): Promise<User | null>
  /** The same as `userOfAccessToken` with everything that is known of the token. */
  readonly findAuthInfo: FindAuthInfo
  /** The setting that names the clients that have tokens for themselves; null = there are none. */
  readonly clientSetting: string | null
  /** Whether our key signed the token, whatever else is wrong with it: no other issuer may accept such a token. */
  isSignedHere(token: string): Promise<boolean>
  /** One exchange of what the rate limits counted with the other instances; rejects with what `share` does. */
  exchangeCounts(share: ShareCounts): Promise<void>
  /** A token of a user of the store, without a consent: for development. `scope`: as a client asks; default: `api`. */
  developmentToken(userId: string, scope?: string): Promise<DevelopmentToken>
  /** How our own pages sign a user in; null when none is on, and where no user can sign in. */
  readonly pageSignIn: PageSignIn | null
}

const foreignHost: HttpResponse = errorResponse(
  new OAuthError('invalid_request', 'this host is not served here', 403),
)

/** Builds the authorization server. Throws when there is no key. Source: rules.md, OAuth. */
export function createAuthorizationServer(
  options: AuthorizationServerOptions,
  parts: readonly AuthorizationServerPart[] = [],
): AuthorizationServer {
  const { baseUrl, clock } = options
  const keys = keysOf(options)
  const signer = createSigner(baseUrl, keys, clock)
  const coverage = options.scopes.declared.length === 0 ? null : new Coverage(options)
  const providers = providersOf(options)
  const clientSources = parts.flatMap((part) => part.clientSource?.(options) ?? [])
  const { authenticateClient, guesses } = createClientAuthentication({ ...options, clientSources })
  const signingClients = new Map(parts.flatMap((part) => [...(part.signingClients ?? [])]))
  const areOwnResources = ownResourceTest(options)
  const signing = {
    ...options,
    signer,
    coverage,
    signingClients,
    clientSources,
    authenticateClient,
    areOwnResources,
  }
  const room = { options: signing, providers }
  const { grants, endpoints, clientTokens } = joinedParts(parts, room)
  const findAuthInfo = createFindAuthInfo({ ...options, coverage, clientTokens }, signer.verify)
  const limiter = createLimiter(options.limits, options)
  const pages = pagesOf(parts, room).map((page) => limiter.limit('authorizePerHour', page, pollingUser))
  return {
    endpoints: [
      ...serverMetadataEndpoints(signing, { jwksUri: jwksUri(baseUrl, keys), grants, parts }),
      ...jwksEndpoints(keys, options),
      limiter.limit('registerPerHour', registrationEndpoint(options)),
      limiter.limit('tokenPerHour', tokenEndpoint(signing, grants)),
      limiter.limit('tokenPerHour', revocationEndpoint(signing)),
      ...endpoints.map((endpoint) => limiter.limit('tokenPerHour', endpoint)),
      ...onOwnHost(pages, ownHostsOf(baseUrl), foreignHost).map((page) => withErrorPages(page, options)),
    ].map((endpoint) => allowingHeaders(endpoint, options.forwardHeaders)),
    begin: async () => coverage?.begin(),
    userOfAccessToken: async (token) => (await findAuthInfo(token))?.user ?? null,
    async saveSignIn(user, attributes) {
      await options.store.saveSignIn(user, attributesJson(attributes), clock())
      options.onRevoked(user.id)
    },
    userOfSession: (session) => signedInUser(session, options.store),
    findAuthInfo,
    clientSetting: clientTokens?.setting ?? null,
    isSignedHere: signer.isSignedHere,
    async exchangeCounts(share) {
      await limiter.exchange(share)
      await guesses.exchange(share)
    },
    developmentToken: (userId, scope = '') => issueDevelopmentToken(userId, scope, signing),
    pageSignIn: pageSignIn(options),
  }
}

/** Those that people see. */
function pagesOf(parts: readonly AuthorizationServerPart[], room: TokenRoom): readonly Endpoint[] {
  const { options, providers } = room
  const pages = [
    inPopups(authorizeEndpoint(options)),
    ...connectionEndpoints(options, parts),
    ...parts.flatMap(({ pages }) => pages?.(room) ?? []),
    // last: a provider's address takes any name behind /auth/
    ...signInEndpoints({ options, providers, parts }).map(inPopups),
  ]
  return pages.map((page) => ({ ...page, onError: unavailableResponse }))
}

/** Clients that are pages open it in a popup, which tells its opener the code. */
const inPopups = (endpoint: Endpoint): Endpoint => ({ ...endpoint, hasOpener: true })

function providersOf(options: AuthorizationServerOptions): Providers {
  const { baseUrl, providerTimeoutMs: timeoutMs, providers, clock, monotonic, log } = options
  const deps = { baseUrl, timeoutMs, clock, monotonic, log }
  return new Map(
    Object.entries(providers).map(([name, config]) => [name, createProvider(name, config, deps)]),
  )
}

/** Private keys come first, so that the first of them signs; tokens that a secret signed still verify. */
function keysOf({ jwtPrivateKeys, jwtSecrets }: AuthorizationServerOptions): readonly Key[] {
  return [...jwtPrivateKeys.map(asymmetricKey), ...jwtSecrets.map(secretKey)]
}

/** Loaded with the first page. */
const errorPage = lazy(() => import('../../templates/pages/oauth-error.ts'))

/** `endpoint`, whose failures are pages for clients that accept `text/html`, where the profile shows any: a browser that lands on one shows what to do in
 *  place of JSON. Status and `Retry-After` stay. Source: decisions/oauth.md, Profiles. */
function withErrorPages(endpoint: Endpoint, options: AuthorizationServerOptions): Endpoint {
  if (!options.profile.showsErrorPages) return endpoint
  const service = serviceOf(options)
  return {
    ...endpoint,
    handle: async (request) => {
      const outcome = await endpoint.handle(request)
      const failure = oauthFailureOf(outcome)
      if (failure === null || !acceptsHtml(request)) return outcome
      const { oauthErrorPage } = await errorPage()
      const page = htmlPage(oauthErrorPage({ service, ...failure }), outcome.status)
      return { ...page, headers: { ...outcome.headers, ...page.headers } }
    },
  }
}

/** Whether the header names `text/html` itself, as browsers do that open an address; a script's `*` + `/*` is no person. Source: RFC 9110, 12.5.1. */
function acceptsHtml({ headers }: HttpRequest): boolean {
  const { accept = '' } = headers
  return String(accept)
    .slice(0, 2048)
    .split(',')
    .some((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    })
}
