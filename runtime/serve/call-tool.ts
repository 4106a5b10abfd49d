/** One tool call at the MCP endpoint of an application in this process, as a client of revision 2025-11-25 makes it. */
import type { DevelopmentApp } from './development.ts'

/** Source: MCP, tools/call. */
export interface CallToolResult {
  readonly content: readonly Content[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** What there is depends on the type. */
export interface Content {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly mimeType?: string
  readonly uri?: string
}

/** `refused`: no tool ran, and why. */
export type CallOutcome =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  | { readonly kind: 'refused'; readonly why: string }

interface Call {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** The access token. */
  readonly bearer: string
}

/** Calls it through the whole pipeline: authentication, limits, filters, action, handlers. */
export async function callTool(
  { application: { server, mcpPath }, baseUrl }: DevelopmentApp,
  { tool, args, bearer }: Call,
): Promise<CallOutcome> {
  const { statusCode, headers, body } = await server.inject({
    method: 'POST',
    url: mcpPath,
    headers: {
      host: new URL(baseUrl).host,
      authorization: `Bearer ${bearer}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } },
  })
  const isStream = String(headers['content-type']).startsWith('text/event-stream')
  const message = jsonOf(isStream ? lastEvent(body) : body)
  if (message?.result !== undefined) return { kind: 'result', result: message.result }
  const why = message?.error?.message ?? `status ${statusCode} ${body}`
  return { kind: 'refused', why: why + neededBy(String(headers['www-authenticate'])) }
}

/** The scopes that a challenge names. Source: RFC 6750, 3. */
function neededBy(challenge: string): string {
  const needed = /error="insufficient_scope", scope="([^"]+)"/.exec(challenge)?.[1]
  return needed === undefined ? '' : `; it needs --scope "${needed}"`
}

interface Message {
  readonly result?: CallToolResult
  readonly error?: { readonly message?: string }
}

/** What the endpoint of this package answers is a message of JSON-RPC; what a plugin answers may be anything. */
function jsonOf(text: string): Message | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The response is the last message of its stream. Source: MCP 2025-11-25, Streamable HTTP. */
const lastEvent = (body: string): string => [...body.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1] ?? ''
