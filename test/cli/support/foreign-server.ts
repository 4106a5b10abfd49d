/** A server of another make: a scripted endpoint and authorization server. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listening } from './reverse-proxy.ts'

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is. */
  readonly body?: unknown
}

/** By `METHOD path`. */
export type Replies = Readonly<Record<string, (sent: string, at: string) => Reply>>

export const json = (status: number, body: unknown): Reply => ({ status, body })

/** Authorizes at once, as servers for trying out do; its metadata is where OpenID Connect has it. */
export const right: Replies = {
  'POST /mcp': (sent, at) => {
    const { id, method, authorization, version } = JSON.parse(sent)
    if (authorization !== 'Bearer good')
      return {
        status: 401,
        headers: {
          'www-authenticate': `Basic-Like realm=x, Bearer realm="a, b", resource_metadata="${at}/meta", error="invalid_token"`,
        },
      }
    if (version !== (method === 'initialize' ? undefined : '2025-06-18')) return { status: 400 } // as older SDKs
    if (id === undefined) return { status: 202 }
    if (method === 'initialize')
      return json(200, {
        jsonrpc: '2.0',
        id,
        result: { protocolVersion: '2025-06-18', serverInfo: { name: 'Else' } },
      })
    if (method === 'tools/list') return json(200, { jsonrpc: '2.0', id, result: { tools: [] } })
    return json(200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
  },
  'GET /mcp': () => ({ status: 405 }),
  'GET /meta': (_, at) => json(200, { resource: `${at}/mcp`, authorization_servers: [`${at}/tenant`] }),
  'GET /tenant/.well-known/openid-configuration': (_, at) =>
    json(200, {
      issuer: `${at}/tenant`,
      authorization_endpoint: `${at}/authorize`,
      token_endpoint: `${at}/token`,
      registration_endpoint: `${at}/register`,
      revocation_endpoint: `${at}/revoke`,
      code_challenge_methods_supported: ['plain', 'S256'],
    }),
  'POST /register': () => json(201, { client_id: 'c1' }),
  'GET /authorize': (query, at) => {
    const { state, redirect_uri } = Object.fromEntries(new URL(query, at).searchParams)
    return { status: 302, headers: { location: `${redirect_uri}?code=the-code&state=${state}` } }
  },
  'POST /token': (sent) =>
    sent.includes('code=the-code')
      ? json(200, { access_token: 'good', token_type: 'Bearer' })
      : json(400, { error: 'invalid_grant' }),
  'POST /revoke': () => ({ status: 200 }),
}

/** What was asked is in `asked`; of a message two headers are told with it. */
export async function foreignServer(
  t: Test,
  changes: Replies = {},
  requested: string[] = [],
): Promise<string> {
  const replies: Replies = { ...right, ...changes }
  let at = ''
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '/', headers } = request
    const path = url.split('?', 1)[0] ?? ''
    const body = await text(request)
    const { authorization, 'mcp-protocol-version': version } = headers
    const sent =
      path === '/mcp' && body !== '' ? JSON.stringify({ ...JSON.parse(body), authorization, version }) : body
    requested.push(`${method} ${path}`)
    const reply = replies[`${method} ${path}`]?.(method === 'GET' ? url : sent, at) ?? { status: 404 }
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(
      reply.body === undefined || typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body),
    )
  }
  const server = createServer((request, response) => void answer(request, response))
  at = `http://localhost:${await listening(t, server)}`
  return at
}

/** Its metadata, changed. */
export const metadata = (change: (document: object, at: string) => object): Replies => ({
  'GET /tenant/.well-known/openid-configuration': (sent, at) =>
    json(200, change(Object(right['GET /tenant/.well-known/openid-configuration']?.(sent, at).body), at)),
})
