/** One small application for the MCP tests: its catalogue, its routes as plain functions, and messages of both eras. */

import type {
  Endpoint,
  HttpRequest,
  HttpResponse,
  Session,
  StreamingBody,
} from '../../../runtime/contract/http.ts'
import type { Catalogue, ToolEntry } from '../../../runtime/contract/mcp.ts'
import {
  createMcpServer,
  type McpEndpointOptions,
  type McpServer,
  type OpenStreams,
} from '../../../runtime/mcp/server.ts'
import { createScopes } from '../../../runtime/scopes.ts'
import { noServices } from '../../boot/no-services.ts'

const read = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const write = { readOnly: false, destructive: false, idempotent: false, openWorld: false }
const closed = { type: 'object', additionalProperties: false }

const tool = (name: string, entry: Partial<ToolEntry>): ToolEntry => ({
  name,
  route: name,
  toolbox: name.slice(0, name.indexOf('_')),
  root: false,
  title: null,
  summary: `${name} in short.`,
  description: `${name} in full.`,
  hints: read,
  inputSchema: closed,
  outputSchema: null,
  arguments: [],
  ...entry,
})

export const noteSchema: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['title'],
  additionalProperties: false,
}

export const catalogue: Catalogue = {
  instructions: 'Notes of the signed-in user.\n\n- notes: Notes.',
  toolboxes: [
    { name: 'users', description: 'Users.' },
    { name: 'notes', description: 'Notes.' },
    { name: 'files', description: 'Files.' },
  ],
  tools: [
    tool('users_current', {
      root: true,
      title: 'Current user',
      outputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    }),
    tool('notes_index', {
      arguments: [
        { argument: 'tag', from: 'query', name: 'tag[]' },
        { argument: 'filter', from: 'field', name: 'filter' },
        { argument: 'locale', from: 'header', name: 'X-Locale' },
        { argument: 'key', from: 'header', name: 'X-API-Key' },
        { argument: 'theme', from: 'cookie', name: 'theme' },
        { argument: 'sid', from: 'cookie', name: 'sid' },
      ],
      outputSchema: { type: 'array', items: { type: 'string' } },
    }),
    tool('notes_show', {
      arguments: [
        { argument: 'id', from: 'path', name: 'id' },
        { argument: 'part', from: 'path', name: 'part' },
      ],
    }),
    tool('notes_create', {
      hints: write,
      inputSchema: noteSchema,
      arguments: [
        { argument: 'title', from: 'field', name: 'title' },
        { argument: 'tags', from: 'field', name: 'tags' },
        { argument: 'dry_run', from: 'query', name: 'dry_run' },
      ],
    }),
    tool('notes_import', { hints: write, arguments: [{ argument: 'body', from: 'body', name: 'body' }] }),
    tool('notes_delete', {
      hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
      arguments: [{ argument: 'id', from: 'path', name: 'id' }],
    }),
    tool('files_answer', { arguments: [{ argument: 'status', from: 'query', name: 'status' }] }),
  ],
}

export const routes: McpEndpointOptions['routes'] = new Map([
  ['users_current', { verb: 'GET', path: '/api/users/current' }],
  ['notes_index', { verb: 'GET', path: '/api/notes/' }],
  ['notes_show', { verb: 'GET', path: '/api/notes/:id/:part' }],
  ['notes_create', { verb: 'POST', path: '/api/notes/' }],
  ['notes_import', { verb: 'PUT', path: '/api/notes/import' }],
  ['notes_delete', { verb: 'DELETE', path: '/api/notes/:id' }],
  ['files_answer', { verb: 'GET', path: '/files/answer' }],
])

export const json = (status: number, value: unknown): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(value),
})

/** The application behind the endpoint: `good` is signed in, `half` only passes the probe, everybody else is refused. */
export function createApplication(): {
  readonly calls: HttpRequest[]
  readonly invoke: McpEndpointOptions['invoke']
} {
  const calls: HttpRequest[] = []
  const invoke = async (routeId: string, request: HttpRequest): Promise<HttpResponse> => {
    calls.push(request)
    const { authorization } = request.headers
    if (authorization === 'Bearer explodes') throw new Error('secret detail')
    if (routeId === 'users_current') {
      return authorization === undefined || authorization === 'Bearer bad'
        ? json(401, { error: 'unauthorized' })
        : json(200, { name: 'Ada' })
    }
    if (authorization === 'Bearer half') return json(401, { error: 'token expired' })
    if (routeId === 'notes_index') return json(200, ['first', 'second'])
    if (routeId === 'notes_create') return json(422, { error: "missing required parameter 'title'" })
    return json(200, { called: `${request.method} ${request.url}` })
  }
  return { calls, invoke }
}

export const quiet: McpEndpointOptions['log'] = { info: () => {}, warn: () => {}, error: () => {} }

export type App = (sent?: Sent) => Promise<Answer>

/** The endpoints for `options` as one function, found by path as a router would. */
export const serve = (options: Partial<McpEndpointOptions> = {}): App => serveAll(options).app

export interface Served {
  readonly app: App
  /** Opens a stream without reading it to its end. */
  readonly open: (sent: Sent) => Promise<OpenedStream>
  readonly streams: OpenStreams
  readonly userRevoked: (userId: string) => void
  readonly accessChanged: McpServer['accessChanged']
  readonly handle: (sent: Sent) => Promise<HttpResponse>
}

export interface OpenedStream {
  readonly status: number
  /** What was written so far. */
  text(): string
  isEnded(): boolean
  /** The client goes away. */
  leave(): void
}

/** An endpoint over the application, open to everybody. */
export function endpointOptions(): McpEndpointOptions {
  return {
    path: '/mcp',
    serverName: 'notes',
    serverVersion: '1.2.3',
    serverCard: null,
    baseUrl: 'https://notes.example',
    baseUrlOf: () => 'https://notes.example',
    catalogue,
    invoke: createApplication().invoke,
    routes,
    parts: [],
    authProbe: null,
    authenticator: null,
    resourceMetadata: null,
    authCacheTtlSeconds: 60,
    allowedOrigins: ['https://notes.example'],
    allowedHosts: null,
    answerChars: 100_000,
    answerCharsOf: new Map(),
    forwardHeaders: [],
    answerBytes: 4 * 1024 * 1024,
    listPageSize: 1000,
    scopes: createScopes({}),
    listed: 'permitted',
    guard: () => null,
    services: noServices,
    toolCallsPerMinute: null,
    concurrentToolCalls: null,
    concurrentToolCallsPerUser: null,
    toolCallSeconds: null,
    streamsPerUser: null,
    findAuthInfo: async () => null,
    isSignedHere: async () => false,
    judgesForeign: true,
    page: null,
    stateSecrets: ['a secret of at least thirty-two bytes'],
    onToolsChanged: () => {},
    isSdkOnly: false,
    otherExtensions: [],
    callLog: { isWritten: false, ms: false },
    observers: [],
    watch: null,
    onLookUp: null,
    every: () => async () => {},
    clock: () => 0,
    monotonic: () => 0,
    log: quiet,
    production: true,
  }
}

/** The same, with streams and what the composition sees. */
export function serveAll(options: Partial<McpEndpointOptions> = {}): Served {
  const mcp = createMcpServer({ ...endpointOptions(), monotonic: options.clock ?? (() => 0), ...options })
  const handle = async (sent: Sent): Promise<HttpResponse> => {
    const url = sent.url ?? '/mcp'
    const [path = '', query = ''] = url.split('?')
    const found = find(mcp.endpoints, path)
    if (found === null) return { status: 404, headers: {}, body: 'not mounted' }
    return found.endpoint.handle(httpRequest({ ...sent, url }, path, query, found.params))
  }
  const app: App = async (sent = {}) => {
    const outcome = await handle(sent)
    return { status: outcome.status, headers: outcome.headers, text: await bodyText(outcome) }
  }
  return {
    app,
    open: async (sent) => opened(await handle(sent)),
    streams: mcp.streams,
    userRevoked: mcp.userRevoked,
    accessChanged: mcp.accessChanged,
    handle,
  }
}

function opened({ status, body }: HttpResponse): OpenedStream {
  let text = ''
  let isEnded = false
  const sink = {
    write: (more: string): boolean => {
      text += more
      return true
    },
    offer: (more: () => string): void => {
      text += more()
    },
    end: (last = ''): void => {
      text += last
      isEnded = true
    },
  }
  const isStream = typeof body === 'object' && body !== null && 'open' in body
  const leave = isStream ? body.open(sink) : (): void => {}
  return { status, text: () => text, isEnded: () => isEnded, leave }
}

export interface Sent {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly message?: unknown
  readonly body?: HttpRequest['body']
  readonly signal?: AbortSignal
  readonly session?: Session
  readonly ip?: string
}

export interface Answer {
  readonly status: number
  readonly headers: HttpResponse['headers']
  readonly text: string
}

function find(
  endpoints: readonly Endpoint[],
  path: string,
): { endpoint: Endpoint; params: Record<string, string> } | null {
  const exact = endpoints.find((endpoint) => endpoint.path === path)
  if (exact !== undefined) return { endpoint: exact, params: {} }
  const cut = path.lastIndexOf('/')
  const endpoint = endpoints.find((candidate) => candidate.path === `${path.slice(0, cut)}/:toolbox`)
  return endpoint === undefined ? null : { endpoint, params: { toolbox: path.slice(cut + 1) } }
}

const session: Session = { get: () => 'session', set: () => {}, remove: () => {}, regenerate: async () => {} }

function httpRequest(
  sent: Sent,
  path: string,
  query: string,
  params: Readonly<Record<string, string>>,
): HttpRequest {
  const bytes = new TextEncoder().encode(sent.message === undefined ? '' : JSON.stringify(sent.message))
  return {
    id: 'request-1',
    method: sent.method ?? 'POST',
    url: sent.url ?? path,
    path,
    query: new URLSearchParams(query),
    params,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      host: 'attacker.example',
      ...sent.headers,
    },
    cookies: {},
    ip: sent.ip ?? '192.0.2.7',
    session: sent.session ?? session,
    body: sent.body ?? { kind: 'bytes', contentType: 'application/json', read: async () => bytes },
    signal: sent.signal ?? new AbortController().signal,
  }
}

/** One request to the endpoint itself. */
export const requestOf = (sent: Sent): HttpRequest => httpRequest(sent, '/mcp', '', {})

async function bodyText({ body }: HttpResponse): Promise<string> {
  if (body instanceof ReadableStream) return new Response(body).text()
  if (typeof body === 'object' && body !== null && 'open' in body) return pushedText(body)
  return body === null ? '' : Buffer.from(body).toString()
}

/** All that a pushed body writes until it ends. */
const pushedText = ({ open }: StreamingBody): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    open({
      write: (more) => {
        text += more
        return true
      },
      offer: (more) => {
        text += more()
      },
      end: (last = '') => resolve(text + last),
    })
  })

export type Era = 'legacy' | 'modern'

/** A request of the era, with the headers that the era asks for. */
export function message(era: Era, method: string, params: Readonly<Record<string, unknown>> = {}): Sent {
  if (era === 'legacy') return { message: { jsonrpc: '2.0', id: 1, method, params } }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const name: Record<string, string> = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  const behind = behindProxy(params)
  return {
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name, ...behind },
    message: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
  }
}

/** Proxies mirror the name of the tool behind them. */
function behindProxy(params: Readonly<Record<string, unknown>>): Record<string, string> {
  const isProxy = params.name === 'call_tool' || params.name === 'call_read_only'
  const { name } = { name: undefined, ...Object(params.arguments) }
  return isProxy && typeof name === 'string' ? { 'mcp-param-tool': name } : {}
}

/** What an answer says in JSON-RPC, from a JSON body or the one event of a stream. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export function rpc(answer: Answer): any {
  const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text
  return JSON.parse(data)
}

/** The result of a tool call without what the modern era adds to every result. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
export async function call(app: App, era: Era, name: string, args: unknown = {}, headers = {}): Promise<any> {
  const sent = message(era, 'tools/call', { name, arguments: args })
  const answer = rpc(await app({ ...sent, headers: { ...sent.headers, ...headers } }))
  if (answer.result === undefined) return answer
  const { _meta, resultType, ...result } = answer.result
  return result
}

export interface MovedTime {
  readonly clock: () => number
  readonly monotonic: () => number
  readonly every: McpEndpointOptions['every']
  readonly running: ReadonlySet<() => Promise<void>>
  readonly advance: (seconds: number) => Promise<void>
}

/** A clock and a ticker that the test moves, a second at a time. */
export function time(): MovedTime {
  let now = 0
  const running = new Set<() => Promise<void>>()
  return {
    clock: () => now,
    monotonic: () => now,
    every: (_: number, run: () => Promise<void>) => {
      running.add(run)
      return async () => void running.delete(run)
    },
    running,
    advance: async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        now += 1000
        for (const run of running) await run()
        await new Promise(setImmediate)
      }
    },
  }
}
