/** The development login: every browser that asks is signed in, so only this machine may ask. Source: rules.md, Sign-in; rules.md,
 *  Environment. */
import type { HeaderMap } from '../../contract/http.ts'
import type { User } from '../../contract/store.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Identified } from '../session.ts'

/** The user whom the development login signs in. */
export const developer: User = { id: 'dev:developer', name: 'Developer', email: 'developer@localhost' }

/** What an OpenID provider would say. Source: OpenID Connect Core, 5.1. */
const developerClaims = {
  sub: 'developer',
  name: developer.name,
  email: developer.email,
  email_verified: true,
}

/** What proxies and tunnels add to a request that they pass on. */
const forwarding =
  /^(forwarded|via|cdn-loop|x-real-ip|x-forwarded(-.+)?|x-original-.+|(x-|true-|x-cluster-|fastly-|fly-)client-ip|cf-.+|x-envoy-external-address)$/

/** The one user there is. Throws 403 `access_denied` for a request that a proxy passed on. */
export function developmentUser(headers: HeaderMap): Identified {
  const isForwarded = Object.keys(headers).some((name) => forwarding.test(name))
  if (!isForwarded) return { user: developer, authTime: null, claims: developerClaims }
  throw new OAuthError('access_denied', 'the development login is for this machine only', 403)
}
