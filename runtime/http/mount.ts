/** Between Fastify and the transport-independent functions: a Fastify request becomes an `HttpRequest`, an `Outcome`
 *  becomes a reply. */
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpRequest, Outcome, RequestBody } from '../contract.ts'
import { PayloadTooLarge } from '../errors.ts'
import { sessionOf } from './session.ts'

/** Hands bodies on unread: filters run before a body is parsed. */
export function leaveBodiesUnread(app: FastifyInstance): void {
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
    headers: request.headers,
    ip: request.ip,
    session: sessionOf(request),
    body: unreadBody(request, limitBytes),
    signal: gone.signal,
  }
}

function unreadBody(request: FastifyRequest, limitBytes: number): RequestBody {
  let bytes: Promise<Uint8Array> | null = null
  const read = (): Promise<Uint8Array> => {
    bytes ??= collect(request.body, limitBytes)
    return bytes
  }
  return { kind: 'bytes', contentType: request.headers['content-type'] ?? null, read }
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

/** Sends an outcome; a HEAD request gets the headers only. */
export async function sendOutcome(reply: FastifyReply, outcome: Outcome): Promise<FastifyReply> {
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
