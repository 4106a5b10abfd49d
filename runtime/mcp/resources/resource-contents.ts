/** What a route answered, as the contents of a resource. */
import type { HttpResponse } from '../../contract/http.ts'
import { isJsonType, isTextType } from '../../http/input/media-type.ts'
import { entityTag } from '../../http/output/conditional.ts'
import { contentType, type ToolContents, toContents, tooLargeToSend, wholeBody } from '../answers/result.ts'
import { wellFormedJson } from '../protocol/well-formed.ts'

/** What was read at an address, and how long it holds. */
export interface ReadContent {
  /** `mimeType`, and `text` or `blob`. */
  readonly content: object
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** A `ReadContent`: text by the answer's content type, else bytes as base64; a client may keep it as long as the answer's
 *  `Cache-Control` says. What is no success is told as of a tool. Source: MCP 2025-11-25, Resources, reading; MCP 2026-07-28, caching. */
export const resourceContents: typeof toContents = (outcome, call) => {
  if (outcome.status >= 300) return toContents(outcome, call)
  const { body } = outcome
  const mimeType = contentType(outcome)
  const isText = isTextType(mimeType)
  if (typeof body === 'string' && isText && Buffer.byteLength(body) <= call.settings.answerBytes)
    return contentsOf(outcome, { mimeType, value: { text: textIn(body, mimeType) }, body })
  return wholeBody(outcome, call).then((bytes) => {
    if (bytes === null) return tooLargeToSend(call)
    const value = isText ? { text: textIn(bytes.toString(), mimeType) } : { blob: bytes.toString('base64') }
    return contentsOf(outcome, { mimeType, value, body: bytes })
  })
}

const textIn = (text: string, type: string): string => (isJsonType(type) ? wellFormedJson(text) : text)

/** What `resourceContents` made of a success, else null. */
export function readContentIn(contents: ToolContents): ReadContent | null {
  if (contents.kind === 'json' || contents.result.isError === true) return null
  const { structuredContent } = contents.result
  return structuredContent === undefined ? null : (structuredContent as unknown as ReadContent) // no other success has one
}

interface Read {
  readonly mimeType: string
  readonly value: object
  readonly body: string | Uint8Array
}

/** Not as JSON yet: the whole answer is written at once. */
function contentsOf(outcome: HttpResponse, { mimeType, value, body }: Read): ToolContents {
  const { headers } = outcome
  const etag = typeof headers.etag === 'string' ? headers.etag : entityTag(body)
  const content = { mimeType, ...modifiedAt(headers), _meta: { etag }, ...value }
  const { ttlMs, cacheScope } = cacheOf(headers)
  return { kind: 'result', result: { content: [], structuredContent: { content, ttlMs, cacheScope } } }
}

const stale = { ttlMs: 0, cacheScope: 'private' } as const

function modifiedAt({ 'last-modified': modified }: HttpResponse['headers']): object {
  if (typeof modified !== 'string') return {}
  const at = new Date(modified)
  return Number.isNaN(at.getTime()) ? {} : { annotations: { lastModified: at.toISOString() } }
}

/** Without a word it is stale at once, and for this client alone. Source: RFC 9111, 5.2.2. */
function cacheOf({ 'cache-control': cacheControl }: HttpResponse['headers']): Omit<ReadContent, 'content'> {
  if (cacheControl === undefined) return stale
  const said = String(cacheControl).toLowerCase()
  const seconds = /\bno-(?:store|cache)\b/.test(said)
    ? 0
    : Number(/\bmax-age=(\d{1,9})\b/.exec(said)?.[1] ?? 0)
  return { ttlMs: seconds * 1000, cacheScope: /\bpublic\b/.test(said) ? 'public' : 'private' }
}
