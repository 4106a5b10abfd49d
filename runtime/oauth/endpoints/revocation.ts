/** `POST /oauth/revoke`. Source: RFC 7009; rules.md, revocation. */
import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import { audit } from '../audit.ts'
import { auditedUser } from '../machines/subjects.ts'
import { OAuthError } from '../oauth-error.ts'
import type { SigningOptions } from '../options.ts'
import { readWithSecrets, requiredParameter } from '../parameters.ts'
import { crossOriginEndpoint, empty } from '../responses.ts'
import { readTokenClaims, type TokenClaims } from '../tokens/claims.ts'

const reason = 'revoked by the client'

/** The revocation endpoint. Either token of a family ends the family, access tokens included. What is no token of ours or
 *  has expired is 200 all the same (2.2), a token of another client is refused (2.1), and `token_type_hint` is not
 *  needed: the token says itself what it is. */
export function revocationEndpoint(options: SigningOptions): Endpoint {
  const handle = (request: HttpRequest): Promise<HttpResponse> => revoke(request, options)
  return crossOriginEndpoint('POST', '/oauth/revoke', handle, options)
}

async function revoke(request: HttpRequest, options: SigningOptions): Promise<HttpResponse> {
  const parameters = await readWithSecrets(request)
  const client = options.authenticateClient(request, parameters)
  const payload = await options.signer.verify(requiredParameter(parameters, 'token'))
  const claims = payload === null || payload.aud !== options.baseUrl ? null : readTokenClaims(payload)
  if (claims === null) return empty(200)
  if (claims.clientId !== client.id)
    throw new OAuthError('unauthorized_client', 'the token was issued to another client')
  await client.proveKey()
  await end(claims, options)
  return empty(200)
}

async function end(claims: TokenClaims, options: SigningOptions): Promise<void> {
  const { store, onRevoked } = options
  const grant = await store.revokeToken(claims.jti, claims.expiresAt, reason)
  onRevoked(claims.userId)
  const ids = { client: claims.clientId, ...auditedUser(claims.userId), from: claims.jti }
  audit(options, 'revocation', { ids: grant === null ? ids : { ...ids, grant }, facts: { reason } })
}
