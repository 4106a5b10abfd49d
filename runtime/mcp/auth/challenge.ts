import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { ResourceMetadata } from '../../contract/mcp.ts'
import type { AuthenticationUnavailable } from './check-credentials.ts'
import { hasCredentials } from './credentials.ts'
import { metadataUrl } from './resource-metadata.ts'

interface RefusalOptions {
  /** Of the resource that a request was sent to. */
  readonly baseUrlOf: (request: HttpRequest) => string
  /** Of the endpoint, without a trailing slash. */
  readonly path: string
  /** Those that have an address, for every client: their metadata is public. */
  readonly toolboxes: { has(name: string): boolean }
  readonly resourceMetadata: ((request: HttpRequest) => ResourceMetadata) | null
}

/** The endpoint's own 401 and 403, which name where the metadata of the resource is that was asked. */
export interface Refusals {
  /** The 401 that makes an MCP client sign in or refresh; without metadata the challenge is a bare `Bearer`. Source: rules.md, What the
   *  service does 3; RFC 9728 5.1; RFC 6750 3. */
  unauthorized(request: HttpRequest): HttpResponse
  /** The 403 that makes a client ask its user for more: the scope that the route named, else all that there are. Source: MCP
   *  2025-11-25, Authorization, scope challenge; RFC 6750 3.1. */
  insufficientScope(request: HttpRequest, scope: string | null): HttpResponse
  /** The toolbox that the address names, if there is such a one. */
  toolboxOf(request: HttpRequest): string | null
}

export function createRefusals({ baseUrlOf, path, toolboxes, resourceMetadata }: RefusalOptions): Refusals {
  const toolboxOf = ({ params: { toolbox } }: HttpRequest): string | null =>
    toolbox !== undefined && toolboxes.has(toolbox) ? toolbox : null
  const addressOf = (request: HttpRequest): string => {
    const toolbox = toolboxOf(request)
    return metadataUrl(baseUrlOf(request), toolbox === null ? path : `${path}/${toolbox}`)
  }
  return {
    toolboxOf,
    unauthorized(request) {
      const metadata = resourceMetadata?.(request)
      if (metadata === undefined) return challenged(401, 'Unauthorized', [])
      return challenged(401, 'Unauthorized', [
        parameter('resource_metadata', addressOf(request)),
        parameter('scope', metadata.scopesSupported.join(' ')),
        parameter('error', hasCredentials(request.headers) ? 'invalid_token' : ''),
      ])
    },
    insufficientScope(request, scope) {
      const metadata = resourceMetadata?.(request)
      return challenged(403, 'Forbidden: insufficient scope', [
        parameter('error', 'insufficient_scope'),
        parameter('scope', scope ?? metadata?.scopesSupported.join(' ') ?? ''),
        parameter('resource_metadata', metadata === undefined ? '' : addressOf(request)),
      ])
    },
  }
}

function challenged(status: number, message: string, parameters: readonly string[]): HttpResponse {
  const challenge = `Bearer ${parameters.filter((text) => text !== '').join(', ')}`.trimEnd()
  const { headers, body } = rpcError(status, message, null)
  return { status, headers: { ...headers, 'www-authenticate': challenge }, body }
}

/** Empty where it has no value. A quoted-string (RFC 9110 5.6.4) has no control characters: they are left out. */
const parameter = (name: string, value: string): string =>
  value === '' ? '' : `${name}="${value.replace(/\p{Cc}/gu, '').replace(/["\\]/g, '\\$&')}"`

/** The 403 for a foreign `Origin`, a JSON-RPC error without id. Source: MCP 2026-07-28, Streamable HTTP, security. */
export const foreignOrigin: HttpResponse = rpcError(403, 'Forbidden: this origin is not allowed')

/** The 403 for a `Host` that is not ours: the sign of a rebound name. */
export const foreignHost: HttpResponse = rpcError(403, 'Forbidden: this host is not served here')

/** The answer while the credential cannot be checked. */
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
