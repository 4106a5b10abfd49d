/** What `npm run bench:mcp` asks, and whether the answer is right. */
import type { Started } from './mcp-process.ts'

/** One kind of request to one server. */
export interface Requested extends Started {
  readonly name: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Null: it is a GET. */
  readonly body: string | null
  /** Whether an answer is right, where it is not that of the note. */
  readonly isRight?: (said: Said) => boolean
}

/** The same with the body of its answer. */
export interface Target extends Requested {
  readonly answer: string
}

type Asking = Pick<Requested, 'path' | 'headers' | 'body' | 'isRight'>

const note = {
  title: 'A note of the bench',
  text: 'Some text that a model has written, about a line long.',
  tags: ['a', 'b'],
}
const stored = {
  id: 'note_0123456789',
  ...note,
  createdAt: '2026-07-28T12:00:00.000Z',
  pinned: false,
}
const bearer = { authorization: 'Bearer bench', 'content-type': 'application/json' }
const accept = { ...bearer, accept: 'application/json, text/event-stream' }
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const modern = (method: string): Readonly<Record<string, string>> => ({
  ...accept,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
})
const rpc = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const call = { name: 'notes_create', arguments: note }

/** The route itself. */
export const routeCall = (path: string): Asking => ({ path, headers: bearer, body: JSON.stringify(note) })

/** A call of the `initialize` revisions. */
export const legacyCall: Asking = { path: '/mcp', headers: accept, body: rpc('tools/call', call) }

/** A call of 2026-07-28. */
export const modernCall: Asking = {
  path: '/mcp',
  headers: { ...modern('tools/call'), 'mcp-name': call.name },
  body: rpc('tools/call', { ...call, _meta }),
}

/** The same note as a resource. */
export const resourceRead: Asking = {
  path: '/mcp',
  headers: { ...modern('resources/read'), 'mcp-name': `notes://${stored.id}` },
  body: rpc('resources/read', { uri: `notes://${stored.id}`, _meta }),
  isRight: ({ result }) => isNote(JSON.parse(result?.contents?.[0]?.text ?? '{}')),
}

/** A route that only answers with it. */
export const routeRead = (path: string): Asking => ({
  path: `${path}${stored.id}`,
  headers: bearer,
  body: null,
})

/** The flat list of all tools. */
export const listOfAll: Asking = {
  path: '/mcp?toolboxes=all',
  headers: modern('tools/list'),
  body: rpc('tools/list', { _meta }),
}

/** What a client with `token` asks the help desk. */
export function deskRequests(
  token: string,
): Readonly<Record<'route' | 'legacy' | 'modern' | 'list', Asking>> {
  const own = { authorization: `Bearer ${token}` }
  const show = { name: 'tickets_show', arguments: { number: 1 } }
  const isRight = ({ number, result }: Said): boolean =>
    (number ?? JSON.parse(result?.content?.[0]?.text ?? '{}').number) === 1
  return {
    route: { path: '/api/tickets/1', headers: own, body: null, isRight },
    legacy: { path: '/mcp', headers: { ...accept, ...own }, body: rpc('tools/call', show), isRight },
    modern: {
      path: '/mcp',
      headers: { ...modern('tools/call'), 'mcp-name': show.name, ...own },
      body: rpc('tools/call', { ...show, _meta }),
      isRight,
    },
    list: {
      path: '/mcp?toolboxes=all',
      headers: { ...modern('tools/list'), ...own },
      body: rpc('tools/list', { _meta }),
      isRight: ({ result }) => (result?.tools?.length ?? 0) >= 30,
    },
  }
}

/** Begins a session; a legacy call in it. */
export async function openSession({ port }: Started): Promise<Asking> {
  const clientInfo = { name: 'bench', version: '1' }
  const begin = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const url = `http://127.0.0.1:${port}/mcp`
  const begun = await fetch(url, { method: 'POST', headers: accept, body: rpc('initialize', begin) })
  await begun.text()
  const session = begun.headers.get('mcp-session-id')
  if (session === null) throw new Error(`${url} began no session`)
  const headers = { ...accept, 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }
  const ready = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
  await (await fetch(url, { method: 'POST', headers, body: ready })).text()
  return { ...legacyCall, headers }
}

/** The body of the answer. Throws unless it is what the route answers, or a list of a thousand tools. */
export async function checkedAnswer(requested: Requested): Promise<string> {
  const { name, port, path, headers, body, isRight = isNote } = requested
  const method = body === null ? 'GET' : 'POST'
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body })
  const text = await answer.text()
  if (!answer.ok || !isRight(JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)))
    throw new Error(`${name} answered ${answer.status}: ${text.slice(0, 500)}`)
  return text
}

interface Said {
  readonly number?: number
  readonly result?: {
    readonly content?: readonly { readonly text: string }[]
    readonly tools?: readonly unknown[]
    readonly contents?: readonly { readonly text: string }[]
  }
}

function isNote(said: Said): boolean {
  const { content, tools } = said.result ?? {}
  if (tools !== undefined) return tools.length >= 1000
  const made = content === undefined ? said : JSON.parse(content[0]?.text ?? '')
  const isSame = (name: string): boolean =>
    JSON.stringify(Reflect.get(made, name)) === JSON.stringify(Reflect.get(stored, name))
  return Object.keys(stored).every(isSame)
}
