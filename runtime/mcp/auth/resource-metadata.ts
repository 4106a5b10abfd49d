import type { Endpoint, HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { ResourceMetadata } from '../../contract/mcp.ts'
import { routerPath } from '../protocol/mcp-path.ts'

const wellKnown = '/.well-known/oauth-protected-resource'

/** Where the metadata of the resource at `baseUrl` + `path` is found. Source: RFC 9728 3.1. */
export const metadataUrl = (baseUrl: string, path: string): string => `${baseUrl}${wellKnown}${path}`

/** What the metadata endpoints need: `path` is the MCP endpoint's, canonical and without a trailing slash, `toolboxes` the names that
 *  have an endpoint of their own below it. */
export interface MetadataOptions {
  /** Of the resource that a request asks about. */
  readonly baseUrlOf: (request: HttpRequest) => string
  readonly path: string
  readonly toolboxes: { has(name: string): boolean }
  readonly resourceMetadata: (request: HttpRequest) => ResourceMetadata
}

/** The protected resource metadata documents: at the path form for the endpoint and for every toolbox, at the root form
 *  for the base URL, each naming its own `resource`; readable from any web page, as the 404 of any other is. Source: rules.md, Protected resource metadata;
 *  RFC 9728 3.2 and 3.3. */
export function resourceMetadataEndpoints(options: MetadataOptions): readonly Endpoint[] {
  const forms = [...new Set(['', options.path])].map((path) =>
    endpoint(`${wellKnown}${routerPath(path)}`, (request) => document(options, path, request)),
  )
  const toolboxes = endpoint(`${wellKnown}${routerPath(options.path)}/:toolbox`, (request) => {
    const toolbox = request.params.toolbox ?? ''
    if (!options.toolboxes.has(toolbox)) return answer(404, { error: 'unknown toolbox' })
    return document(options, `${options.path}/${toolbox}`, request)
  })
  const unknown = endpoint(`${wellKnown}/*`, () => answer(404, { error: 'not found' }))
  return [...forms, toolboxes, unknown]
}

const endpoint = (path: string, get: (request: HttpRequest) => HttpResponse): Endpoint => ({
  methods: ['GET', 'HEAD', 'OPTIONS'],
  path,
  handle: async (request) => (request.method === 'OPTIONS' ? preflight : get(request)),
  corsHeaders: () => readable,
})

function document(options: MetadataOptions, path: string, request: HttpRequest): HttpResponse {
  const { authorizationServers, scopesSupported } = options.resourceMetadata(request)
  return answer(200, {
    resource: `${options.baseUrlOf(request)}${path}`,
    // RFC 9728 3.2: a parameter with no values is left out.
    ...(authorizationServers.length > 0 ? { authorization_servers: authorizationServers } : {}),
    ...(scopesSupported.length > 0 ? { scopes_supported: scopesSupported } : {}),
    bearer_methods_supported: ['header'],
  })
}

const readable = { 'access-control-allow-origin': '*' }

const answer = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', ...readable },
  body: JSON.stringify(body),
})

// MCP clients in web pages send `MCP-Protocol-Version` with this request, which a browser asks about first.
const preflight: HttpResponse = {
  status: 204,
  headers: {
    ...readable,
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-headers': '*',
  },
  body: null,
}
