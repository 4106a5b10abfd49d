import type { Endpoint, Logger } from '../contract.ts'
import { json, withCors, withOAuthErrors } from './answers.ts'
import { scope } from './options.ts'

/** The addresses clients probe: RFC 8414, its path-inserted form, and OpenID Connect's. The same document at each. */
const paths = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/*',
  '/.well-known/openid-configuration',
]

/** The endpoints that serve the authorization server's metadata. Source: RFC 8414; specification, Metadata. */
export function metadataEndpoints(baseUrl: string, jwksUri: string | null, log: Logger): readonly Endpoint[] {
  const document = authorizationServerMetadata(baseUrl, jwksUri)
  const handle = withCors(
    withOAuthErrors(async () => json(200, document, { 'cache-control': 'public, max-age=300' }), log),
  )
  return paths.map((path) => ({ methods: ['GET', 'OPTIONS'], path, handle }))
}

function authorizationServerMetadata(
  baseUrl: string,
  jwksUri: string | null,
): Readonly<Record<string, unknown>> {
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    registration_endpoint: `${baseUrl}/oauth/register`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: ['none'],
    ...(jwksUri === null ? {} : { jwks_uri: jwksUri }),
    scopes_supported: [scope],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}
