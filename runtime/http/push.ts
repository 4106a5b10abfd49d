/** Sends a body that is written as things happen, on the raw response: thousands of such answers may be open at once. */
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Outcome, PushBody, PushSink } from '../contract.ts'

/** Whether a body is written as things happen. */
export function isPushBody(body: Outcome['body']): body is PushBody {
  return typeof body === 'object' && body !== null && 'open' in body
}

/** How much may wait for a client that reads slowly. */
const backlogBytes = 64 * 1024

/** Sends the headers at once and opens the body; a HEAD request gets the headers only. */
export function pushInto(reply: FastifyReply, { status, headers }: Outcome, body: PushBody): FastifyReply {
  reply.hijack()
  const { raw } = reply
  raw.statusCode = status
  for (const [name, value] of Object.entries(headers)) raw.setHeader(name, value)
  if (raw.req.method === 'HEAD') {
    raw.end()
    return reply
  }
  raw.flushHeaders()
  raw.once('close', body.open(sinkOf(raw)))
  return reply
}

function sinkOf(raw: ServerResponse): PushSink {
  return {
    write(text) {
      if (raw.destroyed || raw.writableEnded) return false
      raw.write(text)
      const keepsUp = raw.writableLength <= backlogBytes
      if (!keepsUp) raw.destroy()
      return keepsUp
    },
    end: () => void raw.end(),
  }
}
