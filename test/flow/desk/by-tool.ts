/** Calls as tools, by the clients of the official SDK, directly and through the toolboxes' proxies. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { listOf } from '../client-kinds.ts'
import { routes, valueIn } from './by-hand.ts'
import type { Tokens } from './served.ts'
import type { Outcome, Person, Step, Wire } from './walked.ts'

export type Kind = 'v1' | 'v2 modern' | 'v2 legacy'
export type Way = 'directly' | 'through the proxies'

interface ToolClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>
  close(): Promise<void>
}

const info = { name: 'desk test', version: '1' }

/** Signed in with this token. */
export async function connected(kind: Kind, baseUrl: string, token: string): Promise<ToolClient> {
  const endpoint = new URL(`${baseUrl}/mcp`)
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  if (kind === 'v1') {
    const client = new ClientV1(info)
    // exactOptionalPropertyTypes: the class declares `sessionId: string | undefined`
    await client.connect(new TransportV1(endpoint, { requestInit }) as Parameters<ClientV1['connect']>[0])
    return client
  }
  const client = new Client(info, { versionNegotiation: { mode: kind === 'v2 modern' ? 'auto' : 'legacy' } })
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }))
  return client
}

export interface ToolWire {
  readonly wire: Wire
  readonly clientOf: (person: Person) => Promise<ToolClient>
  readonly close: () => Promise<void>
  /** The tools that were called. */
  readonly called: ReadonlySet<string>
}

/** Tools for what is one; what is not, and what nobody calls, goes to `otherwise`. */
export function byTool(
  { kind, way, baseUrl, tokens }: { kind: Kind; way: Way; baseUrl: string; tokens: Tokens },
  noTools: readonly string[],
  otherwise: Wire,
): ToolWire {
  const clients = new Map<Person, Promise<ToolClient>>()
  const called = new Set<string>()
  const clientOf = (person: Person): Promise<ToolClient> => {
    const client = clients.get(person) ?? connected(kind, baseUrl, tokens[person] ?? '')
    clients.set(person, client)
    return client
  }
  const wire: Wire = async (step) => {
    const { who, route, provided } = step
    // a cookie is no argument of a tool
    if (who === 'nobody' || noTools.includes(route) || (route === 'teams.queue' && 'last' in provided))
      return otherwise(step)
    called.add(toolOf(route))
    const client = await clientOf(who)
    return outcomeOf(step, await client.callTool(messageOf(step, way)))
  }
  const close = async (): Promise<void> => {
    for (const client of clients.values()) await (await client).close()
  }
  return { wire, clientOf, close, called }
}

/** The name of the tool of a route. */
export const toolOf = (route: string): string =>
  route.replace('.', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What a tool answers when it is asked for: with that it is all. */
const besideBrief: Readonly<Record<string, readonly string[]>> = {
  'attachments.index': ['ticket', 'digest', 'uploadedBy', 'uploadedAt'],
  'customers.index': ['hasAccount', 'since'],
  'teams.index': ['schedule'],
  'teams.queue': ['body', 'channel', 'tags', 'customer', 'team', 'version', 'changedAt', 'closedAt'],
  'tickets.index': ['body', 'channel', 'tags', 'team', 'version', 'changedAt', 'closedAt'],
}

function messageOf(
  { route, provided }: Step,
  way: Way,
): { name: string; arguments: Record<string, unknown> } {
  const { version, ...others } = provided
  const named = version === undefined ? provided : { ...others, if_match: version }
  const text = JSON.stringify(named, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  const fields = besideBrief[route]
  const args = { ...JSON.parse(text), ...(fields === undefined ? {} : { fields }) }
  const call = { name: toolOf(route), arguments: args }
  if (way === 'directly') return call
  return { name: routes[route]?.[0] === 'GET' ? 'call_read_only' : 'call_tool', arguments: call }
}

interface ToolAnswer {
  readonly isError?: boolean
  readonly structuredContent?: unknown
  readonly content: readonly Content[]
}

interface Content {
  readonly type: string
  readonly text?: string
  readonly data?: string
}

function outcomeOf({ route, status }: Step, result: object): Outcome {
  const { isError, structuredContent, content } = result as ToolAnswer // a CallToolResult
  const text = content[0]?.text ?? ''
  if (isError === true) {
    const [first = '', body = ''] = text.split('\n')
    return { status: Number.parseInt(first, 10), data: valueIn(route, body || 'null') }
  }
  if (structuredContent !== undefined)
    return { status, data: valueIn(route, JSON.stringify(listOf(structuredContent))) }
  if (content[0]?.data !== undefined) return { status, data: `base64,${content[0].data}` }
  const empty = /^204 /.exec(text)
  return { status: empty === null ? status : 204, data: empty === null ? text : undefined }
}
