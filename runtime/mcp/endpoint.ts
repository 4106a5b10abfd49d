/** The way in: puts the parts of the MCP endpoint together, and takes a request through them. */
import type { ObserveCall, WatchMessage } from '../contract/calls.ts'
import type { HttpRequest, HttpResponse, MaybePromise } from '../contract/http.ts'
import type { Catalogue, ServerCard } from '../contract/mcp.ts'
import type { Clock, Services } from '../contract/store.ts'
import { PayloadTooLarge } from '../errors.ts'
import { type SourceTest, sourceTest } from '../http/server/origins.ts'
import type { Scheduler } from '../scheduler.ts'
import { sha256Hex } from '../secret.ts'
import { unknownName } from '../suggestions.ts'
import { changeOf } from '../surface.ts'
import { createPermissions, type FindPermission, type PermissionOptions } from './access/permission.ts'
import { createStepUp } from './access/step-up.ts'
import type { Authentication, AuthenticationOptions } from './auth/authenticate.ts'
import {
  createRefusals,
  foreignHost,
  foreignOrigin,
  type Refusals,
  rpcError,
  unavailable,
} from './auth/challenge.ts'
import { AuthenticationUnavailable } from './auth/check-credentials.ts'
import { isCrossOrigin, preflightAnswer, readableFrom, varyingByOrigin } from './auth/cross-origin.ts'
import { type CallLogOptions, createCallLog, createCallRecords } from './calls/call-records.ts'
import { createRunCall, refusalBefore } from './calls/run-call.ts'
import { type CancellableCalls, createCancellableCalls } from './limits/cancellable-calls.ts'
import { type CallLimits, createLimits, type LimitOptions } from './limits/limits.ts'
import { createRunningCalls, type RunningOptions } from './limits/running-calls.ts'
import type { McpMethods } from './method.ts'
import { endpointParts, joinedCapabilities } from './offers.ts'
import { type ConnectPage, createConnectPage, type PageSettings } from './page/connect-page.ts'
import type { EndpointPart, McpPart, McpRoom } from './part.ts'
import { acceptedForms, namesStream } from './protocol/accepted-forms.ts'
import { isObject, legacyVersions } from './protocol/constants.ts'
import { isId } from './protocol/frame-mistake.ts'
import { type Refusal, refusedCall, type Served } from './protocol/http-refusal.ts'
import { createListCache, type VersionedList } from './protocol/list-cache.ts'
import { wellFormedJson } from './protocol/well-formed.ts'
import { createRequestStates } from './questions/request-state.ts'
import { serveBatch } from './serving/batch.ts'
import { createFastPath, type FastPathOptions, type Posted } from './serving/fast-path.ts'
import { askedInForm, inForm, isEncoded, type MessageBody, readMessage } from './serving/fetch-adapter.ts'
import { resultWriter } from './serving/result-writer.ts'
import { askThrough, createSdkPath } from './serving/sdk-path.ts'
import { createProtocol, listTtlMs, type ServeProtocol } from './serving/sdk-server.ts'
import { type MessagePaths, type ServeMessage, servedMessages } from './serving/served-messages.ts'
import { createSlowAnswers, runsRoute, type StreamWhenSlow } from './streams/slow-answers.ts'
import { type StreamOptions, Streams } from './streams/streams.ts'
import { createSubscriptions } from './streams/subscriptions.ts'
import { createBatchGuards, type GuardBatch } from './tools/batch-guards.ts'
import type { ToolDependencies, ToolOptions } from './tools/route-tool.ts'
import { toolLists } from './tools/tool-list.ts'
import { toolMethods } from './tools/tool-methods.ts'
import { createTools } from './tools/tools.ts'
import type { View } from './tools/view.ts'

/** The settings of the MCP endpoint. `baseUrl` has no trailing slash and is the only source of public addresses, but for `baseUrlOf`. An entry
 *  of `allowedOrigins` is an origin; `http://localhost:*` allows every port. `authProbe` is the path or the id of a GET
 *  route. Source: rules.md, MCP server configuration. */
export interface McpEndpointOptions
  extends AuthenticationOptions,
    ToolOptions,
    LimitOptions,
    RunningOptions,
    Pick<PermissionOptions, 'listed'>,
    Pick<StreamOptions, 'streamsPerUser'>,
    PageSettings {
  /** Canonical. */
  readonly path: string
  readonly serverName: string
  readonly serverVersion: string
  /** Null = none is served. */
  readonly serverCard: ServerCard | null
  readonly baseUrl: string
  /** As the resource names itself to the sender of a request. */
  readonly baseUrlOf: (request: HttpRequest) => string
  readonly catalogue: Catalogue
  readonly allowedOrigins: readonly string[]
  /** Host names (lower case, without port) that a request may name; null = any. */
  readonly allowedHosts: readonly string[] | null
  /** How many tools one page of a list has. */
  readonly listPageSize: number
  /** What signs the state of multi round-trip requests: the first signs, all verify. */
  readonly stateSecrets: readonly string[]
  readonly callLog: Omit<CallLogOptions, 'log' | 'hasScopes'>
  /** Are told of every tool call, beside the log. */
  readonly observers: readonly ObserveCall[]
  readonly parts: readonly McpPart[]
  /** Watches every message; null = no watcher. */
  readonly watch: WatchMessage | null
  readonly routes: ToolOptions['routes']
  readonly services: Services
  readonly clock: Clock
  readonly every: Scheduler
  /** A tool call of this instance said that the list has changed (`this.mcp.toolsChanged()`): clients of others listen too. */
  readonly onToolsChanged: () => void
  /** Extensions that other parts of the server have, by name. */
  readonly otherExtensions: readonly string[]
  /** Whether everything goes through the SDK, which the tests compare with. */
  readonly isSdkOnly: boolean
}

/** The endpoint behind its addresses. */
export interface McpEndpoint {
  handle(request: HttpRequest): MaybePromise<HttpResponse>
  readonly streams: Streams
  /** Exchanges the counts of tool calls with the other instances. */
  readonly exchangeCounts: CallLimits['exchange']
}

/** What serves `path` (without a trailing slash) and one segment below it. Source: rules.md, MCP endpoint. */
export async function createMcpEndpoint(
  options: McpEndpointOptions,
  path: string,
  authentication: Authentication,
): Promise<McpEndpoint> {
  const parts = await createParts(options, path, authentication)
  return {
    handle: (request) => handle(parts, request),
    streams: parts.streams,
    exchangeCounts: parts.limits.exchange,
  }
}

/** Everything that a request passes. */
interface Parts {
  readonly options: McpEndpointOptions
  /** Whether a request comes from where none may. */
  readonly foreignSource: SourceTest
  readonly authentication: Authentication
  readonly permissionOf: FindPermission
  readonly refusals: Refusals
  readonly limits: CallLimits
  readonly methods: McpMethods
  readonly streams: Streams
  readonly serveOne: ServeMessage
  readonly whenSlow: StreamWhenSlow
  readonly guardBatch: GuardBatch | null
  /** Null where browsers get none. */
  readonly page: ConnectPage | null
}

function refusalsOf({ baseUrlOf, catalogue, resourceMetadata }: McpEndpointOptions, path: string): Refusals {
  const { toolboxes } = toolLists(catalogue)
  return createRefusals({ baseUrlOf, path, toolboxes, resourceMetadata })
}

async function createParts(
  options: McpEndpointOptions,
  path: string,
  authentication: Authentication,
): Promise<Parts> {
  const { clock, monotonic, every, log, streamsPerUser, isSdkOnly, scopes, watch } = options
  const serverInfo = { name: options.serverName, version: options.serverVersion }
  const texts = resultWriter(serverInfo)
  const permissionOf = permissions(options, !authentication.isOn)
  const limits = createLimits(options)
  const authenticates = authentication.isOn
  const { countCall } = limits
  const cancellable = createCancellableCalls()
  const toolsChanged = (): void => {
    streams.toolsChanged()
    options.onToolsChanged()
  }
  const room = roomOf(options, { authenticates, countCall, cancellable, toolsChanged })
  const { deps, cache } = room
  const others = await Promise.all(options.parts.map(({ endpoint }) => endpoint?.(room) ?? {}))
  const parts = endpointParts(room, [named(options), ...others])
  const tools = createTools(options, { ...deps, parts })
  const methods = methodTable([toolMethods({ ...deps, tools }), ...parts.map((part) => part.methods)])
  const subscriptions = createSubscriptions({ ...options, methods })
  const passing = { authentication, permissionOf, subscriptions }
  const streams = new Streams({ ...passing, texts, streamsPerUser, clock, monotonic, every })
  const serve = createProtocol({
    ...{ address: `${options.baseUrl}${path}`, pageSize: options.listPageSize, log, serverInfo },
    ...{ methods, cacheScope: cache.cacheScope, states: deps.states, leavesListsEmpty: !isSdkOnly },
    capabilities: (era) => joinedCapabilities(parts, era),
  })
  const served = { serve, methods, parts, texts, streams, cancellable, count: limits.countMessage }
  return {
    ...{ options, authentication, permissionOf, limits, methods, streams },
    foreignSource: sourceTest({ origins: options.allowedOrigins, hosts: options.allowedHosts }),
    refusals: refusalsOf(options, path),
    whenSlow: createSlowAnswers(options, texts),
    serveOne: messagesOf(options, served),
    guardBatch: createBatchGuards(tools, { scopes, authenticates, countCall, watch }),
    page: createConnectPage(options, path, !authenticates),
  }
}

interface RoomNeeds extends Pick<ToolDependencies, 'authenticates' | 'countCall' | 'toolsChanged'> {
  readonly cancellable: CancellableCalls
}

/** What the parts of the endpoint have in common. */
function roomOf(options: McpEndpointOptions, needs: RoomNeeds): McpRoom {
  const { scopes, services, log } = options
  const { authenticates, countCall, cancellable } = needs
  const hasScopes = scopes.declared.length > 0
  const running = createRunningCalls(options)
  const observers = [...options.observers, ...createCallLog({ ...options.callLog, hasScopes, log })]
  const records = createCallRecords(observers, log)
  const refusalOf = refusalBefore({ countCall, running })
  const states = createRequestStates(options)
  const wrapsFor = wrapsOf(options)
  const run = { refusalOf, running, records, cancellable, wraps: wrapsFor(states), log }
  const runCall = createRunCall({ ...run, noun: { logged: 'tool call', shown: 'call' } })
  const tellMore = createStepUp({ scopes, services, log, authenticates })
  return {
    options,
    deps: { ...needs, records, wrapsFor, runCall, states, tellMore },
    cache: { ttlMs: listTtlMs, cacheScope: hasScopes ? 'private' : 'public' },
  }
}

const wrapsOf =
  ({ parts }: McpEndpointOptions): McpRoom['deps']['wrapsFor'] =>
  (states) =>
    parts.flatMap(({ call: wrap }) => (wrap === undefined ? [] : [(call, next) => wrap(call, next, states)]))

const methodTable = (all: readonly (McpMethods | undefined)[]): McpMethods =>
  new Map(all.flatMap((own) => [...(own ?? [])]))

const named = ({ otherExtensions }: McpEndpointOptions): EndpointPart => ({
  capabilities: () => ({ extensions: Object.fromEntries(otherExtensions.map((name) => [name, {}])) }),
})

interface Serving
  extends Omit<FastPathOptions, 'lists' | 'log'>,
    Pick<MessagePaths, 'cancellable' | 'count'> {
  readonly serve: ServeProtocol
  readonly parts: readonly EndpointPart[]
}

function messagesOf({ isSdkOnly, log, watch }: McpEndpointOptions, serving: Serving): ServeMessage {
  const { serve, parts, streams, texts } = serving
  const lists = createListCache(askThrough(serve))
  return servedMessages({
    ...serving,
    ...{ watch, isSdkOnly },
    refusals: parts.flatMap(({ refusal }) => refusal ?? []),
    serveFast: createFastPath({ ...serving, lists, log }),
    serveBySdk: isSdkOnly ? serve : createSdkPath(serve, { lists, streams, texts }),
  })
}

function permissions(options: McpEndpointOptions, isOpen: boolean): FindPermission {
  const { catalogue, scopes, routes, listed, services } = options
  const version = sha256Hex(JSON.stringify(catalogue)).slice(0, 16)
  const { userOfSession } = services
  const scopeOf: PermissionOptions['scopeOf'] = ({ route }) => routes.get(route)?.scope
  const isChanging: PermissionOptions['isChanging'] = ({ route }) => {
    const found = routes.get(route)
    return found !== undefined && changeOf(found) !== null
  }
  return createPermissions({ catalogue, version, scopes, scopeOf, isChanging, listed, isOpen, userOfSession })
}

/** Origin and host, of which a browser reads the answers; then the client's credentials. Source: rules.md, origins and preflight. */
function handle(parts: Parts, request: HttpRequest): MaybePromise<HttpResponse> {
  const foreign = parts.foreignSource(request.headers)
  if (foreign !== null) return varyingByOrigin(foreign === 'host' ? foreignHost : foreignOrigin)
  const answering = preflightAnswer(request) ?? answerTo(parts, request)
  if (!isCrossOrigin(request) || !(answering instanceof Promise)) return answering
  return answering.then((answer) => readableFrom(request, answer))
}

/** Authentication, then everything that could be wrong with the message. Source: rules.md, Easy to miss. */
async function answerTo(parts: Parts, request: HttpRequest): Promise<HttpResponse> {
  const { authentication } = parts
  try {
    const caller = authentication.find(request) ?? (await authentication.check(request))
    if (caller === null) return unauthenticated(parts, request)
    const found = parts.permissionOf({ request, caller })
    const permission = found instanceof Promise ? await found : found
    const listed = listedTools(permission.view, request)
    if (listed === null) return unknownToolbox(permission.view, request)
    if (request.method !== 'POST') return withoutMessage(parts, { request, caller, permission, listed })
    if (isEncoded(request)) return rpcError(415, 'the body must be sent without Content-Encoding', null)
    const reading = readMessage(request, parts.methods)
    const body = reading instanceof Promise ? await reading : reading
    const forms = acceptedForms(request.headers)
    const posted = { request, caller, permission, listed, body: askedInForm(body, forms) }
    const serving = served(parts, posted)
    const isSlow = forms.stream && runsRoute(body, parts.methods)
    const { outcome, refusal, isUnicode } = await (isSlow ? parts.whenSlow(serving, idOf(body)) : serving)
    if (refusal !== null) return inUnicode(refuse(parts, request, refusal, idOf(body)))
    const answer = forms.json && forms.stream ? outcome : await inForm(outcome, forms, isBatch(body))
    return isUnicode === true ? answer : inUnicode(answer)
  } catch (error) {
    if (error instanceof AuthenticationUnavailable) return unavailable(error)
    if (error instanceof PayloadTooLarge) return rpcError(error.status, error.message, null)
    throw error
  }
}

/** The challenge; in a browser with the page as its body. */
function unauthenticated(parts: Parts, request: HttpRequest): MaybePromise<HttpResponse> {
  const { page, refusals } = parts
  const refusal = refusals.unauthorized(request)
  return page?.isFor(request) === true ? page.refused(request, refusals.toolboxOf(request), refusal) : refusal
}

/** A GET of the revisions that have one opens a stream; a browser gets a page. Source: MCP 2025-11-25, Streamable HTTP,
 *  Listening. */
function withoutMessage(parts: Parts, client: Omit<Posted, 'body'>): MaybePromise<HttpResponse> {
  const { streams, page, refusals } = parts
  const { request, listed, permission } = client
  if (page?.isFor(request) === true) {
    const shown = { listed: listed.tools, catalogue: permission.view.catalogue }
    return page.allowed(request, refusals.toolboxOf(request), shown)
  }
  const { 'mcp-protocol-version': version } = request.headers
  const isListening = request.method === 'GET' && namesStream(request.headers)
  if (isListening && (version === undefined || legacyVersions.has(String(version))))
    return streams.get(client)
  const { status, headers, body } = rpcError(405, 'Method not allowed', null)
  return { status, headers: { ...headers, allow: 'GET, POST' }, body }
}

function served(parts: Parts, posted: Posted): Promise<Served> {
  const { body, caller } = posted
  if (!isBatch(body)) return parts.serveOne(posted)
  const { guardBatch } = parts
  return serveBatch(body.value, {
    guard: guardBatch && ((messages) => guardBatch(messages, posted)),
    serve: (value) => parts.serveOne({ ...posted, body: { kind: 'json', value } }),
    count: () => parts.limits.countCall(caller),
  })
}

/** What is no text any more was made of one that is Unicode. */
function inUnicode(answer: HttpResponse): HttpResponse {
  if (typeof answer.body !== 'string') return answer
  const body = wellFormedJson(answer.body)
  return body === answer.body ? answer : { ...answer, body }
}

const isBatch = (body: MessageBody): body is { readonly kind: 'json'; readonly value: readonly unknown[] } =>
  body.kind === 'json' && Array.isArray(body.value)

/** A route's 401 becomes the endpoint's, so that the client signs in again. Source: rules.md, Authentication 2. */
function refuse(parts: Parts, request: HttpRequest, refusal: Refusal, id: string): HttpResponse {
  switch (refusal.kind) {
    case 'unauthorized':
      parts.authentication.forget(request)
      return parts.refusals.unauthorized(request)
    case 'insufficientScope':
      return parts.refusals.insufficientScope(request, refusal.scope)
    default:
      return refusedCall(refusal, id)
  }
}

/** The id of a request as JSON; null where there is none to repeat. */
function idOf(body: MessageBody): string {
  const id = body.kind === 'json' && isObject(body.value) ? body.value.id : null
  return isId(id) ? JSON.stringify(id) : 'null'
}

function listedTools({ lists, version }: View, request: HttpRequest): VersionedList | null {
  const { toolbox } = request.params
  const isFlat = request.url.includes('?') && request.query.get('toolboxes') === 'all'
  const whole = isFlat ? lists.all : lists.root
  const tools = toolbox === undefined ? whole : lists.toolboxes.get(toolbox)
  return tools === undefined ? null : { tools, version }
}

function unknownToolbox({ lists }: View, request: HttpRequest): HttpResponse {
  const error = unknownName('toolbox', request.params.toolbox ?? '', lists.toolboxes.keys())
  return { status: 404, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) }
}
