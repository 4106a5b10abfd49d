import type { Endpoint, User } from '../contract.ts'
import { authorizeEndpoint } from './authorize.ts'
import { createSigner, type Signer } from './jwt.ts'
import { metadataEndpoints } from './metadata.ts'
import type { AuthorizationServerOptions } from './options.ts'
import { registrationEndpoint } from './registration.ts'
import { signInEndpoints } from './sign-in.ts'
import { tokenEndpoint } from './token.ts'

/** The authorization server, independent of any transport. */
export interface AuthorizationServer {
  readonly endpoints: readonly Endpoint[]
  /** The user of an access token that is ours, not expired and not revoked, else null. Source: specification, Protected API. */
  userOfAccessToken(token: string): Promise<User | null>
}

/** Builds the authorization server. Throws when there is no JWT secret. Source: specification, Endpoints. */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const signer = createSigner(options.baseUrl, options.jwtSecrets, options.clock)
  return {
    endpoints: [
      ...metadataEndpoints(options),
      registrationEndpoint(options),
      authorizeEndpoint(options, signer),
      tokenEndpoint(options, signer),
      ...signInEndpoints(options),
    ],
    userOfAccessToken: (token) => userOfAccessToken(token, options, signer),
  }
}

/** A token needs no `jti`: one that another holder of the shared key signed passes, it just cannot be revoked by it. */
async function userOfAccessToken(
  token: string,
  { baseUrl, store }: AuthorizationServerOptions,
  signer: Signer,
): Promise<User | null> {
  const claims = await signer.verify(token)
  if (claims === null || claims.typ !== 'access' || claims.aud !== baseUrl) return null
  if (typeof claims.sub !== 'string') return null
  if (typeof claims.jti === 'string' && (await store.isRevoked(claims.jti))) return null
  return store.findUser(claims.sub)
}
