import type { Tool } from '@modelcontextprotocol/server'
import type { HttpRequest, Outcome } from '../contract/http.ts'
import { PayloadTooLarge } from '../errors.ts'
import { isPending, type Soon } from '../http/pipeline/soon.ts'
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
import { hotMessage } from './protocol/message.ts'
import { type McpEndpointOptions, openRoom, type Room } from './server.ts'
import type { Streams } from './streams/streams.ts'
import { unknownName } from './tools/suggestions.ts'
import type { ToolLists } from './tools/tool-list.ts'

export type { McpEndpointOptions } from './server.ts'

/** The endpoint behind its addresses. */
export interface McpEndpoint {
  handle(request: HttpRequest): Soon<Outcome>
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
  const room = openRoom(options, path, authentication)
  const entry: Entry = { room, path, options, foreign: foreignness(options) }
  return {
    handle: (request) => answer(entry, request),
    streams: room.streams,
    exchangeCounts: room.limits.exchange,
  }
}

interface Entry {
  readonly room: Room
  readonly path: string
  readonly options: McpEndpointOptions
  /** The answer to a request from where none may come, else null. */
  readonly foreign: (request: HttpRequest) => Outcome | null
}

/** Origin and host, then authentication, then everything that could be wrong with the message. Source: decisions.md, Easy
 *  to miss. */
function answer(entry: Entry, request: HttpRequest): Soon<Outcome> {
  const foreign = entry.foreign(request)
  if (foreign !== null) return foreign
  const passed = entry.room.authentication.check(request)
  if (!isPending(passed)) return answerChecked(entry, request, passed)
  return passed.then((caller) => answerChecked(entry, request, caller), unavailableAnswer)
}

function answerChecked(entry: Entry, request: HttpRequest, caller: Caller | null): Soon<Outcome> {
  if (caller === null) return challenge(entry, request)
  const { lists } = entry.room
  const listed = listedTools(lists, request)
  if (listed === null) return unknownToolbox(lists, request)
  if (request.method !== 'POST') return withoutMessage(entry.room, { request, caller })
  const body = readMessage(request)
  if (!isPending(body)) return serve(entry, { request, caller, listed, body })
  return body.then((read) => serve(entry, { request, caller, listed, body: read }), tooLarge)
}

function tooLarge(error: unknown): Outcome {
  if (error instanceof PayloadTooLarge) return rpcError(error.status, error.message, null)
  throw error
}

/** A GET of the revisions that have one opens a stream. Source: MCP 2025-11-25, Streamable HTTP, Listening. */
function withoutMessage({ streams }: Room, client: Client): Outcome {
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

function serve(entry: Entry, posted: Posted): Soon<Outcome> {
  const served = servedAny(entry.room, posted)
  return isPending(served)
    ? served.then((made) => finished(entry, posted, made))
    : finished(entry, posted, served)
}

function servedAny(room: Room, posted: Posted): Soon<Served> {
  const { body, caller } = posted
  if (body.kind === 'text' || !Array.isArray(body.value)) return servedOne(room, posted)
  return serveBatch(body.value, {
    serve: (value) => servedOne(room, { ...posted, body: { kind: 'json', value } }),
    count: () => room.limits.countCall(caller),
  })
}

/** What is not served hot is the SDK's. */
function servedOne(room: Room, posted: Posted): Soon<Served> {
  const hot = servedHot(room, posted)
  if (isPending(hot)) return hot.then((served) => served ?? judged(room, posted))
  return hot ?? judged(room, posted)
}

function servedHot({ serveHot }: Room, posted: Posted): Soon<Served | null> {
  const { request, body } = posted
  if (serveHot === null || body.kind !== 'json' || !isJson(request.headers['content-type'])) return null
  const message = hotMessage(body.value, request.headers)
  return message === null ? null : serveHot(message, posted)
}

const judged = ({ serveJudged }: Room, posted: Posted): Promise<Served> =>
  serveJudged({ head: posted.request, client: posted, body: posted.body, listed: posted.listed })

const finished = (entry: Entry, { request, body }: Posted, { outcome, refusal }: Served): Outcome =>
  refusal === null ? outcome : refuse(entry, request, refusal, idOf(body))

const isJson = (type: unknown): boolean =>
  type === 'application/json' || (typeof type === 'string' && /^application\/json *;/i.test(type))

function unavailableAnswer(error: unknown): Outcome {
  if (error instanceof AuthenticationUnavailable) return unavailable(error)
  throw error
}

/** A route's 401 becomes the endpoint's, so that the client signs in again. Source: specification, Authentication, rule 2. */
function refuse(entry: Entry, request: HttpRequest, refusal: Refusal, id: string): Outcome {
  switch (refusal.kind) {
    case 'unauthorized':
      entry.room.authentication.forget(request)
      return challenge(entry, request)
    case 'insufficientScope':
      return insufficientScope(refusal.scope, metadataOf(entry, request), addressOfMetadata(entry, request))
    default:
      return refusedCall(refusal, id)
  }
}

const challenge = (entry: Entry, request: HttpRequest): Outcome =>
  unauthorized(request, metadataOf(entry, request), addressOfMetadata(entry, request))

const metadataOf = ({ options }: Entry, request: HttpRequest) => options.resourceMetadata?.(request) ?? null

function addressOfMetadata({ room, path, options }: Entry, request: HttpRequest): string {
  const { toolbox } = request.params
  const at = toolbox !== undefined && room.lists.toolboxes.has(toolbox) ? `${path}/${toolbox}` : path
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

function unknownToolbox(lists: ToolLists, request: HttpRequest): Outcome {
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
