/** The entrances at which an answer leaves: over HTTP by caller, and at the MCP endpoint in both eras. */
import { parse } from 'yaml'
import type { TestClient } from '../../../../../runtime/testing.ts'

export interface Callers {
  /** A browser that is signed in. */
  readonly session: TestClient
  readonly nobody: TestClient
  /** With a credential of the application's own. */
  readonly key: TestClient
  /** With a token that was issued here. */
  readonly token: TestClient
}

type Caller = keyof Callers

/** What left, by the value that was handed over. */
export interface Leaving {
  readonly entrance: string
  /** All that was sent. */
  readonly sent: string
  /** The answer in it as JSON; null = it has another form. */
  readonly json: string | null
  /** Whether secrets are left out. */
  readonly isDelegated: boolean
}

const callers: readonly Caller[] = ['session', 'nobody', 'key', 'token']

interface Way {
  readonly path: string
  readonly accept?: string
  readonly method?: 'POST'
  readonly status?: number
  /** The answer in what is sent. */
  readonly jsonOf: (body: string) => string | null
}

const asIs = (body: string): string => body
const ofYaml = (body: string): string => JSON.stringify(parse(body, { maxAliasCount: -1 }))
/** A text alone has no quotes there. */
const ofText = (body: string): string => (/^[[{]/.test(body) ? body : JSON.stringify(body))
const noJson = (): null => null

/** Both are of the same value. */
function ofEvents(body: string): string {
  const [first, second, ...more] = body.split('\n\n')
  return first === second && more.join() === '' ? String(first).replace('data: ', '') : `events: ${body}`
}

const ways: readonly Way[] = [
  { path: 'plain', jsonOf: asIs },
  { path: 'later', method: 'POST', jsonOf: asIs },
  { path: 'plain', accept: 'application/yaml', jsonOf: ofYaml },
  { path: 'plain', accept: 'text/plain', jsonOf: ofText },
  { path: 'plain', accept: 'text/csv', jsonOf: noJson },
  { path: 'rendered', status: 202, jsonOf: asIs },
  { path: 'yaml', jsonOf: ofYaml },
  { path: 'events', jsonOf: ofEvents },
  { path: 'failed', status: 404, jsonOf: asIs },
  { path: 'failed', status: 404, accept: 'application/yaml', jsonOf: ofYaml },
  { path: 'closed', status: 409, jsonOf: asIs },
]

/** Over HTTP, by every caller. */
export function overHttp(clients: Callers, base: string): Promise<readonly Leaving[]> {
  const all = ways.flatMap((way) => callers.map((caller) => ({ way, caller })))
  return Promise.all(all.map(({ way, caller }) => leavingByHttp(clients[caller], { base, way, caller })))
}

async function leavingByHttp(
  client: TestClient,
  { base, way, caller }: { readonly base: string; readonly way: Way; readonly caller: Caller },
): Promise<Leaving> {
  const { path, accept = 'application/json', method = 'GET', status = 200, jsonOf } = way
  const entrance = `${method} ${base}/${path} ${accept} by ${caller}`
  const answer = await client.request({ method, url: `/${base}/${path}`, headers: { accept } })
  const { statusCode, body } = answer
  if (statusCode !== status) throw new Error(`${entrance}: ${statusCode} ${body}`)
  return { entrance, sent: body, json: jsonOf(body), isDelegated: caller === 'token' }
}

interface ContentBlock {
  readonly text?: string
}

/** Of a tool call or of the reading of a resource. */
interface McpResult {
  readonly content?: readonly ContentBlock[]
  readonly contents?: readonly ContentBlock[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

type Message = Readonly<Record<string, unknown>>

const toolCall = (name: string, args: Message = {}): Message => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

async function post(client: TestClient, version: string, payload: object, headers = {}): Promise<string> {
  const { body, statusCode } = await client.request({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': version, ...headers },
    payload,
  })
  if (statusCode !== 200) throw new Error(`${JSON.stringify(payload)}: ${statusCode} ${body}`)
  return body
}

function resultOf(body: string): McpResult {
  const data = /^data: (.*)$/m.exec(body)?.[1] ?? body
  const answer = JSON.parse(data)
  const { result } = Array.isArray(answer) ? answer[0] : answer
  if (result === undefined) throw new Error(`no result: ${body}`)
  return result
}

/** A request of revision 2026-07-28. */
export function modern(client: TestClient, name: string, args: Message = {}): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const message = toolCall(name, args)
  const behind: Record<string, unknown> = args.name === undefined ? {} : { 'mcp-param-tool': args.name }
  const headers = { 'mcp-method': 'tools/call', 'mcp-name': name, ...behind }
  return post(client, '2026-07-28', { ...message, params: { ...Object(message.params), _meta } }, headers)
}

const legacy = (client: TestClient, name: string, args: Message = {}): Promise<string> =>
  post(client, '2025-11-25', toolCall(name, args))

const tools = ['plain', 'later', 'rendered', 'yaml', 'failed', 'closed'] as const

/** At the MCP endpoint, where secrets are left out whoever calls. */
export async function overMcp(
  { token }: Callers,
  base: string,
  baseUrl: string,
): Promise<readonly Leaving[]> {
  const eras = { legacy, modern }
  const calls = Object.entries(eras).flatMap(([era, call]) => [
    ...tools.map((tool) => [`${era} ${base}_${tool}`, () => call(token, `${base}_${tool}`)] as const),
    [`${era} call_tool`, () => call(token, 'call_tool', proxied('later'))] as const,
    [`${era} call_read_only`, () => call(token, 'call_read_only', proxied('plain'))] as const,
  ])
  function proxied(tool: string): Message {
    return { name: `${base}_${tool}`, arguments: {} }
  }
  const batch = [toolCall(`${base}_plain`), { ...toolCall(`${base}_failed`), id: 2 }]
  const read = {
    jsonrpc: '2.0',
    id: 1,
    method: 'resources/read',
    params: { uri: `${baseUrl}/${base}/plain` },
  }
  const others = [
    ['batch', () => post(token, '2025-03-26', batch)] as const,
    ['resource', () => post(token, '2025-11-25', read)] as const,
  ]
  const left = await Promise.all(
    [...calls, ...others].map(async ([entrance, call]) => leavingByMcp(entrance, await call())),
  )
  return left.flat()
}

/** Of the text, and of the structured content beside it. */
function leavingByMcp(entrance: string, sent: string): readonly Leaving[] {
  const { content, contents, structuredContent, isError } = resultOf(sent)
  const text = (contents ?? content)?.[0]?.text ?? ''
  const body = isError === true ? text.replace(/^\d{3} [A-Za-z ]*\n*/, '') : text
  const json = entrance.endsWith('_yaml') ? ofYaml(body) : body
  const leaving = { entrance, sent, json, isDelegated: true }
  if (structuredContent === undefined) return [leaving]
  return [leaving, { ...leaving, json: unwrapped(structuredContent) }]
}

/** Clients of 2025-11-25 get in one what need not be an object. No drawn type has such a name. */
function unwrapped(structured: unknown): string {
  const { result } = Object(structured)
  return JSON.stringify(result ?? structured)
}

/** In a list that is cut, and in a page of it. */
export async function inLists({ token }: Callers, base: string): Promise<readonly Leaving[]> {
  const name = `${base}_list`
  const lists = Object.entries({ legacy, modern }).flatMap(([era, call]) => [
    [`${era} cut list`, call(token, name)] as const,
    [`${era} page`, call(token, name, { offset: 1, limit: 1 })] as const,
  ])
  return Promise.all(
    lists.map(async ([entrance, sending]) => {
      const sent = await sending
      return { entrance, sent, json: itemOf(resultOf(sent)), isDelegated: true }
    }),
  )
}

/** All items are of one value. */
function itemOf({ content }: McpResult): string {
  const text = content?.[0]?.text ?? ''
  const items: readonly unknown[] = JSON.parse(text)
  const [first, ...more] = new Set(items.map((item) => JSON.stringify(item)))
  return first === undefined || more.length > 0 ? text : first
}

/** Whether who has the entity tag of one value is told that the other is the same. */
export async function isUnchanged(
  { key }: Callers,
  base: string,
  handOver: { readonly first: () => void; readonly other: () => void },
): Promise<boolean> {
  handOver.first()
  const { etag } = (await key.get(`/${base}/plain`)).headers
  handOver.other()
  const answer = await key.get(`/${base}/plain`, { 'if-none-match': String(etag) })
  return etag !== undefined && answer.statusCode === 304
}
