import {
  type AuthInfo,
  type CallToolRequest,
  createMcpHandler,
  type Implementation,
  inputRequired,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server'
import type { HttpRequest } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { errorName } from '../../errors.ts'
import type { PermittedClient } from '../access/permission.ts'
import { toToolResult } from '../answers/result.ts'
import type { RunCall } from '../calls/run-call.ts'
import { type ToolAnswer, toolCallFrom } from '../calls/tool-answer.ts'
import { withoutArguments } from '../limits/message-size.ts'
import { type Era, errorCodes, isObject, type WireObject } from '../protocol/constants.ts'
import type { Refusal, Served } from '../protocol/http-refusal.ts'
import { pageOf, type VersionedList } from '../protocol/list-cache.ts'
import type { CallMessage } from '../protocol/message.ts'
import { schemaFor } from '../protocol/param-headers.ts'
import { sentAnswers } from '../questions/answers.ts'
import type { RequestStates, RoundState } from '../questions/request-state.ts'
import type { Tools } from '../tools/tools.ts'
import { type MessageBody, toResponse, toWebRequest } from './fetch-adapter.ts'
import type { OfferExchange, Offered } from './offered.ts'

/** What the protocol side needs. */
export interface ProtocolOptions {
  readonly serverInfo: Implementation
  readonly address: string
  readonly tools: Pick<Tools, 'runner'>
  readonly runCall: RunCall
  /** What else there is. */
  readonly offered: Offered
  /** Capabilities of the modern era alone. */
  readonly extensions: NonNullable<ServerCapabilities['extensions']>
  /** By name, of both eras: what other parts of the server have. */
  readonly otherExtensions: readonly string[]
  readonly states: RequestStates
  readonly pageSize: number
  /** Whether what one client is told may be kept for others. */
  readonly cacheScope: 'public' | 'private'
  /** Whether lists for clients are left empty, for our own bytes to take their place. */
  readonly leavesListsEmpty: boolean
  readonly log: Logger
}

/** One HTTP request of a client that is to see `listed` in its list. */
export interface Incoming {
  readonly head: Pick<HttpRequest, 'method' | 'headers' | 'signal'>
  /** Who calls tools; null where none will be called. */
  readonly client: PermittedClient | null
  readonly body: MessageBody
  readonly listed: VersionedList
}

/** What the SDK made of a message; `listed`: it was a good request for this page of the list, which is then left empty. */
export interface SdkOutcome extends Served {
  readonly listed: { readonly era: Era; readonly cursor: string | undefined } | null
  /** What the call became, which the SDK cannot say. */
  readonly task: TaskCreated | null
}

type TaskCreated = Extract<ToolAnswer, { kind: 'task' }>

/** Serves any message through the SDK. */
export type ServeProtocol = (incoming: Incoming) => Promise<SdkOutcome>

// How long clients may keep `tools/list` and `server/discover`: both change only with a new build.
export const listTtlMs = 300_000

/** The MCP protocol of both eras at one address: revision 2026-07-28 and the stateless `initialize` revisions. Keeps
 *  nothing between requests. Source: rules.md, revisions; MCP 2026-07-28 and 2025-11-25, Streamable HTTP. */
export function createProtocol(options: ProtocolOptions): ServeProtocol {
  // not an AsyncLocalStorage: on Node 20 its first use makes every later promise of the process more expensive
  const exchanges = new WeakMap<AuthInfo, Exchange>()
  const handler = createMcpHandler((context) => serverFor(context, exchangeOf(context, exchanges), options), {
    onerror: (error) => options.log.info({ error: errorName(error) }, 'the MCP handler refused a message'),
    maxRequestBodySize: Number.MAX_SAFE_INTEGER, // The body was read under the application's own limit.
  })
  return async (incoming) => {
    const { message, args } = withoutArguments(incoming.body.kind === 'json' ? incoming.body.value : null)
    const exchange: Exchange = {
      incoming,
      args: args ?? {},
      era: 'modern',
      refusal: null,
      listed: null,
      task: null,
    }
    const webRequest = toWebRequest(incoming.head, incoming.body, options.address)
    const parsed = incoming.body.kind === 'json' ? { parsedBody: message } : {}
    const authInfo: AuthInfo = { token: '', clientId: '', scopes: [] } // what the SDK hands on as it is
    exchanges.set(authInfo, exchange)
    const response = await handler.fetch(webRequest, { ...parsed, authInfo })
    // A legacy stream opens before its tool call has run, and a 401 must come before the first byte: it is read whole.
    const outcome = await toResponse(response, exchange.era === 'legacy')
    return { outcome, refusal: exchange.refusal, listed: exchange.listed, task: exchange.task }
  }
}

/** One HTTP request on its way through the SDK: what it can only say as a result is noted here. */
interface Exchange {
  readonly incoming: Incoming
  /** What a tool is called with; what is no object the SDK refuses. */
  readonly args: WireObject
  era: Era
  refusal: Refusal | null
  listed: SdkOutcome['listed']
  task: SdkOutcome['task']
}

function exchangeOf({ authInfo }: McpRequestContext, exchanges: WeakMap<AuthInfo, Exchange>): Exchange {
  const exchange = authInfo && exchanges.get(authInfo)
  if (exchange === undefined) throw new Error('an MCP server was made outside of an exchange')
  return exchange
}

function serverFor(context: McpRequestContext, exchange: Exchange, options: ProtocolOptions): Server {
  exchange.era = context.era
  const hint = { ttlMs: listTtlMs, cacheScope: options.cacheScope }
  const instructions = exchange.incoming.client?.permission.view.catalogue.instructions ?? ''
  const server = new Server(options.serverInfo, {
    capabilities: { tools: { listChanged: true }, ...capabilitiesOf(context.era, options) },
    ...(instructions === '' ? {} : { instructions }),
    cacheHints: {
      'tools/list': hint,
      'server/discover': hint,
      'prompts/list': hint,
      'resources/list': hint,
      'resources/templates/list': hint,
    },
  })
  server.setRequestHandler('tools/list', ({ params }) => listPage(params?.cursor, exchange, options))
  server.setRequestHandler('tools/call', async ({ params }, call) => {
    const answer = await callTool(params, call, exchange, options)
    // Wraps what is no object for the legacy era, as the SDK wraps the schema in its list.
    return 'result' in answer
      ? server.projectCallToolResult(answer.result, answer.outputSchema)
      : answer.input
  })
  options.offered.register(server, offerExchange(exchange, options))
  if (context.era === 'modern' && !options.offered.hasResources) refuseResources(server, exchange)
  return server
}

/** Extensions of several parts are one list. */
function capabilitiesOf(
  era: Era,
  { offered, extensions: modern, otherExtensions }: ProtocolOptions,
): ServerCapabilities {
  const { extensions = {}, ...others } = offered.capabilities(era)
  const declared = Object.fromEntries(otherExtensions.map((name) => [name, {}]))
  const all = { ...extensions, ...declared, ...(era === 'modern' ? modern : {}) }
  return Object.keys(all).length === 0 ? others : { ...others, extensions: all }
}

function offerExchange(exchange: Exchange, { states }: ProtocolOptions): OfferExchange {
  const { client } = exchange.incoming
  return {
    client,
    era: exchange.era,
    messageOf: (context, owner) => {
      const headers = client?.request.headers ?? {}
      return callMessage(context, exchange.era, (text) => states.open(text, { headers, ...owner }))
    },
    ask: (answer) => inputRequired(inputSpec(answer)),
    refuse: (refusal) => {
      exchange.refusal = refusal
      throw new ProtocolError(errorCodes.invalidRequest, 'Refused')
    },
  }
}

function listPage(
  cursor: string | undefined,
  exchange: Exchange,
  { pageSize, leavesListsEmpty }: ProtocolOptions,
): { tools: Tool[]; nextCursor?: string } {
  const page = pageOf(exchange.incoming.listed, cursor, pageSize)
  if (exchange.incoming.client === null || !leavesListsEmpty)
    return { ...page, tools: page.tools.map((tool) => listedFor(exchange.era, tool)) }
  exchange.listed = { era: exchange.era, cursor }
  return { tools: [] }
}

/** Whoever wrote the list keeps what was written (`protocol/list-cache.ts`). */
const listedFor = (era: Era, tool: Tool): Tool => ({
  ...tool,
  inputSchema: schemaFor(era, tool.inputSchema) as Tool['inputSchema'], // of an object schema it is one
})

/** There are no resources, and the era has an answer for that. Source: MCP 2026-07-28, Resources, error handling. */
function refuseResources(server: Server, { incoming: { body } }: Exchange): void {
  if (body.kind !== 'json' || !isObject(body.value) || body.value.method !== 'resources/read') return
  const { params } = body.value
  const uri = isObject(params) ? params.uri : undefined
  server.fallbackRequestHandler = async () => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  }
}

type SdkAnswer =
  | { readonly result: ReturnType<typeof toToolResult>; readonly outputSchema?: Record<string, unknown> }
  | { readonly input: ReturnType<typeof inputRequired> }

async function callTool(
  params: CallToolRequest['params'],
  context: ServerContext,
  exchange: Exchange,
  options: ProtocolOptions,
): Promise<SdkAnswer> {
  const { name } = params
  const { args } = exchange
  const { client } = exchange.incoming
  if (client === null) throw new Error('a tool call without a client')
  const owner = { headers: client.request.headers, name, args }
  const message = callMessage(context, exchange.era, (text) => options.states.open(text, owner))
  const { answer } = await options.runCall(
    toolCallFrom({ name, args }, client, message),
    options.tools.runner(name),
  )
  switch (answer.kind) {
    case 'refused':
      exchange.refusal = answer.refusal
      throw new ProtocolError(errorCodes.invalidRequest, 'Refused')
    case 'task':
      exchange.task = answer
      return { result: { content: [] } }
    case 'input':
      return { input: inputRequired(inputSpec(answer)) }
    case 'contents': {
      const { contents, outputSchema } = answer
      return {
        result: toToolResult(contents),
        ...(outputSchema === null ? {} : { outputSchema: { ...outputSchema } }),
      }
    }
  }
}

/** The requests and the state, as the SDK wants them. */
function inputSpec({ inputRequests, requestState }: Extract<ToolAnswer, { kind: 'input' }>): InputSpec {
  const spec = { inputRequests, ...(requestState === null ? {} : { requestState }) }
  return spec as InputSpec // the compiler cannot see what our own objects are
}

type InputSpec = Parameters<typeof inputRequired>[0]

type OpenState = (text: string) => RoundState | null

function callMessage({ mcpReq }: ServerContext, era: Era, open: OpenState): CallMessage {
  const meta = { ...mcpReq._meta, ...mcpReq.envelope }
  const progress = (params: object): void => {
    // What cannot be sent any more is dropped.
    mcpReq.notify({ method: 'notifications/progress', params: { ...params } }).catch(() => {})
  }
  const sendProgress = meta.progressToken === undefined ? null : progress
  const id = JSON.stringify(mcpReq.id)
  const text = mcpReq.requestState()
  const answers = sentAnswers({ ...mcpReq.inputResponses })
  if (typeof text !== 'string') {
    const isRetry = mcpReq.inputResponses !== undefined
    return { era, id, meta, sendProgress, retry: isRetry ? { answers, state: null } : null }
  }
  const opened = open(text)
  if (opened === null) {
    const reason = { reason: 'invalid_request_state' }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', reason)
  }
  return {
    era,
    id,
    meta,
    sendProgress,
    retry: { answers: { ...opened.answers, ...answers }, state: opened.state },
  }
}
