import type { Tool } from '@modelcontextprotocol/server'
import type { HttpRequest, HttpResponse, MaybePromise } from '../contract/http.ts'
import { PayloadTooLarge } from '../errors.ts'
import { sourceTest } from '../http/server/origins.ts'
import type { Authentication } from './auth/authenticate.ts'
import type { Caller, Client } from './auth/caller.ts'
import {
  foreignHost,
  foreignOrigin,
  insufficientScope,
  rpcError,
  unauthorized,
  unavailable,
} from './auth/challenge.ts'
import { AuthenticationUnavailable } from './auth/check-credentials.ts'
import { metadataUrl } from './auth/resource-metadata.ts'
import type { CallLimits } from './limits/limits.ts'
import { serveBatch } from './protocol/batch.ts'
import { isObject, legacyVersions } from './protocol/constants.ts'
import type { ListedClient, Served } from './protocol/fast-path.ts'
import { type MessageBody, readMessage } from './protocol/fetch-adapter.ts'
import { type Refusal, refusedCall } from './protocol/http-refusal.ts'
import { fastMessage } from './protocol/message.ts'
import { createMcpServer, type McpEndpointOptions, type McpServices } from './server.ts'
import type { Streams } from './streams/streams.ts'
import { unknownName } from './tools/suggestions.ts'
import type { ToolLists } from './tools/tool-list.ts'

export type { McpEndpointOptions } from './server.ts'

/** The endpoint behind its addresses. */
export interface McpEndpoint {
  handle(request: HttpRequest): Promise<HttpResponse>
  readonly streams: Streams
  /** Exchanges the counts of tool calls with the other instances. */
  readonly exchangeCounts: CallLimits['exchange']
}

/** What answers at `path` (without a trailing slash) and one segment below it. Source: specification, MCP endpoint. */
export function createMcpEndpoint(
  options: McpEndpointOptions,
  path: string,
  authentication: Authentication,
): McpEndpoint {
  const services = createMcpServer(options, path, authentication)
  const entry: Entry = { services, path, options, foreign: foreignness(options) }
  return {
    handle: (request) => answer(entry, request),
    streams: services.streams,
    exchangeCounts: services.limits.exchange,
  }
}

interface Entry {
  readonly services: McpServices
  readonly path: string
  readonly options: McpEndpointOptions
  /** The answer to a request from where none may come, else null. */
  readonly foreign: (request: HttpRequest) => HttpResponse | null
}

/** Origin and host, then authentication, then everything that could be wrong with the message. Source: decisions.md, Easy
 *  to miss. */
async function answer(entry: Entry, request: HttpRequest): Promise<HttpResponse> {
  const foreign = entry.foreign(request)
  if (foreign !== null) return foreign
  let caller: Caller | null
  try {
    caller = await entry.services.authentication.check(request)
  } catch (error) {
    if (error instanceof AuthenticationUnavailable) return unavailable(error)
    throw error
  }
  return caller === null ? challenge(entry, request) : await answerCaller(entry, request, caller)
}

async function answerCaller(entry: Entry, request: HttpRequest, caller: Caller): Promise<HttpResponse> {
  const { lists } = entry.services
  const listed = listedTools(lists, request)
  if (listed === null) return unknownToolbox(lists, request)
  if (request.method !== 'POST') return withoutMessage(entry.services, { request, caller })
  let body: MessageBody
  try {
    body = await readMessage(request)
  } catch (error) {
    if (error instanceof PayloadTooLarge) return rpcError(error.status, error.message, null)
    throw error
  }
  const { outcome, refusal } = await servedAny(entry.services, { request, caller, listed, body })
  return refusal === null ? outcome : refuse(entry, request, refusal, idOf(body))
}

/** A GET of the revisions that have one opens a stream. Source: MCP 2025-11-25, Streamable HTTP, Listening. */
function withoutMessage({ streams }: McpServices, client: Client): HttpResponse {
  const { request } = client
  const { accept, 'mcp-protocol-version': version } = request.headers
  const isListening = request.method === 'GET' && String(accept).includes('text/event-stream')
  if (isListening && (version === undefined || legacyVersions.has(String(version))))
    return streams.get(client)
  const { status, headers, body } = rpcError(405, 'Method not allowed', null)
  return { status, headers: { ...headers, allow: 'GET, POST' }, body }
}

/** One POST whose message has been read, of a client that is to see `listed` in its list. */
interface Posted extends ListedClient {
  readonly body: MessageBody
}

function servedAny(services: McpServices, posted: Posted): Promise<Served> {
  const { body, caller } = posted
  if (body.kind === 'text' || !Array.isArray(body.value)) return servedOne(services, posted)
  return serveBatch(body.value, {
    serve: (value) => servedOne(services, { ...posted, body: { kind: 'json', value } }),
    count: () => services.limits.countCall(caller),
  })
}

/** What the fast path does not take is the SDK's. */
async function servedOne(services: McpServices, posted: Posted): Promise<Served> {
  return (await servedFast(services, posted)) ?? (await servedBySdk(services, posted))
}

function servedFast({ serveFast }: McpServices, posted: Posted): MaybePromise<Served | null> {
  const { request, body } = posted
  if (serveFast === null || body.kind !== 'json' || !isJson(request.headers['content-type'])) return null
  const message = fastMessage(body.value, request.headers)
  return message === null ? null : serveFast(message, posted)
}

const servedBySdk = ({ serveBySdk }: McpServices, posted: Posted): Promise<Served> =>
  serveBySdk({ head: posted.request, client: posted, body: posted.body, listed: posted.listed })

const isJson = (type: unknown): boolean =>
  type === 'application/json' || (typeof type === 'string' && /^application\/json *;/i.test(type))

/** A route's 401 becomes the endpoint's, so that the client signs in again. Source: specification, Authentication, rule 2. */
function refuse(entry: Entry, request: HttpRequest, refusal: Refusal, id: string): HttpResponse {
  switch (refusal.kind) {
    case 'unauthorized':
      entry.services.authentication.forget(request)
      return challenge(entry, request)
    case 'insufficientScope':
      return insufficientScope(refusal.scope, metadataOf(entry, request), addressOfMetadata(entry, request))
    default:
      return refusedCall(refusal, id)
  }
}

const challenge = (entry: Entry, request: HttpRequest): HttpResponse =>
  unauthorized(request, metadataOf(entry, request), addressOfMetadata(entry, request))

const metadataOf = ({ options }: Entry, request: HttpRequest) => options.resourceMetadata?.(request) ?? null

function addressOfMetadata({ services, path, options }: Entry, request: HttpRequest): string {
  const { toolbox } = request.params
  const at = toolbox !== undefined && services.lists.toolboxes.has(toolbox) ? `${path}/${toolbox}` : path
  return metadataUrl(options.baseUrl, at)
}

/** The id of a request as JSON; null where there is none. */
function idOf(body: MessageBody): string {
  const id = body.kind === 'json' && isObject(body.value) ? body.value.id : null
  return typeof id === 'string' || typeof id === 'number' ? JSON.stringify(id) : 'null'
}

function listedTools(lists: ToolLists, request: HttpRequest): readonly Tool[] | null {
  const { toolbox } = request.params
  if (toolbox !== undefined) return lists.toolboxes.get(toolbox) ?? null
  const isFlat = request.url.includes('?') && request.query.get('toolboxes') === 'all'
  return isFlat ? lists.all : lists.root
}

function unknownToolbox(lists: ToolLists, request: HttpRequest): HttpResponse {
  const error = unknownName('toolbox', request.params.toolbox ?? '', lists.toolboxes.keys())
  return { status: 404, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) }
}

function foreignness({ allowedOrigins, allowedHosts }: McpEndpointOptions): Entry['foreign'] {
  const test = sourceTest({ origins: allowedOrigins, hosts: allowedHosts })
  return ({ headers }) => {
    const wrong = test(headers)
    if (wrong === null) return null
    return wrong === 'host' ? foreignHost : foreignOrigin
  }
}
