/** Whether a request gets the whole file, a part of it or none, by its conditional headers. Source: RFC 9110,
 *  sections 13 (conditional requests) and 14 (ranges). */
import { hash } from 'node:crypto'
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { headerText } from '../input/request-header.ts'
import { discard } from './byte-stream.ts'
import { isEntityHeader } from './response-headers.ts'

/** What describes the file as it is now. */
export interface Validators {
  /** A strong entity tag, quotes included. */
  readonly etag: string
  /** In whole seconds since the epoch, in milliseconds. */
  readonly modifiedMs: number
  /** In bytes. */
  readonly size: number
}

/** `end` is the last byte's position. */
export type Selection =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' | 'not-modified' | 'precondition-failed' }

/** What a GET or HEAD request gets, in the order of RFC 9110, section 13.2.2. Several ranges at once are answered with the
 *  whole, as section 14.2 allows. */
export function select(request: Pick<HttpRequest, 'method' | 'headers'>, now: Validators): Selection {
  const header = (name: string): string | null => headerText(request, name)
  const failed = refused(header('if-match'), header('if-unmodified-since'), now)
  if (failed) return { kind: 'precondition-failed' }
  if (isUnchanged(header('if-none-match'), header('if-modified-since'), now)) return { kind: 'not-modified' }
  const range = header('range')
  if (range === null || request.method !== 'GET') return { kind: 'whole' }
  return isSame(header('if-range'), now) ? selectRange(range, now.size) : { kind: 'whole' }
}

function refused(ifMatch: string | null, ifUnmodifiedSince: string | null, now: Validators): boolean {
  if (ifMatch !== null) return ifMatch.trim() !== '*' && !tagsOf(ifMatch).includes(now.etag)
  const since = dateOf(ifUnmodifiedSince)
  return since !== null && now.modifiedMs > since
}

function isUnchanged(ifNoneMatch: string | null, ifModifiedSince: string | null, now: Validators): boolean {
  if (ifNoneMatch !== null) {
    return namesTag(ifNoneMatch, now.etag)
  }
  const since = dateOf(ifModifiedSince)
  return since !== null && now.modifiedMs <= since
}

/** The weak comparison. */
const namesTag = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' || tagsOf(ifNoneMatch).some((tag) => opaque(tag) === opaque(etag))

const opaque = (tag: string): string => tag.replace(/^W\//, '')

/** A date is never a strong validator here, a client that has our entity tag must send that (section 13.1.5). */
const isSame = (ifRange: string | null, now: Validators): boolean =>
  ifRange === null || ifRange.trim() === now.etag

const tagsOf = (list: string): string[] => list.match(/(?:W\/)?"[^"]*"/g) ?? []

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Milliseconds since the epoch, or null for what is not a date (it is then ignored). */
function dateOf(text: string | null): number | null {
  if (text === null || !httpDate.test(text.trim())) return null
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : ms
}

/** Reads `bytes=first-last`, `bytes=first-` and `bytes=-count`; anything else is ignored. */
function selectRange(range: string, size: number): Selection {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(range.trim())
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return { kind: 'whole' }
  if (first === '') return suffix(Number(last), size)
  const start = Number(first)
  if (last !== '' && Number(last) < start) return { kind: 'whole' } // invalid, thus ignored
  if (start >= size) return { kind: 'unsatisfiable' }
  return { kind: 'part', start, end: Math.min(last === '' ? size - 1 : Number(last), size - 1) }
}

function suffix(count: number, size: number): Selection {
  if (count === 0) return { kind: 'unsatisfiable' }
  return size === 0 ? { kind: 'whole' } : { kind: 'part', start: Math.max(size - count, 0), end: size - 1 }
}

/** The entity tag of these bytes. A weak one: a proxy that compresses them on their way may leave it. Source: RFC 9110, 8.8.1. */
export const entityTag = (body: string | Uint8Array): string =>
  `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"`

/** The same success with an entity tag, its own or that of its bytes, or 304 to a client that sends it. What is streamed gets none. */
export function withEntityTag(
  request: Pick<HttpRequest, 'method' | 'headers'>,
  outcome: HttpResponse,
): HttpResponse {
  const { status, headers, body } = outcome
  if (status !== 200) return outcome
  const own = headers.etag
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  const etag = typeof own !== 'string' && isWhole ? entityTag(body) : own
  if (typeof etag !== 'string') return outcome
  const etags = headerText(request, 'if-none-match')
  if (etags === null || !namesTag(etags, etag)) return { ...outcome, headers: { ...headers, etag } }
  discard(outcome)
  const left = Object.entries(headers).filter(([name]) => !isOfContent(name))
  return { status: 304, headers: { ...Object.fromEntries(left), etag }, body: null }
}

/** What a 304 leaves out. Source: RFC 9110, 15.4.5. */
const isOfContent = (name: string): boolean =>
  isEntityHeader(name) && name.startsWith('content-') && name !== 'content-location'
