/** Sends a body that is written as things happen, on the raw response: thousands of such answers may be open at once. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { HttpResponse, StreamingBody, StreamWriter } from '../../contract/http.ts'
import type { DeferLogLine } from '../log/log.ts'

/** Whether a body is written as things happen. */
export function isStreamingBody(body: HttpResponse['body']): body is StreamingBody {
  return typeof body === 'object' && body !== null && 'open' in body
}

/** How much may wait for a client that reads slowly, beside the last text, which may be longer. */
const backlogBytes = 64 * 1024

/** Sends the headers at once and opens the body; a HEAD request gets the headers only. `deferLogLine` is null where plugins are,
 *  whose hooks may wait for the end of the answer; else request and reply are let go. */
export function sendStreamingBody(
  reply: FastifyReply,
  { status, headers }: HttpResponse,
  body: StreamingBody,
  deferLogLine: DeferLogLine | null,
): void {
  reply.hijack()
  const { raw } = reply
  // Not `setHeader`, which would keep each of them while the answer lasts.
  raw.writeHead(status, { ...reply.getHeaders(), ...headers } as OutgoingHttpHeaders)
  if (raw.req.method === 'HEAD') {
    raw.end()
    return
  }
  raw.flushHeaders()
  if (deferLogLine !== null) dropReferences(raw, deferLogLine(reply.request, reply, status))
  const leave = body.open(writerOn(raw))
  // a client that left before the answer has been closed already: no event would ever say so again
  if (raw.destroyed) leave()
  else raw.on('close', leave) // not `once`, which makes three objects of it
}

/** Without plugins there is no other listener: Fastify would keep request and reply until it has called its hooks, of which the log
 *  line is the only one, and the reader of the request's body would keep that. */
function dropReferences(raw: ServerResponse, writeLine: (() => void) | null): void {
  // Fastify waits for 'finish' and 'error' with one function; Node itself has another on the first
  for (const wait of raw.listeners('error'))
    raw.off('finish', wait as () => void).off('error', wait as () => void)
  raw.on('error', ignore)
  raw.req.removeAllListeners()
  raw.req.rawHeaders = []
  if (writeLine === null) return
  if (raw.destroyed) writeLine()
  else raw.on('close', writeLine)
}

const ignore = (): void => {}

const writerOn = (raw: ServerResponse): StreamWriter => ({
  write(text) {
    if (raw.destroyed || raw.writableEnded) return false
    if (!keepsUp(raw)) raw.destroy()
    else raw.write(text)
    return !raw.destroyed
  },
  offer(text) {
    if (!raw.destroyed && !raw.writableEnded && keepsUp(raw)) raw.write(text())
  },
  end: (last) => void raw.end(last),
})

/** Asked before something is written: until the end of the turn all of it waits, however fast the client reads. */
const keepsUp = ({ writableLength }: ServerResponse): boolean => writableLength <= backlogBytes
