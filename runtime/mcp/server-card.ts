/** The server card: what the endpoint is and where, for catalogues that look before they connect. A draft: SEP-2127, schema of
 *  2026-11 (modelcontextprotocol/experimental-ext-server-card). */
import { createHash } from 'node:crypto'
import type { Endpoint, HttpRequest, HttpResponse } from '../contract/http.ts'
import type { ServerCard } from '../contract/mcp.ts'
import { routerPath } from './protocol/mcp-path.ts'

export interface ServerCardOptions {
  readonly card: ServerCard
  /** Of people; null = the card has none. */
  readonly title: string | null
  readonly version: string
  readonly baseUrl: string
  /** Of the endpoint, canonical and without a trailing slash. */
  readonly path: string
}

const schema = 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json'

/** Where clients that know the endpoint look for its card. */
const place = '/server-card'

/** The card, for every client, signed in or not: it names nothing that the challenge does not. Revisions are read with the first
 *  request, so that a start loads no SDK. */
export function serverCardEndpoint(options: ServerCardOptions): Endpoint {
  let made: Promise<Made> | null = null
  return {
    methods: ['GET', 'HEAD', 'OPTIONS'],
    path: `${routerPath(options.path)}${place}`,
    corsHeaders: () => ({ 'access-control-allow-origin': '*' }),
    handle: async (request) => {
      if (request.method === 'OPTIONS') return { status: 204, headers: readable, body: null }
      made ??= makeCard(options)
      return answer(request, await made)
    },
  }
}

interface Made {
  readonly body: string
  readonly etag: string
}

async function makeCard({ card, title, version, baseUrl, path }: ServerCardOptions): Promise<Made> {
  const { legacyVersions, modernVersion } = await import('./protocol/constants.ts')
  const body = JSON.stringify({
    $schema: schema,
    name: card.name,
    version,
    description: card.description,
    ...(title === null ? {} : { title: title.slice(0, 100) }),
    ...(card.websiteUrl === undefined ? {} : { websiteUrl: card.websiteUrl }),
    remotes: [
      {
        type: 'streamable-http',
        url: `${baseUrl}${path === '' ? '/' : path}`,
        supportedProtocolVersions: [modernVersion, ...[...legacyVersions].filter(hasThisTransport)],
      },
    ],
  })
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/** Source: MCP 2025-03-26, which introduced it. */
const hasThisTransport = (version: string): boolean => version >= '2025-03-26'

const readable = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': '*',
}

function answer({ headers }: HttpRequest, { body, etag }: Made): HttpResponse {
  const cached = { ...readable, etag, 'cache-control': 'public, max-age=3600' }
  if (headers['if-none-match'] === etag) return { status: 304, headers: cached, body: null }
  return { status: 200, headers: { ...cached, 'content-type': 'application/mcp-server-card+json' }, body }
}
