/** What a message says of itself, with names that are bounded: what a client may invent is no name of a span or of a series. */
import type { ArrivedMessage } from '../../contract/calls.ts'
import { wellKnown } from './names.ts'
import type { Carrier } from './sinks.ts'

/** The tool that is called; of a proxy the one behind it. */
interface CalledTool {
  /** Cut to 64 characters. */
  readonly name: string
  /** Whether there is one. */
  readonly isKnown: boolean
}

export interface MessageFacts {
  readonly requestId: string
  readonly clientAddress: string
  /** `_OTHER` for one that the protocol does not have. */
  readonly method: string
  /** As a text, cut as the others; null for a notification. */
  readonly id: string | null
  readonly isToolCall: boolean
  readonly tool: CalledTool | null
  /** The meta tool through which it is called, else null. */
  readonly proxy: string | null
  /** As sent; undefined where there are none. */
  readonly args: unknown
  readonly prompt: string | null
  readonly isKnownPrompt: boolean
  readonly resourceUri: string | null
  /** Null for an unknown one. */
  readonly protocolVersion: string | null
  readonly meta: Carrier
}

/** What there is: `tools` with the meta tools, those of them that call others, prompts, and methods. */
export interface OfferedNames {
  readonly tools: ReadonlySet<string>
  readonly proxies: ReadonlySet<string>
  readonly prompts: ReadonlySet<string>
  /** Of extensions. */
  readonly methods: ReadonlySet<string>
}

/** Source: MCP 2025-11-25 and 2026-07-28, schema. */
const methods: ReadonlySet<string> = new Set([
  ...['completion/complete', 'initialize', 'logging/setLevel', 'ping', 'server/discover'],
  ...['prompts/get', 'prompts/list', 'tools/call', 'tools/list', 'subscriptions/listen'],
  ...['resources/list', 'resources/read', 'resources/subscribe', 'resources/templates/list'],
  ...['resources/unsubscribe', 'notifications/cancelled', 'notifications/initialized'],
  ...['notifications/progress', 'notifications/roots/list_changed'],
])

const versions: ReadonlySet<string> = new Set([
  ...['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'],
])

const longestText = 64
const longestUri = 1024

export function readFacts({ request, message }: ArrivedMessage, offered: OfferedNames): MessageFacts {
  const method = textOf(message.method) ?? ''
  const params = objectOf(message.params)
  const meta = objectOf(params._meta)
  const isToolCall = method === 'tools/call'
  const { id } = message
  const prompt = method === 'prompts/get' ? textOf(params.name) : null
  return {
    requestId: request.id,
    clientAddress: request.ip,
    method: methods.has(method) || offered.methods.has(method) ? method : wellKnown.other,
    id: typeof id === 'string' || typeof id === 'number' ? cut(String(id)) : null,
    isToolCall,
    ...(isToolCall ? calledTool(params, offered) : noTool),
    prompt: cut(prompt),
    isKnownPrompt: prompt !== null && offered.prompts.has(prompt),
    resourceUri: method.startsWith('resources/') ? cut(textOf(params.uri), longestUri) : null,
    protocolVersion: versionOf(params, meta, request.headers),
    meta,
  }
}

const noTool = { tool: null, proxy: null, args: undefined }

function calledTool(
  params: Carrier,
  { tools, proxies }: OfferedNames,
): Pick<MessageFacts, 'tool' | 'proxy' | 'args'> {
  const name = textOf(params.name)
  if (name === null) return noTool
  const args = objectOf(params.arguments)
  const inner = proxies.has(name) ? textOf(args.name) : null
  if (inner !== null && tools.has(inner))
    return { tool: { name: inner, isKnown: true }, proxy: name, args: args.arguments }
  const shown = name.slice(0, longestText)
  return { tool: { name: shown, isKnown: tools.has(name) }, proxy: null, args: params.arguments }
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** Every request of the revisions since 2026-07-28 says it, before that the headers and `initialize` do. */
function versionOf(params: Carrier, meta: Carrier, headers: Carrier): string | null {
  const said = meta[versionKey] ?? headers['mcp-protocol-version'] ?? params.protocolVersion
  return typeof said === 'string' && versions.has(said) ? said : null
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const cut = (text: string | null, longest = longestText): string | null => text?.slice(0, longest) ?? null

function objectOf(value: unknown): Carrier {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Carrier) : {} // just looked
}
