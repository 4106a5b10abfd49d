import type { Endpoint, HttpResponse } from '../../contract/http.ts'
import { apiScope } from '../../scopes.ts'
import { assertionAlgorithms } from '../assertions/verifying-keys.ts'
import { type AuthMethod, authMethods } from '../clients/client.ts'
import type { SigningOptions } from '../options.ts'
import { crossOriginEndpoint, type ErrorTelling, json } from '../responses.ts'
import type { TokenGrants, TokenPart } from '../token-part.ts'
import type { Key } from '../tokens/keys.ts'

/** The addresses clients probe: RFC 8414's and OpenID Connect Discovery's, each alone and with the path of a resource
 *  inserted. The same document at each (rules.md, discovery). */
const paths = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/*',
  '/.well-known/openid-configuration',
  '/.well-known/openid-configuration/*',
]

type MetadataOptions = Pick<
  SigningOptions,
  'baseUrl' | 'clientSources' | 'confidentialClients' | 'scopes' | 'profile' | 'log'
>

/** The endpoints that serve the authorization server's metadata: it holds nothing private and changes with a new start
 *  only, so that caches may keep it for five minutes. Source: RFC 8414; rules.md, Metadata. */
export function serverMetadataEndpoints(options: MetadataOptions, known: KnownToServer): readonly Endpoint[] {
  const document = authorizationServerMetadata(options, known)
  const handle = async (): Promise<HttpResponse> =>
    json(200, document, { 'cache-control': 'public, max-age=300' })
  return paths.map((path) => crossOriginEndpoint('GET', path, handle, options))
}

interface KnownToServer {
  /** Null when every key is secret. */
  readonly jwksUri: string | null
  /** Those of parts. */
  readonly grants: TokenGrants
  readonly parts: readonly TokenPart[]
}

function authorizationServerMetadata(
  options: MetadataOptions,
  { jwksUri, grants, parts }: KnownToServer,
): Readonly<Record<string, unknown>> {
  const { baseUrl, clientSources, confidentialClients, scopes, profile } = options
  const clientMethods: readonly AuthMethod[] = [
    'none',
    ...(confidentialClients.size > 0 ? (['client_secret_basic', 'client_secret_post'] as const) : []),
    ...clientSources.flatMap((source) => source.authMethods),
  ]
  const ofParts = parts.flatMap((part) => part.authMethods ?? [])
  return {
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}/oauth/authorize`,
    token_endpoint: `${baseUrl}/oauth/token`,
    registration_endpoint: `${baseUrl}/oauth/register`,
    revocation_endpoint: `${baseUrl}/oauth/revoke`,
    ...(jwksUri === null ? {} : { jwks_uri: jwksUri }),
    scopes_supported: [apiScope, ...scopes.declared.map(({ name }) => name), ...profile.announcedScopes],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', ...grants.keys()],
    ...authMembers('token', [...clientMethods, ...ofParts]),
    ...authMembers('revocation', clientMethods),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...Object.assign({}, ...parts.map(({ metadata = {} }) => metadata)),
  }
}

/** How clients authenticate at an endpoint. */
function authMembers(
  endpoint: 'token' | 'revocation',
  methods: readonly AuthMethod[],
): Readonly<Record<string, unknown>> {
  const algorithms = { [`${endpoint}_endpoint_auth_signing_alg_values_supported`]: assertionAlgorithms }
  return {
    [`${endpoint}_endpoint_auth_methods_supported`]: authMethods.filter((name) => methods.includes(name)),
    ...(methods.includes('private_key_jwt') ? algorithms : {}),
  }
}

const keySetPath = '/.well-known/jwks.json'

/** The address of the key set, or null when every key is secret. */
export function jwksUri(baseUrl: string, keys: readonly Key[]): string | null {
  return keys.some((key) => key.publicJwk !== null) ? `${baseUrl}${keySetPath}` : null
}

/** The public parts of all asymmetric keys, the retired ones too; no endpoint when there is none. Source: RFC 7517, 5. */
export function jwksEndpoints(keys: readonly Key[], telling: ErrorTelling): readonly Endpoint[] {
  const published = keys.flatMap(({ publicJwk }) => (publicJwk === null ? [] : [publicJwk]))
  if (published.length === 0) return []
  const headers = { 'cache-control': 'public, max-age=300' }
  const handle = async (): Promise<HttpResponse> => json(200, { keys: published }, headers)
  return [crossOriginEndpoint('GET', keySetPath, handle, telling)]
}
