/** Peers of `npm run bench:mcp -- --peers`, each as its documentation shows it and each calling the same route in its
 *  process: the SDKs without sessions, fastmcp and fastify-mcp without and with sessions. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'
import { fastifyMcp, fastMcp } from './mcp-installed-peers.ts'

const info = { name: 'Bench', version: '1' }
const capabilities = { tools: {} }

/** Serves a peer in front of that route; answers its port. */
type Serve = (callRoute: CallRoute) => Promise<number>

const peers: Readonly<Record<Peer, Serve>> = {
  'sdk-v1': (callRoute) => listening(v1(callRoute)),
  'sdk-v2': (callRoute) => listening(v2(callRoute)),
  fastmcp: (callRoute) => fastMcp(callRoute, true),
  'fastmcp-sessions': (callRoute) => fastMcp(callRoute, false),
  'fastify-mcp': (callRoute) => fastifyMcp(callRoute, true),
  'fastify-mcp-sessions': (callRoute) => fastifyMcp(callRoute, false),
}

export type Peer =
  | 'sdk-v1'
  | 'sdk-v2'
  | 'fastmcp'
  | 'fastmcp-sessions'
  | 'fastify-mcp'
  | 'fastify-mcp-sessions'

export const isPeer = (kind: string): kind is Peer => Object.hasOwn(peers, kind)

/** Serves a peer in front of that route; answers its port. */
export async function servePeer(peer: Peer, route: FastifyInstance): Promise<number> {
  await route.ready()
  return peers[peer](async (note, authorization) => {
    const { body } = await route.inject({
      method: 'POST',
      url: '/api/notes',
      headers: { authorization, 'content-type': 'application/json' },
      payload: JSON.stringify(note),
    })
    return { content: [{ type: 'text' as const, text: body }], structuredContent: JSON.parse(body) }
  })
}

/** What every tool call does: the route, with the client's credential. */
export type CallRoute = (
  note: unknown,
  authorization: string,
) => Promise<{ content: { type: 'text'; text: string }[]; structuredContent: Record<string, unknown> }>

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function v1(callRoute: CallRoute): RequestListener {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const server = new ServerV1(info, { capabilities })
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      callRoute(params.arguments, String(request.headers.authorization)),
    )
    // no `sessionIdGenerator`: without sessions
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.on('close', () => void transport.close())
    // exactOptionalPropertyTypes: the class declares `onclose: (() => void) | undefined`
    await server.connect(transport as Parameters<ServerV1['connect']>[0])
    await transport.handleRequest(request, response)
  }
  return (request, response) => void serve(request, response)
}

function v2(callRoute: CallRoute): RequestListener {
  const handler = createMcpHandler(({ requestInfo }) => {
    const server = new Server(info, { capabilities })
    const authorization = String(requestInfo?.headers.get('authorization'))
    server.setRequestHandler('tools/call', ({ params }) => callRoute(params.arguments, authorization))
    return server
  })
  const handle = toNodeHandler(handler)
  // exactOptionalPropertyTypes, as above
  return (request, response) => void handle(request as Parameters<typeof handle>[0], response)
}
