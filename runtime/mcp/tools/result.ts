import { STATUS_CODES } from 'node:http'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { ToolEntry } from '../../contract/mcp.ts'
import { essence } from '../../http/input/media-type.ts'
import { toolContentType } from '../../http/output/tool-result.ts'
import { cutAtItems, linkInstead } from './truncate-result.ts'

/** The call that an outcome answers: `address` is the absolute URL of what was called, without the query. */
export interface AnsweredCall {
  readonly tool: Pick<ToolEntry, 'name' | 'inputSchema' | 'outputSchema' | 'arguments' | 'hints'>
  readonly address: string
  readonly production: boolean
  /** How long an answer of text may be; bytes may be `blobBytes`. */
  readonly answerChars: number
  /** A sentence about a refusal that its body does not hold, or empty. */
  readonly why: string
}

/** What a tool returns. `json` is the JSON text of a route, both text and structured content. */
export type ToolContents =
  | { readonly kind: 'json'; readonly text: string }
  | { readonly kind: 'result'; readonly result: CallToolResult }

/** Above this, images, audio and other bytes become a link. */
const blobBytes = 4 * 1024 * 1024

/** A tool result that the model reads as a failure. */
export const failure = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
})

const jsonBody = 'application/json; charset=utf-8'

/** What a route answered, as a tool result: JSON as text and structured content, text as text, images and audio as
 *  blocks, other bytes as an embedded resource; 4xx and 5xx are errors that start with the status, 5xx without details
 *  in production. A streamed body is read up to the limit. Source: reference/mcp.md, section 7; MCP, Tools, tool
 *  result. */
export function toContents(outcome: HttpResponse, call: AnsweredCall): MaybePromise<ToolContents> {
  const { status, headers, body } = outcome
  const isJson = typeof body === 'string' && headers['content-type'] === jsonBody
  if (isJson && status < 300 && body.length <= call.answerChars) return { kind: 'json', text: body }
  return mapped(outcome, call)
}

/** The result as MCP spells it. */
export function toToolResult(contents: ToolContents): CallToolResult {
  if (contents.kind === 'result') return contents.result
  return { ...textResult(contents.text), structuredContent: JSON.parse(contents.text) }
}

async function mapped(outcome: HttpResponse, call: AnsweredCall): Promise<ToolContents> {
  const content: Content = { type: contentType(outcome), bytes: await readBody(outcome.body) }
  return { kind: 'result', result: resultOf(outcome, content, call) }
}

function resultOf(outcome: HttpResponse, content: Content, call: AnsweredCall): CallToolResult {
  if (outcome.status >= 400) return refused(outcome, content, call)
  if (outcome.status >= 300) return textResult(lines(statusLine(outcome), headerLine(outcome, 'location')))
  if (content.bytes === null) return linkInstead(`more than ${blobBytes} bytes`, content.type, call)
  if (content.bytes.length === 0) return textResult(statusLine(outcome))
  if (outcome.headers['content-type'] === toolContentType) {
    return { content: JSON.parse(content.bytes.toString()) } // `toolResult` made it
  }
  return succeeded({ type: content.type, bytes: content.bytes }, call)
}

/** The body of an outcome as a whole; null when it is longer than any answer may be. */
export async function readBody(body: HttpResponse['body']): Promise<Buffer | null> {
  if (body === null) return Buffer.alloc(0)
  if (typeof body === 'string') return Buffer.from(body)
  if (body instanceof Uint8Array) return body.length > blobBytes ? null : Buffer.from(body)
  if (!(body instanceof ReadableStream)) throw new Error('a route answered with an endless body')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > blobBytes) return null // leaving the loop cancels the stream
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

interface Content {
  /** The media type without parameters, lower case. */
  readonly type: string
  readonly bytes: Buffer | null
}

interface Read extends Content {
  readonly bytes: Buffer
}

const jsonType = /^application\/(?:[^\s;]+\+)?json$/
const textType =
  /^(?:text\/.+|application\/(?:[^\s;]+\+)?(?:xml|yaml)|application\/(?:javascript|x-www-form-urlencoded))$/

export const isTextType = (type: string): boolean => jsonType.test(type) || textType.test(type)

function succeeded(content: Read, call: AnsweredCall): CallToolResult {
  if (isTextType(content.type)) return textual(content, call)
  const data = content.bytes.toString('base64')
  const mimeType = content.type
  if (mimeType.startsWith('image/')) return { content: [{ type: 'image', data, mimeType }] }
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data, mimeType }] }
  return { content: [{ type: 'resource', resource: { uri: call.address, mimeType, blob: data } }] }
}

function textual(content: Read, call: AnsweredCall): CallToolResult {
  const text = content.bytes.toString()
  const value = structured(content)
  if (text.length <= call.answerChars) return { ...textResult(text), ...value }
  const cut = 'structuredContent' in value ? cutAtItems(text, call) : null
  return cut ?? linkInstead(`${text.length} characters`, content.type, call)
}

function refused(outcome: HttpResponse, content: Content, call: AnsweredCall): CallToolResult {
  const head = lines(statusLine(outcome), headerLine(outcome, 'retry-after'))
  if (outcome.status >= 500 && call.production) return failure(lines(head, 'internal error'))
  const fits = content.bytes !== null && content.bytes.length <= call.answerChars
  const body = fits ? bodyText({ type: content.type, bytes: content.bytes }) : `(a long ${content.type})`
  const result = failure(lines(head, body, call.why, schemaLine(outcome.status, call)))
  // Structured content next to an output schema would have to match that schema.
  return call.tool.outputSchema === null && fits ? { ...result, ...structured(content) } : result
}

/** What a tool says that was called with arguments it does not take. */
export const wrongArguments = (why: string, tool: Pick<ToolEntry, 'name' | 'inputSchema'>): string =>
  lines('400 Bad Request', why, schemaOf(tool))

/** Wrong arguments are told with the schema, so that the model can call again without asking for it. */
const schemaLine = (status: number, { tool }: AnsweredCall): string =>
  status === 400 || status === 422 ? schemaOf(tool) : ''

const schemaOf = ({ name, inputSchema }: Pick<ToolEntry, 'name' | 'inputSchema'>): string =>
  `Input schema of ${name}: ${JSON.stringify(inputSchema)}`

/** An error page is made for eyes. */
const pageType = /^(?:text\/html|application\/xhtml\+xml)$/

function bodyText({ type, bytes }: Read): string {
  if (pageType.test(type)) return `(a page of ${type})`
  if (isTextType(type)) return bytes.toString()
  return bytes.length === 0 ? '' : `(${bytes.length} bytes of ${type})`
}

function structured({ type, bytes }: Content): Pick<CallToolResult, 'structuredContent'> {
  if (!jsonType.test(type) || bytes === null) return {}
  try {
    return { structuredContent: JSON.parse(bytes.toString()) }
  } catch {
    return {} // The text block still holds what the route sent.
  }
}

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

const statusLine = ({ status }: HttpResponse): string => `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()

function headerLine({ headers }: HttpResponse, name: 'location' | 'retry-after'): string {
  const label = name === 'location' ? 'Location' : 'Retry-After'
  return headers[name] === undefined ? '' : `${label}: ${headers[name]}`
}

/** Where it leads, absolute; null = it says nothing. Source: RFC 9110, 10.2.2. */
export function locationOf({ headers }: HttpResponse, base: string): string | null {
  const location = String(headers.location ?? '')
  return location !== '' && URL.canParse(location, base) ? new URL(location, base).href : null
}

export function contentType({ headers, body }: HttpResponse): string {
  const fallback = typeof body === 'string' ? 'text/plain' : 'application/octet-stream'
  return essence(String(headers['content-type'] ?? fallback))
}
