import type { Endpoint, Outcome } from '../contract/http.ts'
import type { User } from '../contract/store.ts'
import { AuthServerError } from '../errors.ts'
import { onOwnHost } from '../http/server/own-host.ts'
import { ownHostsOf } from '../loopback.ts'
import type { ShareCounts } from '../rate-limit.ts'
import { authorizeEndpoint } from './endpoints/authorize.ts'
import { jwksEndpoints, jwksUri } from './endpoints/jwks.ts'
import { serverMetadataEndpoints } from './endpoints/metadata.ts'
import { registrationEndpoint } from './endpoints/registration.ts'
import { revocationEndpoint } from './endpoints/revocation.ts'
import { signInEndpoints } from './endpoints/sign-in.ts'
import { tokenEndpoint } from './endpoints/token.ts'
import { createLimiter } from './limits.ts'
import type { AuthorizationServerOptions } from './options.ts'
import { oauthError, unavailableAnswer } from './responses.ts'
import { createSigner, type Signer } from './tokens/jwt.ts'
import { asymmetricKey, type Key, secretKey } from './tokens/keys.ts'
import { createKnownHolders, type TokenHolder } from './tokens/known-holders.ts'
import { rememberVerified } from './tokens/verified-tokens.ts'

/** The authorization server, independent of any transport. */
export interface AuthorizationServer {
  readonly endpoints: readonly Endpoint[]
  /** The user of an access token that is ours, not expired and not revoked, else null. Source: specification, Protected API. */
  userOfAccessToken(token: string): Promise<User | null>
  /** What the last look-up of that token found; asks nobody. */
  knownHolderOf(token: string): TokenHolder | null
  /** One exchange of what the rate limits counted with the other instances; rejects with what `share` does. */
  exchangeCounts(share: ShareCounts): Promise<void>
}

const foreignHost: Outcome = oauthError(
  new AuthServerError('invalid_request', 'this host is not served here', 403),
)

/** Builds the authorization server. Throws when there is no key. Source: specification, Endpoints. */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { baseUrl, clock, log } = options
  const keys = keysOf(options)
  const signer = createSigner(baseUrl, keys, clock)
  const verify = rememberVerified(signer.verify, clock)
  const holders = createKnownHolders()
  const limiter = createLimiter(options.limits, clock)
  const pages = [authorizeEndpoint(options, signer), ...signInEndpoints(options)].map((endpoint) =>
    limiter.limit('authorizePerHour', { ...endpoint, onError: unavailableAnswer }),
  )
  return {
    endpoints: [
      ...serverMetadataEndpoints(options, jwksUri(baseUrl, keys)),
      ...jwksEndpoints(keys, log),
      limiter.limit('registerPerHour', registrationEndpoint(options)),
      limiter.limit('tokenPerHour', tokenEndpoint(options, signer)),
      limiter.limit('tokenPerHour', revocationEndpoint(options, signer)),
      ...onOwnHost(pages, ownHostsOf(baseUrl), foreignHost),
    ],
    userOfAccessToken: async (token) => {
      const holder = await holderOfAccessToken(token, options, verify)
      holders.note(token, holder)
      return holder?.user ?? null
    },
    knownHolderOf: holders.of,
    exchangeCounts: limiter.exchange,
  }
}

/** Private keys come first, so that the first of them signs; tokens that a secret signed still verify. */
function keysOf({ jwtPrivateKeys, jwtSecrets }: AuthorizationServerOptions): readonly Key[] {
  return [...jwtPrivateKeys.map(asymmetricKey), ...jwtSecrets.map(secretKey)]
}

/** A token needs no `jti`: one that another holder of the shared key signed passes, it just cannot be revoked by it. */
async function holderOfAccessToken(
  token: string,
  { baseUrl, store }: AuthorizationServerOptions,
  verify: Signer['verify'],
): Promise<TokenHolder | null> {
  const claims = await verify(token)
  if (claims === null || claims.typ !== 'access' || claims.aud !== baseUrl) return null
  if (typeof claims.sub !== 'string') return null
  const found = await store.findUserOfToken(claims.sub, typeof claims.jti === 'string' ? claims.jti : null)
  return found === null ? null : { ...found, clientId: typeof claims.cid === 'string' ? claims.cid : null }
}
