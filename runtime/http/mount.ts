/** Between Fastify and the transport-independent functions: a Fastify request becomes an `HttpRequest`, an `Outcome`
 *  becomes a reply. */
import { validateHeaderValue } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpRequest, Outcome, RequestBody } from '../contract.ts'
import { PayloadTooLarge } from '../errors.ts'
import { isPushBody, pushInto } from './push.ts'
import { sessionOf } from './session.ts'

/** The `Content-Type` of a request as it was sent. */
const sentTypes = new WeakMap<object, string>()

/** Hands bodies on unread: filters run before a body is parsed. Fastify would refuse a malformed `Content-Type` before any
 *  filter, so it sees another one. */
export function leaveBodiesUnread(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    const type = raw.headers['content-type']
    if (type === undefined) return
    sentTypes.set(raw, type)
    raw.headers['content-type'] = 'application/octet-stream'
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
}

/** `limitBytes` bounds the body. */
export function toHttpRequest(request: FastifyRequest, reply: FastifyReply, limitBytes: number): HttpRequest {
  const url = request.raw.url ?? '/'
  const mark = url.indexOf('?')
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort()
  })
  return {
    id: String(request.id),
    method: request.method,
    url,
    path: mark === -1 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)),
    params: request.params as Readonly<Record<string, string>>, // Fastify fills it from the path: strings
    headers: sentHeaders(request),
    ip: request.ip,
    session: sessionOf(request),
    body: unreadBody(request, limitBytes),
    signal: gone.signal,
  }
}

function sentHeaders(request: FastifyRequest): HttpRequest['headers'] {
  const type = sentTypes.get(request.raw)
  return type === undefined ? request.headers : { ...request.headers, 'content-type': type }
}

function unreadBody(request: FastifyRequest, limitBytes: number): RequestBody {
  let bytes: Promise<Uint8Array> | null = null
  const read = (): Promise<Uint8Array> => {
    bytes ??= collect(request.body, limitBytes)
    return bytes
  }
  return { kind: 'bytes', contentType: sentTypes.get(request.raw) ?? null, read }
}

async function collect(payload: unknown, limitBytes: number): Promise<Uint8Array> {
  if (!(payload instanceof Readable)) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of payload) {
    size += chunk.length
    if (size > limitBytes) throw new PayloadTooLarge(limitBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Throws for a header that HTTP cannot carry, before anything of the answer has been sent. */
export function checkHeaders(outcome: Outcome): Outcome {
  for (const [name, value] of Object.entries(outcome.headers)) {
    for (const text of [value].flat()) validateHeaderValue(name, text)
  }
  return outcome
}

/** Sends an outcome; a HEAD request gets the headers only. */
export async function sendOutcome(reply: FastifyReply, outcome: Outcome): Promise<FastifyReply> {
  if (isPushBody(outcome.body)) return pushInto(reply, outcome, outcome.body)
  reply.code(outcome.status)
  for (const [name, value] of Object.entries(outcome.headers)) reply.header(name, value)
  const { body } = outcome
  if (body === null) return reply.send()
  if (typeof body === 'string' || body instanceof Uint8Array) {
    return reply.send(typeof body === 'string' ? body : Buffer.from(body))
  }
  // the DOM's and Node's stream types describe the same object
  return reply.send(Readable.fromWeb(body as unknown as NodeReadableStream))
}
