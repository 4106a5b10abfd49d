/** An outcome goes to the connection. */
import type { FastifyReply } from 'fastify'
import type { HttpResponse } from '../../contract/http.ts'
import { isHeldBack } from '../input/lazy-body.ts'
import { isValidHeader } from '../output/response-headers.ts'
import { sentHeaders } from '../output/security-headers.ts'
import { noteRefusal } from '../plugins/inject.ts'
import { sendStream } from './send-stream.ts'
import { isStreamingBody } from './streaming-body.ts'

/** Sends an outcome whose body is no `StreamingBody`; a HEAD request gets the headers only. */
export function sendResponse(reply: FastifyReply, outcome: HttpResponse): void {
  const { status, body, refusedBy } = outcome
  if (refusedBy !== undefined) noteRefusal(reply.request.raw, outcome)
  const headers = sentHeaders(outcome, reply)
  if (isStreamingBody(body)) throw new Error('only an endpoint may write as things happen')
  reply.code(status)
  for (const name in headers) reply.header(name, headers[name])
  // the rest of the body is not wanted: the connection cannot be used again
  if (status === 413 || isHeldBack(reply.raw)) reply.header('connection', 'close')
  if (body === null) sendNothing(reply, status)
  else if (reply.request.method === 'HEAD' && !isStream(body)) sendLength(reply, body)
  else if (typeof body === 'string') reply.send(body)
  else if (body instanceof Uint8Array) reply.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  else sendStream(reply, body)
}

/** Headers of plugins that HTTP cannot carry: they would fail the answer to their own failure too. */
export function removeBrokenHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (!isValidHeader(name, value)) reply.removeHeader(name)
}

const isStream = (
  body: Exclude<HttpResponse['body'], null>,
): body is Exclude<typeof body, string | Uint8Array> =>
  typeof body !== 'string' && !(body instanceof Uint8Array)

/** To HEAD Fastify alone says no length. */
function sendNothing(reply: FastifyReply, status: number): void {
  const hasLength = reply.request.method === 'HEAD' && status >= 200 && status !== 204 && status !== 304
  if (hasLength && reply.getHeader('content-length') === undefined) reply.header('content-length', 0)
  reply.send()
}

/** RFC 9110, 9.3.2: the headers that GET would have, the length and the charset that Fastify gives JSON among them, and no
 *  body; we do not count on the connection to drop it. */
function sendLength(reply: FastifyReply, body: string | Uint8Array): void {
  if (reply.getHeader('content-length') === undefined) reply.header('content-length', Buffer.byteLength(body))
  const type = reply.getHeader('content-type')
  if (typeof body === 'string' && typeof type === 'string' && /^[^;]*json[^;]*$/i.test(type))
    reply.header('content-type', `${type}; charset=utf-8`)
  reply.send()
}
