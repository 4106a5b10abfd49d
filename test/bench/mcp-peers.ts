/** Peers of `npm run bench:mcp --peers`: the SDKs as their documentation shows them, without sessions, each calling the
 *  same route in its process. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { Server as ServerV1 } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import type { FastifyInstance } from 'fastify'

const info = { name: 'Bench', version: '1' }
const capabilities = { tools: {} }

export type Peer = 'sdk-v1' | 'sdk-v2'

export const isPeer = (kind: string): kind is Peer => kind === 'sdk-v1' || kind === 'sdk-v2'

/** Serves a peer in front of that route; answers its port. */
export async function servePeer(peer: Peer, route: FastifyInstance): Promise<number> {
  await route.ready()
  const server = createServer(peer === 'sdk-v1' ? v1(route) : v2(route))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** What every tool call does: the route, with the client's credential. */
async function callRoute(route: FastifyInstance, note: unknown, authorization: string) {
  const { body } = await route.inject({
    method: 'POST',
    url: '/api/notes',
    headers: { authorization, 'content-type': 'application/json' },
    payload: JSON.stringify(note),
  })
  return { content: [{ type: 'text' as const, text: body }], structuredContent: JSON.parse(body) }
}

function v1(route: FastifyInstance): RequestListener {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const server = new ServerV1(info, { capabilities })
    server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
      callRoute(route, params.arguments, String(request.headers.authorization)),
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

function v2(route: FastifyInstance): RequestListener {
  const handler = createMcpHandler(({ requestInfo }) => {
    const server = new Server(info, { capabilities })
    const authorization = String(requestInfo?.headers.get('authorization'))
    server.setRequestHandler('tools/call', ({ params }) => callRoute(route, params.arguments, authorization))
    return server
  })
  const handle = toNodeHandler(handler)
  // exactOptionalPropertyTypes, as above
  return (request, response) => void handle(request as Parameters<typeof handle>[0], response)
}
