import { STATUS_CODES } from 'node:http'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Outcome, ToolEntry } from '../contract.ts'

/** The call that an outcome answers: `address` is the absolute URL of what was called, without the query. */
export interface AnsweredCall {
  readonly tool: Pick<ToolEntry, 'name' | 'inputSchema' | 'outputSchema'>
  readonly address: string
  readonly production: boolean
}

/** A tool result that the model reads as a failure. */
export const failure = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
})

/** What a route answered, as a tool result: JSON as text and structured content, text as text, images and audio as
 *  blocks, other bytes as an embedded resource; 4xx and 5xx are errors that start with the status, 5xx without details
 *  in production. Reads a streamed body to its end. Source: reference/mcp.md, section 7; MCP, Tools, tool result. */
export async function toToolResult(outcome: Outcome, call: AnsweredCall): Promise<CallToolResult> {
  const content: Content = { type: contentType(outcome), bytes: await readBody(outcome.body) }
  if (outcome.status >= 400) return refused(outcome, content, call)
  if (outcome.status >= 300) return textResult(lines(statusLine(outcome), headerLine(outcome, 'location')))
  if (content.bytes.length === 0) return textResult(statusLine(outcome))
  return succeeded(content, call)
}

/** The body of an outcome as a whole. */
export async function readBody(body: Outcome['body']): Promise<Buffer> {
  if (body === null) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(await new Response(body).arrayBuffer())
}

interface Content {
  /** The media type without parameters, lower case. */
  readonly type: string
  readonly bytes: Buffer
}

const jsonType = /^application\/(?:[^\s;]+\+)?json$/
const textType =
  /^(?:text\/.+|application\/(?:[^\s;]+\+)?(?:xml|yaml)|application\/(?:javascript|x-www-form-urlencoded))$/

function succeeded(content: Content, call: AnsweredCall): CallToolResult {
  if (jsonType.test(content.type)) return { ...textResult(content.bytes.toString()), ...structured(content) }
  if (textType.test(content.type)) return textResult(content.bytes.toString())
  const data = content.bytes.toString('base64')
  const mimeType = content.type
  if (mimeType.startsWith('image/')) return { content: [{ type: 'image', data, mimeType }] }
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data, mimeType }] }
  return { content: [{ type: 'resource', resource: { uri: call.address, mimeType, blob: data } }] }
}

function refused(outcome: Outcome, content: Content, call: AnsweredCall): CallToolResult {
  const head = lines(statusLine(outcome), headerLine(outcome, 'retry-after'))
  if (outcome.status >= 500 && call.production) return failure(lines(head, 'internal error'))
  const result = failure(lines(head, bodyText(content), schemaLine(outcome.status, call)))
  // Structured content next to an output schema would have to match that schema.
  return call.tool.outputSchema === null ? { ...result, ...structured(content) } : result
}

/** Wrong arguments are told with the schema, so that the model can call again without asking for it. */
const schemaLine = (status: number, { tool }: AnsweredCall): string =>
  status === 400 || status === 422 ? `Input schema of ${tool.name}: ${JSON.stringify(tool.inputSchema)}` : ''

function bodyText({ type, bytes }: Content): string {
  if (jsonType.test(type) || textType.test(type)) return bytes.toString()
  return bytes.length === 0 ? '' : `(${bytes.length} bytes of ${type})`
}

function structured({ type, bytes }: Content): Pick<CallToolResult, 'structuredContent'> {
  if (!jsonType.test(type)) return {}
  try {
    return { structuredContent: JSON.parse(bytes.toString()) }
  } catch {
    return {} // The text block still holds what the route sent.
  }
}

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

const statusLine = ({ status }: Outcome): string => `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()

function headerLine({ headers }: Outcome, name: 'location' | 'retry-after'): string {
  const label = name === 'location' ? 'Location' : 'Retry-After'
  return headers[name] === undefined ? '' : `${label}: ${headers[name]}`
}

function contentType({ headers, body }: Outcome): string {
  const fallback = typeof body === 'string' ? 'text/plain' : 'application/octet-stream'
  return (
    String(headers['content-type'] ?? fallback)
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? fallback
  )
}
