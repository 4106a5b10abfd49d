import {
  type AuthInfo,
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
import type { ToolAnswer } from '../calls/tool-answer.ts'
import { withoutArguments } from '../limits/message-size.ts'
import { answerIn, type McpMethod, type McpMethods, type MethodAnswer } from '../method.ts'
import { type Era, errorCodes, isObject, type WireObject } from '../protocol/constants.ts'
import type { Refusal, Served } from '../protocol/http-refusal.ts'
import { pageOf, type VersionedList } from '../protocol/list-cache.ts'
import type { CallMessage } from '../protocol/message.ts'
import { schemaFor } from '../protocol/param-headers.ts'
import { sentAnswers } from '../questions/answers.ts'
import type { RequestStates, RoundState } from '../questions/request-state.ts'
import { type MessageBody, toResponse, toWebRequest } from './fetch-adapter.ts'

/** What the protocol side needs. */
export interface ProtocolOptions {
  readonly serverInfo: Implementation
  readonly address: string
  readonly methods: McpMethods
  /** What there is beside tools. */
  readonly capabilities: (era: Era) => ServerCapabilities
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
  /** The caller of tools; null where none will be called. */
  readonly client: PermittedClient | null
  readonly body: MessageBody
  readonly listed: VersionedList
}

/** What the SDK made of a message; `listed`: it was a good request for this page of the list, which is then left empty. */
export interface SdkOutcome extends Served {
  readonly listed: { readonly era: Era; readonly cursor: string | undefined } | null
  /** What the call came to, which the SDK cannot say. */
  readonly typed: Extract<ToolAnswer, { kind: 'typed' }> | null
}

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
      args,
      era: 'modern',
      refusal: null,
      listed: null,
      typed: null,
    }
    const webRequest = toWebRequest(incoming.head, incoming.body, options.address)
    const parsed = incoming.body.kind === 'json' ? { parsedBody: message } : {}
    const authInfo: AuthInfo = { token: '', clientId: '', scopes: [] } // what the SDK hands on as it is
    exchanges.set(authInfo, exchange)
    const response = await handler.fetch(webRequest, { ...parsed, authInfo })
    // A legacy stream opens before its tool call has run, and a 401 must come before the first byte: it is read whole.
    const outcome = await toResponse(response, exchange.era === 'legacy')
    return { outcome, refusal: exchange.refusal, listed: exchange.listed, typed: exchange.typed }
  }
}

/** One HTTP request on its way through the SDK: what it can only say as a result is noted here. */
interface Exchange {
  readonly incoming: Incoming
  /** What a tool is called with; null for what is no object, which the SDK refuses, and for other messages. */
  readonly args: WireObject | null
  era: Era
  refusal: Refusal | null
  listed: SdkOutcome['listed']
  typed: SdkOutcome['typed']
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
    capabilities: { tools: { listChanged: true }, ...options.capabilities(context.era) },
    ...(instructions === '' ? {} : { instructions }),
    cacheHints: Object.fromEntries(
      ['server/discover', ...keptLists(options.methods)].map((name) => [name, hint]),
    ),
  })
  for (const [name, method] of options.methods) register(server, [name, method], exchange, options)
  if (context.era === 'modern' && !options.methods.has('resources/read')) refuseResources(server, exchange)
  return server
}

const keptLists = (methods: McpMethods): readonly string[] =>
  [...methods].filter(([, { isKept }]) => isKept === true).map(([name]) => name)

type Result = Record<string, unknown>
type Handle = (params: WireObject, context: ServerContext) => Promise<Result>

function register(
  server: Server,
  [name, method]: readonly [string, McpMethod],
  exchange: Exchange,
  options: ProtocolOptions,
): void {
  const { schema } = method
  if (schema === null) return
  const handle: Handle = async (params, context) => {
    const answer = await answerOf(method, { params, context }, exchange, options)
    return { ...sdkResult(answerIn(answer), server, exchange, options) }
  }
  if (schema !== undefined) server.setRequestHandler(name, { params: schema }, handle)
  else setKnown(server)(name, ({ params = {} }, context) => handle(params, context))
}

type SetKnown = (
  name: string,
  handle: (request: { readonly params?: WireObject }, context: ServerContext) => Promise<Result>,
) => void

/** The SDK's types have a handler for each name. */
const setKnown = (server: Server): SetKnown => server.setRequestHandler.bind(server) as SetKnown

interface Received {
  readonly params: WireObject
  readonly context: ServerContext
}

function answerOf(
  method: McpMethod,
  { params: read, context }: Received,
  exchange: Exchange,
  { states }: ProtocolOptions,
): ReturnType<McpMethod['answer']> {
  const { args, era, incoming } = exchange
  const { client } = incoming
  const params = args === null ? read : { ...read, arguments: args }
  if (client === null) return { kind: 'tools', cursor: cursorIn(params) } // without a client only tools are listed
  const { headers } = client.request
  const owner = method.owner?.(params)
  const open: OpenState | null = owner ? (text) => states.open(text, { headers, ...owner }) : null
  return method.answer({ params, client, message: callMessage(context, era, open) })
}

const cursorIn = ({ cursor }: WireObject): string | undefined =>
  typeof cursor === 'string' ? cursor : undefined

function sdkResult(
  answer: MethodAnswer,
  server: Server,
  exchange: Exchange,
  options: ProtocolOptions,
): object {
  switch (answer.kind) {
    case 'result':
      return answer.result
    case 'refused':
      exchange.refusal = answer.refusal
      throw new ProtocolError(errorCodes.invalidRequest, 'Refused')
    case 'typed':
      exchange.typed = answer
      return { content: [] }
    case 'input':
      return inputRequired(inputSpec(answer))
    case 'tools':
      return listPage(answer.cursor, exchange, options)
    case 'subscription':
      throw new Error('a subscription comes to the handler of the SDK')
    case 'contents': {
      const { contents, outputSchema } = answer
      // Wraps what is no object for the legacy era, as the SDK wraps the schema in its list.
      const schema = outputSchema === null ? undefined : { ...outputSchema }
      return server.projectCallToolResult(toToolResult(contents), schema)
    }
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

/** What was written is kept with the list (`protocol/list-cache.ts`). */
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

/** The requests and the state, as the SDK wants them. */
function inputSpec({ inputRequests, requestState }: Extract<ToolAnswer, { kind: 'input' }>): InputSpec {
  const spec = { inputRequests, ...(requestState === null ? {} : { requestState }) }
  return spec as InputSpec // the compiler cannot see what our own objects are
}

type InputSpec = Parameters<typeof inputRequired>[0]

type OpenState = (text: string) => RoundState | null

/** `open`: null where no user is asked. */
function callMessage({ mcpReq }: ServerContext, era: Era, open: OpenState | null): CallMessage {
  const meta = { ...mcpReq._meta, ...mcpReq.envelope }
  const progress = (params: object): void => {
    // What cannot be sent any more is dropped.
    mcpReq.notify({ method: 'notifications/progress', params: { ...params } }).catch(() => {})
  }
  const sendProgress = meta.progressToken === undefined ? null : progress
  const id = JSON.stringify(mcpReq.id)
  if (open === null) return { era, id, meta, sendProgress, retry: null }
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
