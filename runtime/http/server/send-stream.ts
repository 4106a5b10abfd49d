/** Writes a streamed answer to the connection, as fast as the client takes it. */
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endable } from '../output/byte-stream.ts'
import { closingOf } from './close.ts'

/** Sends `body`. When the client goes away the stream is cancelled; events end in order when the server closes. A failure before the first byte is an unhandled
 *  exception like any other; after it the connection is closed and the failure logged once. HEAD reads nothing. */
export function sendStream(reply: FastifyReply, body: ReadableStream<Uint8Array>): FastifyReply {
  if (reply.request.method === 'HEAD') {
    body.cancel().catch(() => {}) // its result is not needed
    return reply.send()
  }
  const sent = isEvents(reply) ? endedByClosing(reply, body) : body
  // the DOM's and Node's stream types describe the same object
  const stream = Readable.fromWeb(sent as unknown as NodeReadableStream)
  stream.once('error', (error) => {
    if (reply.raw.headersSent) logBroken(reply, error)
  })
  return reply.send(stream)
}

const isEvents = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream')

/** A client that listens to events comes again; a file is complete or it is not. */
function endedByClosing(reply: FastifyReply, events: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const { body, end } = endable(events)
  const forget = closingOf(reply)?.whenBegun(end) ?? (() => {})
  // a client that left before the answer has been closed already: no event would ever say so again
  if (reply.raw.destroyed) forget()
  else reply.raw.once('close', forget)
  return body
}

const broken = new WeakSet<FastifyRequest>()

/** Whether the streamed answer to `request` failed on our side. */
export const isBrokenOff = (request: FastifyRequest): boolean => broken.has(request)

function logBroken(reply: FastifyReply, error: Error): void {
  broken.add(reply.request)
  const { method, routeOptions } = reply.request // the logger adds its id
  reply.log.error({ method, route: routeOptions.url, err: error }, 'a streamed answer broke off')
}
