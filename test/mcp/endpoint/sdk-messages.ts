/** The messages of the two eras as the SDKs send them, and what the endpoint answers. Of the TypeScript SDK (1.32 and 2.4) a test sees
 *  them sent; those of the Python SDK were read in its source (modelcontextprotocol/python-sdk v1.29.0, `shared/session.py` and
 *  `client/streamable_http.py`; 57394b05 for version 2, `shared/jsonrpc_dispatcher.py` and `client/session.py`). All send
 *  `Accept: application/json, text/event-stream` and `Content-Type: application/json`. */

/** Who sends the message in this form. */
export type Sdk = 'ts1' | 'ts2' | 'ts2-auto' | 'py1' | 'py2' | 'py2-auto'

type Json = Readonly<Record<string, unknown>>

export interface SdkMessage {
  readonly by: readonly Sdk[]
  /** Beside `Accept` and `Content-Type`. */
  readonly head: Json
  readonly message: Json
  readonly status: number
  /** Without `jsonrpc` and `id`; null = no body; a text names what `answers` of the test has. */
  readonly answer: Json | string | null
}

const clientInfo = { name: 'c', version: '0' }
const first = {}
const legacy = { 'mcp-protocol-version': '2025-11-25' }
const version = 'io.modelcontextprotocol/protocolVersion'
const _meta = {
  [version]: '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
}
const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
const notFound = { error: { code: -32601, message: 'Method not found' } }
const invalidCursor = { error: { code: -32602, message: 'Invalid cursor' } }
const completion = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }

const modern = (method: string, name?: string): Json => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name === undefined ? {} : { 'mcp-name': name }),
})

interface Sent {
  readonly status?: number
  readonly answer: SdkMessage['answer']
  readonly params?: Json
  readonly id?: number | string
  readonly head?: Json
}

function request(
  by: string,
  method: string,
  { status = 200, answer, params, id = 1, head = legacy }: Sent,
): SdkMessage {
  const message = { jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }
  return { by: by.split(' ') as Sdk[], head, message, status, answer } // the names stand below
}

function notification(by: string, method: string, params?: Json): SdkMessage {
  const message = { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) }
  return { by: by.split(' ') as Sdk[], head: legacy, message, status: 202, answer: null } // the same
}

const name = 'notes_index'
const show = { name: 'notes_show', arguments: { id: '1' } }

/** Version 1 of both SDKs and TypeScript's version 2 leave out what is absent; Python's version 2 sends `_meta` with every request. */
export const legacyMessages: readonly SdkMessage[] = [
  request('ts1 ts2 py1', 'initialize', { head: first, id: 0, params: initialize, answer: 'initialized' }),
  request('py2', 'initialize', { head: first, params: { ...initialize, _meta: {} }, answer: 'initialized' }),
  notification('ts1 ts2 py1 py2', 'notifications/initialized'),
  request('ts1 ts2 py1', 'ping', { answer: { result: {} } }),
  request('py2', 'ping', { params: { _meta: {} }, answer: { result: {} } }),
  request('ts1 ts2 py1', 'tools/list', { answer: 'tools' }),
  request('ts1 ts2', 'tools/list', { params: { cursor: 'x' }, answer: invalidCursor }),
  request('ts1 ts2', 'tools/list', { params: {}, answer: 'tools' }),
  request('py2', 'tools/list', { params: { _meta: {} }, answer: 'tools' }),
  request('py2', 'tools/list', { params: { cursor: 'x', _meta: {} }, answer: invalidCursor }),
  request('ts1 ts2 py1', 'tools/call', { params: { name }, answer: 'notes' }),
  request('ts1 ts2 py1', 'tools/call', { params: show, answer: 'shown' }),
  request('py2', 'tools/call', { params: { ...show, _meta: {} }, answer: 'shown' }),
  request('ts1 ts2 py1 py2', 'tools/call', {
    id: 7,
    params: { name, arguments: {}, _meta: { progressToken: 7 } },
    answer: 'notes',
  }),
  request('ts1', 'prompts/list', { answer: notFound }),
  request('ts1 ts2', 'prompts/get', { params: { name: 'p' }, answer: notFound }),
  request('ts1', 'resources/list', { answer: notFound }),
  request('ts1', 'resources/templates/list', { answer: notFound }),
  request('ts1 ts2 py1', 'resources/read', { params: { uri: 'a:b' }, answer: notFound }),
  request('ts1 ts2 py1', 'completion/complete', { params: completion, answer: notFound }),
  request('py2', 'completion/complete', { params: { ...completion, _meta: {} }, answer: notFound }),
  request('ts1 ts2 py1', 'logging/setLevel', { params: { level: 'info' }, answer: notFound }),
  request('ts1 ts2 py1', 'resources/subscribe', { params: { uri: 'a:b' }, answer: notFound }),
  notification('ts1 ts2', 'notifications/cancelled', { requestId: 16, reason: 'gone' }),
  notification('py2', 'notifications/cancelled', { requestId: 3, reason: 'timed out after 5.0s' }),
  notification('py1 py2', 'notifications/roots/list_changed'),
  notification('py1', 'notifications/progress', { progressToken: 'a', progress: 1 }),
]

const discovering = (head: Json): Sent => ({ params: { _meta }, head, answer: 'discovered' })

/** Nothing but requests, each with its envelope; a cancellation is a closed connection. */
export const modernMessages: readonly SdkMessage[] = [
  request('ts2-auto', 'server/discover', {
    ...discovering(modern('server/discover')),
    id: 'server-discover-probe-1',
  }),
  request('py2-auto', 'server/discover', discovering(modern('server/discover'))),
  request('ts2-auto py2-auto', 'tools/list', {
    head: modern('tools/list'),
    id: 0,
    params: { _meta },
    answer: 'tools',
  }),
  request('ts2-auto', 'tools/list', {
    head: modern('tools/list'),
    params: { cursor: 'x', _meta },
    answer: invalidCursor,
  }),
  request('ts2-auto', 'tools/call', {
    head: modern('tools/call', name),
    params: { name, _meta },
    answer: 'notes',
  }),
  request('ts2-auto py2-auto', 'tools/call', {
    head: modern('tools/call', 'notes_show'),
    params: { ...show, _meta },
    answer: 'shown',
  }),
  request('ts2-auto py2-auto', 'tools/call', {
    head: modern('tools/call', name),
    id: 4,
    params: { name, arguments: {}, _meta: { ..._meta, progressToken: 4 } },
    answer: 'notes',
  }),
  request('ts2-auto py2-auto', 'prompts/get', {
    status: 404,
    head: modern('prompts/get', 'p'),
    params: { name: 'p', _meta },
    answer: notFound,
  }),
  request('ts2-auto py2-auto', 'resources/read', {
    head: modern('resources/read', 'a:b'),
    params: { uri: 'a:b', _meta },
    answer: { error: { code: -32602, message: 'Resource not found', data: { uri: 'a:b' } } },
  }),
  request('ts2-auto py2-auto', 'completion/complete', {
    status: 404,
    head: modern('completion/complete'),
    params: { ...completion, _meta },
    answer: notFound,
  }),
]
