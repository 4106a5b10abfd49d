import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { ResourceMetadata } from '../../contract/mcp.ts'
import type { AuthenticationUnavailable } from './check-credentials.ts'
import { hasCredentials } from './credentials.ts'

/** The 401 that makes an MCP client sign in or refresh. `metadataUrl` is where the resource's metadata document is;
 *  without metadata the challenge is a bare `Bearer`. Source: rules.md, What the service does 3; RFC 9728 5.1; RFC 6750 3. */
export function unauthorized(
  request: HttpRequest,
  metadata: ResourceMetadata | null,
  metadataUrl: string,
): HttpResponse {
  const challenge = metadata === null ? 'Bearer' : `Bearer ${parameters(request, metadata, metadataUrl)}`
  const { status, headers, body } = rpcError(401, 'Unauthorized', null)
  return { status, headers: { ...headers, 'www-authenticate': challenge }, body }
}

/** The 403 that makes a client ask its user for more: the scope that the route named, else all that there are. Source: MCP
 *  2025-11-25, Authorization, scope challenge; RFC 6750 3.1. */
export function insufficientScope(
  scope: string | null,
  metadata: ResourceMetadata | null,
  metadataUrl: string,
): HttpResponse {
  const needed = scope ?? metadata?.scopesSupported.join(' ') ?? ''
  const parameters = [
    'error="insufficient_scope"',
    needed === '' ? null : `scope=${quoted(needed)}`,
    metadata === null ? null : `resource_metadata=${quoted(metadataUrl)}`,
  ]
  const challenge = `Bearer ${parameters.filter((parameter) => parameter !== null).join(', ')}`
  const { status, headers, body } = rpcError(403, 'Forbidden: insufficient scope', null)
  return { status, headers: { ...headers, 'www-authenticate': challenge }, body }
}

/** The 403 for a foreign `Origin`, a JSON-RPC error without id. Source: MCP 2026-07-28, Streamable HTTP, security. */
export const foreignOrigin: HttpResponse = rpcError(403, 'Forbidden: this origin is not allowed')

/** The 403 for a `Host` that is not ours: the sign of a rebound name. */
export const foreignHost: HttpResponse = rpcError(403, 'Forbidden: this host is not served here')

/** The answer while nobody can say whether the credential is good. */
export function unavailable({ status, message, retryAfter }: AuthenticationUnavailable): HttpResponse {
  const { headers, body } = rpcError(status, message, null)
  return { status, headers: { ...headers, 'retry-after': retryAfter }, body }
}

/** An HTTP answer outside of any JSON-RPC exchange (-32600, Invalid Request), never stored. */
export function rpcError(status: number, message: string, id?: null): HttpResponse {
  const body = { jsonrpc: '2.0', error: { code: -32600, message }, id }
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status, headers, body: JSON.stringify(body) }
}

function parameters(request: HttpRequest, metadata: ResourceMetadata, metadataUrl: string): string {
  const scope = metadata.scopesSupported.join(' ')
  const parameters = [
    `resource_metadata=${quoted(metadataUrl)}`,
    scope === '' ? null : `scope=${quoted(scope)}`,
    hasCredentials(request.headers) ? 'error="invalid_token"' : null,
  ]
  return parameters.filter((parameter) => parameter !== null).join(', ')
}

/** A quoted-string (RFC 9110 5.6.4). Control characters cannot be quoted and are left out. */
const quoted = (text: string): string => `"${text.replace(/\p{Cc}/gu, '').replace(/["\\]/g, '\\$&')}"`
