import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallToolRequest, CallToolResult, McpRequestContext, Tool } from '@modelcontextprotocol/server'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import type { HttpRequest, Logger, Outcome } from '../contract.ts'
import type { CallByName } from './tools.ts'
import { toOutcome, toWebRequest } from './wire.ts'

/** What the protocol side needs; `instructions` may be empty. */
export interface ProtocolOptions {
  readonly serverName: string
  readonly serverVersion: string
  readonly instructions: string
  readonly address: string
  readonly callByName: CallByName
  readonly log: Logger
}

/** The answer to one HTTP request, and whether a route that it called answered 401. */
export interface Served {
  readonly outcome: Outcome
  readonly isRefusedByRoute: boolean
}

/** Answers one HTTP request of an MCP client that is to see `tools` in its list. Rejects with `PayloadTooLarge`. */
export type ServeProtocol = (request: HttpRequest, tools: readonly Tool[]) => Promise<Served>

// How long clients may keep `tools/list` and `server/discover`: both change only with a new build.
const listTtlMs = 300_000

/** The MCP protocol of both eras at one address: revision 2026-07-28 and the stateless `initialize` revisions. Keeps
 *  nothing between requests. Source: decisions.md, revisions; MCP 2026-07-28 and 2025-11-25, Streamable HTTP. */
export function createProtocol(options: ProtocolOptions): ServeProtocol {
  const exchanges = new AsyncLocalStorage<Exchange>()
  const handler = createMcpHandler((context) => serverFor(context, currentExchange(exchanges), options), {
    onerror: (error) => options.log.info({ error: error.name }, 'the MCP handler refused a message'),
    maxRequestBodySize: Number.MAX_SAFE_INTEGER, // The body was read under the application's own limit.
  })
  return async (request, tools) => {
    const exchange: Exchange = { request, tools, isLegacy: false, isRefusedByRoute: false }
    const webRequest = await toWebRequest(request, options.address)
    const response = await exchanges.run(exchange, () => handler.fetch(webRequest))
    // A legacy stream opens before its tool call has run, and a 401 must come before the first byte: it is read whole.
    const outcome = await toOutcome(response, exchange.isLegacy)
    return { outcome, isRefusedByRoute: exchange.isRefusedByRoute }
  }
}

/** One HTTP request on its way through the SDK, which answers route refusals with results: the flags are set there. */
interface Exchange {
  readonly request: HttpRequest
  readonly tools: readonly Tool[]
  isLegacy: boolean
  isRefusedByRoute: boolean
}

function currentExchange(exchanges: AsyncLocalStorage<Exchange>): Exchange {
  const exchange = exchanges.getStore()
  if (exchange === undefined) throw new Error('an MCP server was made outside of an exchange')
  return exchange
}

function serverFor(context: McpRequestContext, exchange: Exchange, options: ProtocolOptions): Server {
  exchange.isLegacy = context.era === 'legacy'
  const hint = { ttlMs: listTtlMs, cacheScope: 'public' } as const
  const server = new Server(
    { name: options.serverName, version: options.serverVersion },
    {
      capabilities: { tools: {} },
      ...(options.instructions === '' ? {} : { instructions: options.instructions }),
      cacheHints: { 'tools/list': hint, 'server/discover': hint },
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...exchange.tools] }))
  server.setRequestHandler('tools/call', ({ params }) => callTool(server, params, exchange, options))
  return server
}

async function callTool(
  server: Server,
  params: CallToolRequest['params'],
  exchange: Exchange,
  options: ProtocolOptions,
): Promise<CallToolResult> {
  const answer = await options.callByName(params.name, params.arguments ?? {}, exchange.request)
  if (answer.status === 401) exchange.isRefusedByRoute = true
  // Wraps what is no object for the legacy era, as the SDK wraps the schema in its list.
  return server.projectCallToolResult(answer.result, answer.outputSchema ?? undefined)
}
