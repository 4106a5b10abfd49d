/** The peers that are no dependency of ours, with the SDK and the schema library that they bring. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Fastify, { type FastifyPluginAsync } from 'fastify'
import { freePort } from '../../support/free-port.ts'
import { installed } from '../../support/installed.ts'
import type { CallRoute } from './mcp-peers.ts'

const host = '127.0.0.1'

/** The folder of both; installed when they are not there yet. */
export const peerModules = (): string => installed('peers', { fastmcp: '4.20.16', 'fastify-mcp': '3.0.0' })

async function load<Module>(path: string): Promise<Module> {
  return import(pathToFileURL(join(peerModules(), path)).href)
}

interface FastMcpServer {
  addTool(tool: {
    readonly name: string
    readonly description: string
    readonly parameters: unknown
    readonly execute: (args: unknown, context: { session?: { authorization: string } }) => Promise<object>
  }): void
  start(options: object): Promise<void>
}

interface FastMcpModule {
  readonly FastMCP: new (options: object) => FastMcpServer
}

interface Zod {
  object(shape: object): unknown
  string(): unknown
  array(of: unknown): unknown
}

/** fastmcp on its `httpStream` transport, answering JSON; its `authenticate` keeps the credential for the call. */
export async function fastMcp(callRoute: CallRoute, stateless: boolean): Promise<number> {
  const { FastMCP } = await load<FastMcpModule>('fastmcp/dist/FastMCP.js')
  const { z } = await load<{ readonly z: Zod }>('zod/index.js')
  const server = new FastMCP({
    name: 'Bench',
    version: '1.0.0',
    authenticate: async (request: { headers: { authorization?: string } }) => ({
      authorization: String(request.headers.authorization),
    }),
    logger: { debug: ignore, error: ignore, info: ignore, log: ignore, warn: ignore },
  })
  server.addTool({
    name: 'notes_create',
    description: 'Adds a note.',
    parameters: z.object({ title: z.string(), text: z.string(), tags: z.array(z.string()) }),
    execute: (args, { session }) => callRoute(args, session?.authorization ?? ''),
  })
  const port = await freePort()
  const httpStream = { port, host, endpoint: '/mcp', stateless, enableJsonResponse: true }
  await server.start({ transportType: 'httpStream', httpStream })
  return port
}

const ignore = (): void => {}

interface CallExtra {
  readonly requestInfo?: { readonly headers: Readonly<Record<string, unknown>> }
}

interface SdkServer {
  setRequestHandler(
    schema: unknown,
    handle: (request: { params: { arguments?: unknown } }, extra: CallExtra) => Promise<object>,
  ): void
}

interface FastifyMcpModule {
  readonly streamableHttp: FastifyPluginAsync<{
    readonly stateful: boolean
    readonly mcpEndpoint: string
    readonly createServer: () => SdkServer
    readonly sessions?: object
  }>
  readonly Sessions: new () => object
}

/** fastify-mcp with the SDK's low-level server, which is the faster one. */
export async function fastifyMcp(callRoute: CallRoute, isStateless: boolean): Promise<number> {
  const { streamableHttp, Sessions } = await load<FastifyMcpModule>('fastify-mcp/dist/index.js')
  const sdk = '@modelcontextprotocol/sdk/dist/esm'
  const { Server } = await load<{ readonly Server: new (info: object, options: object) => SdkServer }>(
    `${sdk}/server/index.js`,
  )
  const { CallToolRequestSchema } = await load<{ readonly CallToolRequestSchema: unknown }>(`${sdk}/types.js`)
  const createServer = (): SdkServer => {
    const server = new Server({ name: 'Bench', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestInfo }) =>
      callRoute(params.arguments, String(requestInfo?.headers.authorization)),
    )
    return server
  }
  const app = Fastify({ logger: false })
  const sessions = isStateless ? {} : { sessions: new Sessions() }
  await app.register(streamableHttp, {
    stateful: !isStateless,
    mcpEndpoint: '/mcp',
    createServer,
    ...sessions,
  })
  return Number(new URL(await app.listen({ port: 0, host })).port)
}
