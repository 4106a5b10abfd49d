/** What a route answered, as the contents of a resource. */
import type { HttpResponse } from '../../contract/http.ts'
import {
  contentType,
  isTextType,
  type ToolContents,
  toContents,
  tooLargeToSend,
  wholeBody,
} from '../tools/result.ts'

/** What was read at an address, and how long it holds. */
export interface ReadContent {
  /** `mimeType`, and `text` or `blob`. */
  readonly content: object
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

/** A `ReadContent` as JSON: text by the answer's content type, else bytes as base64; a client may keep it as long as the answer's
 *  `Cache-Control` says. What is no success is told as of a tool. Source: MCP, Resources, reading; 2026-07-28, caching. */
export const resourceContents: typeof toContents = async (outcome, call): Promise<ToolContents> => {
  if (outcome.status >= 300) return toContents(outcome, call)
  const bytes = await wholeBody(outcome.body, call)
  if (bytes === null) return tooLargeToSend(call)
  const mimeType = contentType(outcome)
  const value = isTextType(mimeType) ? { text: bytes.toString() } : { blob: bytes.toString('base64') }
  const read: ReadContent = {
    content: { mimeType, ...validatorsOf(outcome), ...value },
    ...cacheOf(outcome),
  }
  return { kind: 'json', text: JSON.stringify(read) }
}

/** By which a client knows what it has already. */
function validatorsOf({ headers }: HttpResponse): object {
  const { etag, 'last-modified': modified } = headers
  const at = typeof modified === 'string' ? new Date(modified) : null
  const isDate = at !== null && !Number.isNaN(at.getTime())
  return {
    ...(isDate ? { annotations: { lastModified: at.toISOString() } } : {}),
    ...(typeof etag === 'string' ? { _meta: { etag } } : {}),
  }
}

/** Without a word it is stale at once, and for nobody else. Source: RFC 9111, 5.2.2. */
function cacheOf({ headers }: HttpResponse): Omit<ReadContent, 'content'> {
  const said = String(headers['cache-control'] ?? '').toLowerCase()
  const seconds = /\bno-(?:store|cache)\b/.test(said)
    ? 0
    : Number(/\bmax-age=(\d{1,9})\b/.exec(said)?.[1] ?? 0)
  return { ttlMs: seconds * 1000, cacheScope: /\bpublic\b/.test(said) ? 'public' : 'private' }
}
