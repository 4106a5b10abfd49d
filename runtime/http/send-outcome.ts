/** An outcome goes to the connection, by Fastify or at once. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Outcome } from '../contract.ts'
import { isPushBody } from './push.ts'
import { sendStream } from './send-stream.ts'
import { isHeldBack } from './unread-body.ts'

/** Sends an outcome whose body is no `PushBody`; a HEAD request gets the headers only. */
export function sendOutcome(reply: FastifyReply, outcome: Outcome): void {
  const { status, headers, body } = outcome
  if (isPushBody(body)) throw new Error('only an endpoint may write as things happen')
  reply.code(status)
  for (const name in headers) reply.header(name, headers[name])
  // the rest of the body is not wanted: the connection cannot be used again
  if (status === 413 || isHeldBack(reply.raw)) reply.header('connection', 'close')
  if (body === null || typeof body === 'string') reply.send(body ?? undefined)
  else if (body instanceof Uint8Array) reply.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  else sendStream(reply, body)
}

/** The same for a server without plugins, where no hook waits for an answer: what nearly all answers are, a text whose
 *  type is complete, is written at once, because Fastify would look for a serialiser, hooks, a charset and a stream. */
export function sendUnhooked(reply: FastifyReply, outcome: Outcome): void {
  const { status, headers, body } = outcome
  const { raw } = reply
  const isWhole = typeof body === 'string' && status >= 200 && status < 300 && status !== 204
  if (!isWhole || !isComplete(headers) || isHeldBack(raw)) sendOutcome(reply, outcome)
  else {
    // nothing is written to the object of the headers
    raw.writeHead(status, {
      ...(headers as OutgoingHttpHeaders),
      'content-length': Buffer.byteLength(body),
    })
    raw.end(body)
  }
}

/** Whether only the length is missing. Where an answer points to is read from the reply by the log. */
function isComplete(headers: Outcome['headers']): boolean {
  const type = headers['content-type']
  const isTyped = typeof type === 'string' && type.endsWith('; charset=utf-8')
  return isTyped && !('content-length' in headers) && !('location' in headers)
}
