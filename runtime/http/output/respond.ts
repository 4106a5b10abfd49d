/** Turns what a method returned, or rendered, into an outcome: by the responders, or as the stream or file that it is.
 *  Source: rules.md, Accept. */
import type { Responder } from '../../contract/application.ts'
import type { HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import { NotAcceptable } from '../../errors.ts'
import { encodedText, essence } from '../input/media-type.ts'
import type { Rendered } from '../pipeline/controller.ts'
import { type AnswerWriter, asItIs } from './answer-writers.ts'
import { bytesOf, isStreamLike } from './byte-stream.ts'
import { attachment } from './disposition.ts'
import { eventStream } from './events.ts'
import { fileResponse } from './files.ts'
import type { Formats } from './formats.ts'
import { toJsonText } from './json-text.ts'
import { negotiate } from './negotiate.ts'
import { builtInResponders, toYamlText } from './responders.ts'

const defaultType = 'application/json'

/** The media type of the answer. Throws `NotAcceptable` when no responder matches `Accept`. */
export function responseType(accept: string | null, { answerTypes }: Formats): string {
  const type = negotiate(accept, answerTypes)
  if (type === null) throw new NotAcceptable(answerTypes)
  return type
}

/** The same where `Accept` never refuses: the default responder when it cannot be satisfied. Source: rules.md, Exception
 *  handlers 3. */
export function preferredResponseType(accept: string | null, { answerTypes }: Formats): string {
  return negotiate(accept, answerTypes) ?? defaultType
}

/** What is known about an answer before its value. */
export interface Answer {
  readonly status: number
  /** The type that `@produces` or `type=` fixes, else null. */
  readonly fixedType: string | null
  /** The negotiated type, of no account when one is fixed. */
  readonly type: string
  readonly request: HttpRequest
  readonly formats: Formats
  readonly writer: AnswerWriter
}

/** An answer with a returned value, without the response's own headers. `undefined` has no body; streams, blobs, events and the bytes of
 *  a fixed type go as what they are; everything else by the responder of its type. */
export function valueResponse(value: unknown, answer: Answer): MaybePromise<HttpResponse> {
  const { status, fixedType, writer } = answer
  if (value === undefined) return { status, headers: {}, body: null }
  if (value instanceof Blob) return blobResponse(value, { status, type: fixedType })
  if (isStreamLike(value)) return streamResponse(value, answer)
  const contentType = fixedType ?? answer.type
  const name = essence(contentType)
  const responder = answer.formats.responders.get(name)
  if (responder === undefined) return bodyResponse(bodyAsIs(value, name, writer), { status, contentType })
  if (responder === toJsonText)
    return { status, headers: { 'content-type': withCharset(contentType) }, body: writer.json(value) }
  if (fixedType !== null && value instanceof Uint8Array && builtInResponders.get(name) === responder)
    return bodyResponse(value, { status, contentType })
  return unverified(responder(writer.part(value), answer.request), name).then((body) =>
    bodyResponse(body, { status, contentType }),
  )
}

interface Typed {
  readonly status: number
  readonly contentType: string
}

/** Bytes as they are, and a text in the encoding of its type. */
function bodyResponse(body: string | Uint8Array, { status, contentType }: Typed): HttpResponse {
  const sent = typeof body === 'string' ? encodedText(body, contentType) : { contentType, body }
  return { status, headers: { 'content-type': withCharset(sent.contentType) }, body: sent.body }
}

/** Under a JSON type a text is valid JSON (`HttpResponse`): what another than our own writer made goes as bytes. */
async function unverified(made: ReturnType<Responder>, type: string): Promise<string | Uint8Array> {
  const body = await made
  return typeof body === 'string' && type.endsWith('json') ? Buffer.from(body) : body
}

/** A value of a fixed type that has no responder. */
function bodyAsIs(value: unknown, type: string, writer: AnswerWriter): string | Uint8Array {
  if (typeof value === 'string' || value instanceof Uint8Array) return value
  if (type.endsWith('+json')) return writer.json(value)
  throw new TypeError(`there is no responder for ${type}: return a text or bytes, or define one`)
}

function blobResponse(
  blob: Blob,
  { status, type }: { readonly status: number; readonly type: string | null },
): HttpResponse {
  const own = blob.type === '' ? 'application/octet-stream' : blob.type
  const headers = { 'content-type': withCharset(type ?? own), 'content-length': String(blob.size) }
  const body = bytesOf(blob.stream())
  if (!('name' in blob)) return { status, headers, body }
  // only a File has a name
  const disposition = { 'content-disposition': attachment(String(blob.name)) }
  return { status, headers: { ...headers, ...disposition }, body }
}

const eventType = 'text/event-stream'

/** A Node or web stream has the fixed type or no particular one; the items of any other async iterable are events unless
 *  another type is fixed, then they are sent as they are. */
function streamResponse(value: Parameters<typeof bytesOf>[0], answer: Answer): HttpResponse {
  const { status, fixedType, writer } = answer
  const isRaw = 'pipe' in value || 'getReader' in value
  if (isRaw || (fixedType !== null && essence(fixedType) !== eventType)) {
    const type = fixedType ?? 'application/octet-stream'
    return { status, headers: { 'content-type': withCharset(type) }, body: bytesOf(value) }
  }
  return eventsResponse(value as AsyncIterable<unknown>, { status, writer }) // the kinds that are not were told apart above
}

/** No proxy keeps events back until there are more of them (nginx reads `X-Accel-Buffering`). */
function eventsResponse(
  events: AsyncIterable<unknown>,
  { status, writer }: Pick<Answer, 'status' | 'writer'>,
): HttpResponse {
  return {
    status,
    headers: { 'content-type': eventType, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
    body: eventStream(events, writer.json),
  }
}

/** An answer that a method made itself. A missing file is `NotFound`. */
export async function renderedResponse(
  rendered: Rendered,
  { request, writer = asItIs }: { readonly request: HttpRequest; readonly writer?: AnswerWriter },
): Promise<HttpResponse> {
  return withOwnHeaders(await contentResponse(rendered, request, writer), rendered)
}

/** The headers that the method gave go before those of the content. */
function withOwnHeaders(made: HttpResponse, rendered: Rendered): HttpResponse {
  const headers = { ...made.headers, ...lowerCase(rendered.headers) }
  const type = rendered.contentType
  const typed = type === null ? headers : { ...headers, 'content-type': withCharset(type) }
  return { ...made, headers: typed }
}

function contentResponse(
  { status, content, contentType: type }: Rendered,
  request: HttpRequest,
  writer: AnswerWriter,
): MaybePromise<HttpResponse> {
  switch (content.kind) {
    case 'none':
      return { status, headers: {}, body: null }
    case 'text': // a string under a JSON type is valid JSON, and this one was not checked
      return { status, headers: {}, body: type?.includes('json') ? Buffer.from(content.text) : content.text }
    case 'bytes':
      return { status, headers: {}, body: content.bytes }
    case 'json':
      return { status, headers: {}, body: writer.json(content.value) }
    case 'yaml':
      return toYamlText(writer.part(content.value)).then((body) => ({ status, headers: {}, body }))
    case 'blob':
      return blobResponse(content.blob, { status, type: null })
    case 'stream':
      return { status, headers: {}, body: bytesOf(content.stream) }
    case 'events':
      return eventsResponse(content.events, { status, writer })
    case 'answer':
      return content.make()
    case 'file':
      return fileResponse(content.path, content.options, request)
  }
}

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const withCharset = (type: string): string =>
  /^(application\/(json|yaml)|text\/[^;]+)$/.test(type) && type !== eventType
    ? `${type}; charset=utf-8`
    : type
