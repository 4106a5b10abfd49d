/** One request to the MCP endpoint of an application in this process, as a client of revision 2025-11-25 sends it. */
import type { DevelopmentApp } from './development.ts'

/** Source: MCP 2025-11-25, tools/call. */
export interface CallToolResult {
  readonly content: readonly Content[]
  readonly structuredContent?: unknown
  readonly isError?: boolean
}

/** Source: MCP 2025-11-25, prompts/get. */
export interface GetPromptResult {
  readonly messages: readonly { readonly role: string; readonly content: Content }[]
}

/** Source: MCP 2025-11-25, resources/read. */
export interface ReadResourceResult {
  readonly contents: readonly ResourceContent[]
}

/** What there is depends on the type. */
export interface Content {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly mimeType?: string
  readonly uri?: string
  readonly resource?: ResourceContent
}

/** A text or bytes in base64. */
export interface ResourceContent {
  readonly uri: string
  readonly mimeType?: string
  readonly text?: string
  readonly blob?: string
}

/** What each method answers. */
export interface McpResults {
  readonly 'tools/call': CallToolResult
  readonly 'prompts/get': GetPromptResult
  readonly 'resources/read': ReadResourceResult
}

/** `refused`: nothing ran, or it came to nothing, and why. */
export type Outcome<Method extends keyof McpResults> =
  | { readonly kind: 'result'; readonly result: McpResults[Method] }
  | { readonly kind: 'refused'; readonly why: string }

export interface McpQuery<Method extends keyof McpResults> {
  readonly method: Method
  readonly params: Readonly<Record<string, unknown>>
}

/** Asks through the whole pipeline: authentication, limits, filters, action, handlers. `bearer` is an access token. */
export async function askEndpoint<Method extends keyof McpResults>(
  { application: { server, mcpPath }, baseUrl }: DevelopmentApp,
  { method, params }: McpQuery<Method>,
  bearer: string,
): Promise<Outcome<Method>> {
  const { statusCode, headers, body } = await server.inject({
    method: 'POST',
    url: mcpPath,
    headers: {
      host: new URL(baseUrl).host,
      authorization: `Bearer ${bearer}`,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    payload: { jsonrpc: '2.0', id: 1, method, params },
  })
  const isStream = String(headers['content-type']).startsWith('text/event-stream')
  const message = jsonOf<McpResults[Method]>(isStream ? lastEvent(body) : body)
  if (message?.result !== undefined) return { kind: 'result', result: message.result }
  const why = message?.error?.message ?? `status ${statusCode} ${body}`
  return { kind: 'refused', why: why + neededBy(String(headers['www-authenticate'])) }
}

/** The scopes that a challenge names. Source: RFC 6750, 3. */
function neededBy(challenge: string): string {
  const needed = /error="insufficient_scope", scope="([^"]+)"/.exec(challenge)?.[1]
  return needed === undefined ? '' : `; it needs --scope "${needed}"`
}

interface Message<Result> {
  readonly result?: Result
  readonly error?: { readonly message?: string }
}

/** What the endpoint of this package answers is a message of JSON-RPC; what a plugin answers may be anything. */
function jsonOf<Result>(text: string): Message<Result> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The response is the last message of its stream. Source: MCP 2025-11-25, Streamable HTTP. */
const lastEvent = (body: string): string => [...body.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1] ?? ''
