import { STATUS_CODES } from 'node:http'
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { ToolEntry } from '../../contract/mcp.ts'
import { asUtf8, essence, isJsonType, isTextType } from '../../http/input/media-type.ts'
import { toolContentType } from '../../http/output/tool-result.ts'
import { wellFormedJson } from '../protocol/well-formed.ts'
import type { AnsweredCall } from './answered-call.ts'
import { inBrief } from './brief.ts'
import { cutText } from './cut.ts'
import { linkInstead, pageNote, sizedBlocks, sizedText } from './sized-answer.ts'
import { untrustedMeta } from './untrusted.ts'
import { resourceUri } from './whole-answer.ts'

/** What a tool returns. `json` is the JSON text of a route, both text and structured content; `note` is a further text, about the
 *  next page, `_meta` that of the text. */
export type ToolContents =
  | {
      readonly kind: 'json'
      readonly text: string
      readonly note?: string
      readonly _meta?: Record<string, unknown>
    }
  | { readonly kind: 'result'; readonly result: CallToolResult }

/** A tool result that the model reads as a failure. */
export const failure = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
})

const jsonBody = 'application/json; charset=utf-8'

/** What a route answered, as a tool result: JSON as text and structured content, text as text, audio and the images that models see as
 *  blocks, other bytes as an embedded resource; 4xx and 5xx are errors that start with the status, 5xx without details
 *  in production. A streamed body is read up to the limit. Source: rules.md, results; MCP 2025-11-25, Tools, tool result. */
export function toContents(answer: HttpResponse, call: AnsweredCall): MaybePromise<ToolContents> {
  const { brief } = call.settings
  const isBrief = brief !== null && answer.status < 300 && isJson(answer)
  const outcome = inUnicode(isBrief ? inBrief(answer, call.args, brief) : answer)
  const { status, headers, body } = outcome
  const isOwn = typeof body === 'string' && headers['content-type'] === jsonBody
  const { answerChars, paging, tool } = call.settings
  if (!isOwn || status >= 300 || body.length > answerChars) return mapped(outcome, call)
  const isPaged = paging !== null || headers.link !== undefined
  const note = isPaged ? pageNote(() => JSON.parse(body), headers, call) : null
  return { kind: 'json', text: body, ...(note === null ? {} : { note }), ...untrustedMeta(tool) }
}

const isJson = (answer: HttpResponse): boolean =>
  answer.headers['content-type'] === jsonBody || isJsonType(contentType(answer))

/** JSON is quoted as it is: what is no Unicode in it would stand in the text of the answer. */
function inUnicode(answer: HttpResponse): HttpResponse {
  const { body } = answer
  if (typeof body !== 'string' || !isJson(answer)) return answer
  const formed = wellFormedJson(body)
  return formed === body ? answer : { ...answer, body: formed }
}

function unicodeBytes(bytes: Buffer): Buffer {
  if (!bytes.includes('\\ud') && !bytes.includes('\\uD')) return bytes
  return Buffer.from(wellFormedJson(bytes.toString()))
}

/** The result as MCP spells it. */
export function toToolResult(contents: ToolContents): CallToolResult {
  if (contents.kind === 'result') return contents.result
  const { kind: _kind, note, ...block } = contents
  const further = note === undefined ? [] : textResult(note).content
  return { content: [{ type: 'text', ...block }, ...further], structuredContent: JSON.parse(block.text) }
}

async function mapped(outcome: HttpResponse, call: AnsweredCall): Promise<ToolContents> {
  const { bytes, isWhole } = await readBody(outcome, call.settings.answerBytes)
  const type = contentType(outcome)
  const content: Content = { type, bytes: isJsonType(type) ? unicodeBytes(bytes) : bytes, isWhole }
  return { kind: 'result', result: await resultOf(outcome, content, call) }
}

function resultOf(outcome: HttpResponse, content: Content, call: AnsweredCall): MaybePromise<CallToolResult> {
  const { bytes, isWhole } = content
  if (outcome.status >= 400) return refused(outcome, content, call)
  if (outcome.status >= 300) return textResult(lines(statusLine(outcome), headerLine(outcome, 'location')))
  if (bytes.length === 0) return textResult(statusLine(outcome))
  if (outcome.headers['content-type'] === toolContentType && isWhole) {
    return { content: sizedBlocks(JSON.parse(bytes.toString()), call.settings) } // `toolResult` made it
  }
  return succeeded(outcome, content, call)
}

/** The bytes of an answer, as far as they were read. */
interface ReadBody {
  readonly bytes: Buffer
  readonly isWhole: boolean
}

const whole = (bytes: Buffer): ReadBody => ({ bytes, isWhole: true })

type Bodied = Pick<HttpResponse, 'headers' | 'body' | 'isCut'>

/** The body of an outcome, text as UTF-8; of a stream no more than about `maxBytes`. */
async function readBody(outcome: Bodied, maxBytes: number): Promise<ReadBody> {
  const { bytes, isWhole } = await readBytes(outcome, maxBytes)
  const type = outcome.headers['content-type']
  const isEncoded = typeof type === 'string' && typeof outcome.body !== 'string'
  return { bytes: isEncoded ? asUtf8(bytes, type, isWhole) : bytes, isWhole }
}

async function readBytes({ body, isCut = false }: Bodied, maxBytes: number): Promise<ReadBody> {
  if (body === null) return whole(Buffer.alloc(0))
  if (typeof body === 'string') return whole(Buffer.from(body))
  if (body instanceof Uint8Array) {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    return { bytes, isWhole: !isCut }
  }
  if (!(body instanceof ReadableStream)) throw new Error('a route answered with an endless body')
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) return { bytes: Buffer.concat(chunks), isWhole: false } // leaving the loop cancels the stream
  }
  return whole(Buffer.concat(chunks))
}

/** The body where nothing may be cut; null when it is larger than what is sent at once. */
export async function wholeBody(outcome: Bodied, { settings }: AnsweredCall): Promise<Buffer | null> {
  const { bytes, isWhole } = await readBody(outcome, settings.answerBytes)
  return isWhole && bytes.length <= settings.answerBytes ? bytes : null
}

/** What is answered in place of such a body. */
export function tooLargeToSend(call: AnsweredCall): MaybePromise<ToolContents> {
  const body = `larger than the ${call.settings.answerBytes} bytes that are sent at once`
  return toContents({ status: 413, headers: { 'content-type': 'text/plain' }, body }, call)
}

interface Content extends ReadBody {
  /** The media type without parameters, lower case. */
  readonly type: string
}

/** The images that clients hand to models: of another type the APIs of Anthropic and OpenAI refuse the whole request. */
const seenImages: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

function succeeded(
  { headers }: HttpResponse,
  content: Content,
  call: AnsweredCall,
): MaybePromise<CallToolResult> {
  const { type: mimeType, bytes, isWhole } = content
  const left = { mimeType, bytes: isWhole ? bytes.length : null, headers }
  const { structuredContent: value } = isWhole ? structured(content) : {}
  if (isTextType(mimeType) && (isWhole || !isJsonType(mimeType))) {
    return sizedText({ text: textOf(content), value, left }, call)
  }
  if (!isWhole || bytes.length > call.settings.answerBytes) return linkInstead(left, call)
  const data = bytes.toString('base64')
  if (seenImages.has(mimeType)) return { content: [{ type: 'image', data, mimeType }] }
  if (mimeType.startsWith('audio/')) return { content: [{ type: 'audio', data, mimeType }] }
  const uri = resourceUri(call) ?? call.settings.baseUrl + call.url
  return { content: [{ type: 'resource', resource: { uri, mimeType, blob: data } }] }
}

/** What was not read to its end may end within a character. */
const textOf = ({ bytes, isWhole }: Content): string =>
  isWhole ? bytes.toString() : new TextDecoder().decode(bytes, { stream: true })

function refused(outcome: HttpResponse, content: Content, call: AnsweredCall): CallToolResult {
  const { answerChars, production, tool } = call.settings
  const head = lines(statusLine(outcome), headerLine(outcome, 'retry-after'))
  const text = bodyText(content)
  if (outcome.status >= 500 && production && outcome.refusedBy?.kind !== 'outage')
    return failure(lines(head, 'internal error'))
  const body = content.isWhole ? cutText(text, answerChars) : `(a long ${content.type})`
  const cut = text.length > body.length ? `(the first ${body.length} of ${text.length} characters)` : ''
  const result = failure(lines(head, body, cut, call.why, schemaLine(outcome.status, tool)))
  // Structured content next to an output schema would have to match that schema.
  const isStructured = tool.outputSchema === null && content.isWhole && cut === ''
  return isStructured ? { ...result, ...structured(content) } : result
}

/** What a tool says that was called with arguments it does not take. */
export const wrongArguments = (why: string, tool: Pick<ToolEntry, 'name' | 'inputSchema'>): string =>
  lines('400 Bad Request', why, schemaOf(tool))

/** Wrong arguments are told with the schema, so that the model can call again without asking for it. */
const schemaLine = (status: number, tool: AnsweredCall['settings']['tool']): string =>
  status === 400 || status === 422 ? schemaOf(tool) : ''

const schemaOf = ({ name, inputSchema }: Pick<ToolEntry, 'name' | 'inputSchema'>): string =>
  `Input schema of ${name}: ${JSON.stringify(inputSchema)}`

/** An error page is made for eyes. */
const pageType = /^(?:text\/html|application\/xhtml\+xml)$/

function bodyText({ type, bytes }: Content): string {
  if (pageType.test(type)) return `(a page of ${type})`
  if (isTextType(type)) return bytes.toString()
  return bytes.length === 0 ? '' : `(${bytes.length} bytes of ${type})`
}

/** Bytes of which JSON can be so deep that it is read but cannot be written. */
const canBeTooDeep = 2_000

function structured({ type, bytes }: Content): Pick<CallToolResult, 'structuredContent'> {
  if (!isJsonType(type)) return {}
  try {
    const structuredContent = JSON.parse(bytes.toString())
    if (bytes.length > canBeTooDeep) JSON.stringify(structuredContent)
    return { structuredContent }
  } catch {
    return {} // The text block still holds what the route sent.
  }
}

const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] })

const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

export const statusLine = ({ status }: Pick<HttpResponse, 'status'>): string =>
  `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()

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
