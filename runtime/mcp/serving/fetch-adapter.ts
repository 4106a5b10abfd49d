/** Messages and answers in the forms that HTTP, clients and the SDK have for them. */
import type { HttpRequest, HttpResponse, MaybePromise, StreamingBody } from '../../contract/http.ts'
import { JsonParseError } from '../../errors.ts'
import { isStreamingBody } from '../../http/server/streaming-body.ts'
import { decodeUtf8 } from '../../utf8.ts'
import { rpcError } from '../auth/challenge.ts'
import { checkMessageSize, type SizedMethods } from '../limits/message-size.ts'
import { type AcceptedForms, acceptForSdk } from '../protocol/accepted-forms.ts'
import { errorCodes, isObject, type WireObject } from '../protocol/constants.ts'
import { wellFormedJson } from '../protocol/well-formed.ts'
import { eventOf, streamResponse } from '../streams/event-stream.ts'
import { withoutProgress } from './batch.ts'

/** What a POST carried: JSON, or a text that is none. */
export type MessageBody =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }

/** Whether the body is in a content coding that is not decoded yet. */
export const isEncoded = ({ body }: HttpRequest): boolean =>
  body.kind === 'bytes' && typeof body.coding === 'string'

/** Reads the body of a POST, once; at once when it came with its headers. Rejects with `PayloadTooLarge`. */
export function readMessage({ body }: HttpRequest, methods: SizedMethods): MaybePromise<MessageBody> {
  if (body.kind === 'value') return { kind: 'json', value: withoutNulls(body.value) }
  const bytes = body.readSync?.() ?? null
  return bytes === null ? body.read().then((read) => messageOf(read, methods)) : messageOf(bytes, methods)
}

/** What is not UTF-8 is no text either: an empty one stands for it, which is no message. Source: RFC 8259, 8.1. */
function messageOf(bytes: Uint8Array, methods: SizedMethods): MessageBody {
  const body = parsed(bytes)
  if (body.kind === 'json') checkMessageSize(body.value, bytes.length, methods)
  return body
}

function parsed(bytes: Uint8Array): MessageBody {
  let text = ''
  try {
    text = decodeUtf8(bytes, () => new JsonParseError())
    const value = JSON.parse(text)
    return { kind: 'json', value: text.includes('null') ? withoutNulls(value) : value }
  } catch {
    return { kind: 'text', text }
  }
}

/** The request as the SDK wants it: the protocol's own headers and, where it is no JSON, the body. Credentials stay
 *  outside. */
export function toWebRequest(
  { method, headers: sent, signal }: Pick<HttpRequest, 'method' | 'headers' | 'signal'>,
  body: MessageBody,
  address: string,
): Request {
  const headers = new Headers()
  const accept = acceptForSdk(sent)
  for (const [name, value] of Object.entries(sent)) {
    if (isProtocolHeader(name) && value !== undefined) headers.set(name, [value].flat().join(', '))
  }
  if (accept !== undefined) headers.set('accept', [accept].flat().join(', '))
  const text = method === 'POST' && body.kind === 'text' ? { body: body.text } : {}
  return new Request(address, { method, headers, signal, ...text })
}

/** The response as an outcome, without hop-by-hop headers and length. An event stream is handed on as a stream unless
 *  `isReadWhole`. */
export async function toResponse(response: Response, isReadWhole: boolean): Promise<HttpResponse> {
  const { status } = response
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !connectionHeaders.has(name)))
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true
  const isPassedOn = isStream && !isReadWhole
  const body = isPassedOn
    ? (response.body?.pipeThrough(inUnicode()) ?? null)
    : inOneSentence(await response.text())
  return { status, headers, body: body === '' ? null : body }
}

/** The SDK writes one event at a time. */
const inUnicode = (): TransformStream<Uint8Array, Uint8Array> =>
  new TransformStream({
    transform: (chunk, events) => {
      const text = Buffer.from(chunk).toString()
      const formed = wellFormedJson(text)
      events.enqueue(formed === text ? chunk : Buffer.from(formed))
    },
  })

const isProtocolHeader = (name: string): boolean =>
  name === 'accept' || name === 'content-type' || name === 'last-event-id' || name.startsWith('mcp-')

const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])

/** What is the caller's and not the protocol's to read: of a tool its own arguments, and what a user answered. */
const untouched: ReadonlySet<string> = new Set(['inputResponses'])

/** The parameters of the protocol are not nested deeper. */
const maxDepth = 5

/** A message, or a batch, without members that its client sends as null because its language has no other word for "nothing". An id that is null is absent of a notification alone: a request needs one. Source: rules.md, null members. */
function withoutNulls(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(messageWithoutNulls)
  return messageWithoutNulls(body)
}

function messageWithoutNulls(message: unknown): unknown {
  if (!isObject(message) || typeof message.method !== 'string') return message
  const { method, params } = message
  const isNotification = method.startsWith('notifications/')
  const entries = Object.entries(message).filter(
    ([name, value]) => value !== null || (name === 'id' && !isNotification),
  )
  const kept = Object.fromEntries(entries)
  return isObject(params) ? { ...kept, params: paramsWithoutNulls(method, params) } : kept
}

function paramsWithoutNulls(method: string, params: WireObject): WireObject {
  const isOwn = (name: string): boolean =>
    untouched.has(name) || (name === 'arguments' && method === 'tools/call')
  const entries = Object.entries(params).flatMap(([name, value]) => {
    if (value === null) return []
    return [[name, isOwn(name) ? value : presentIn(value, maxDepth)]]
  })
  return Object.fromEntries(entries)
}

function presentIn(value: unknown, depth: number): unknown {
  if (!isObject(value) || depth === 0) return value
  const entries = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(entries.map(([name, member]) => [name, presentIn(member, depth - 1)]))
}

/** The same message, JSON or the one event of a stream: where the SDK put into its error, as JSON, what its validator found, a client, and a
 *  model, reads one sentence. Source: rules.md, null members. */
function inOneSentence(body: string): string {
  if (!body.includes(dumped)) return body
  const text = /^data: ([^\r\n]*)/m.exec(body)?.[1] ?? body
  const message = readJson(text)
  if (!isObject(message) || !isObject(message.error)) return body
  const sentence = sentenceOf(message.error)
  if (sentence === null) return body
  const error = { ...message.error, code: errorCodes.invalidParams, message: sentence }
  return body.replace(text, () => JSON.stringify({ ...message, error }))
}

/** As the issues of the validator stand in a message. */
const dumped = '\\"path\\"'

function sentenceOf({ message }: WireObject): string | null {
  if (typeof message !== 'string') return null
  const issues = readJson(message.slice(message.indexOf('[')))
  const [issue] = Array.isArray(issues) ? issues : []
  if (!isObject(issue) || !Array.isArray(issue.path)) return null
  const path = issue.path.filter((name, at) => at > 0 || name !== 'params').join('.')
  return `Invalid params: ${path === '' ? 'params' : path} ${claimOf(issue)}`
}

const types: ReadonlyMap<unknown, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
])

function claimOf({ code, expected, message }: WireObject): string {
  if (code === 'invalid_type' && /received undefined$/.test(String(message))) return 'is missing'
  const type = types.get(expected)
  return type === undefined ? 'is not what the method takes' : `must be ${type}`
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A client that takes no stream gets no messages on the way. */
export function askedInForm(body: MessageBody, { stream }: AcceptedForms): MessageBody {
  if (stream || body.kind === 'text' || !isObject(body.value)) return body
  return { kind: 'json', value: withoutProgress(body.value) }
}

/** A subscription has no other form than a stream. */
export async function inForm(
  outcome: HttpResponse,
  { json, stream }: AcceptedForms,
  isBatch: boolean,
): Promise<HttpResponse> {
  const isStream = String(outcome.headers['content-type']).startsWith('text/event-stream')
  if (json === stream || outcome.body === null || isStream === stream) return outcome
  if (stream) return outcome.status === 200 ? asStream(outcome) : outcome
  const { body } = outcome
  if (isStreamingBody(body)) return rpcError(406, 'Not Acceptable: the answer is an event stream', null)
  const messages = messagesIn(await textOf(body))
  const text = isBatch ? `[${messages.join()}]` : (messages.at(-1) ?? '')
  return { ...outcome, headers: { 'content-type': 'application/json; charset=utf-8' }, body: text }
}

async function asStream({ body }: HttpResponse): Promise<HttpResponse> {
  if (isStreamingBody(body)) return streamResponse(body)
  return streamResponse(Buffer.from(eventOf(await textOf(body))))
}

type WholeBody = Exclude<HttpResponse['body'], StreamingBody>

async function textOf(body: WholeBody): Promise<string> {
  if (body instanceof ReadableStream) return new Response(body).text()
  return body === null ? '' : Buffer.from(body).toString()
}

/** The data of each event. */
const messagesIn = (events: string): readonly string[] =>
  events.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []))
