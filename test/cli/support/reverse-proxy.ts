/** A real reverse proxy before a real application, and what can be wrong with it. */
import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import type { Test } from 'tap'
import type { Certificate } from '../../oauth/support/certificate.ts'
import { freePort } from '../../support/free-port.ts'

/** What the proxy does otherwise than a good one. */
export interface Meddling {
  /** Answers itself, and says so. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Changes what goes to the server; without a `host` the one of the client goes on. */
  readonly headers?: (sent: IncomingHttpHeaders) => OutgoingHttpHeaders
  readonly path?: (url: string) => string
  /** Changes the head of the answer. */
  readonly answerHeaders?: (got: IncomingHttpHeaders, url: string) => OutgoingHttpHeaders
  readonly body?: (text: string, url: string) => string
  /** Whether an answer is sent on only when it has ended. */
  readonly isBuffering?: boolean
  /** Whether event streams are compressed, for whoever takes that. */
  readonly isCompressing?: boolean
  /** More in a request body is refused. */
  readonly maxBytes?: number
  /** Ends TLS. */
  readonly certificate?: Certificate
}

export interface Proxied {
  readonly baseUrl: string
  /** Where the proxy passes requests. */
  readonly upstreamPort: number
}

/** Listens until the end of the test; the server behind it is still to be started. `name` is of this machine. */
export async function proxyFor(t: Test, meddling: Meddling, name = 'localhost'): Promise<Proxied> {
  const upstreamPort = await freePort()
  const listener: RequestListener = (request, response) => {
    if (meddling.answer?.(request, response) === true) return
    passOn(request, response, upstreamPort, meddling).catch(() => {
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/html' })
      response.end('<title>502 Bad Gateway</title>')
    })
  }
  const { certificate } = meddling
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener)
  const port = await listening(t, server, name)
  return { baseUrl: `${certificate === undefined ? 'http' : 'https'}://${name}:${port}`, upstreamPort }
}

/** The port at which it listens until the end of the test. */
export async function listening(t: Test, server: Server, name = 'localhost'): Promise<number> {
  const port = await freePort()
  server.listen(port, name)
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return port
}

async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  port: number,
  meddling: Meddling,
): Promise<void> {
  const url = request.url ?? '/'
  const body = await buffer(request)
  if (body.length > (meddling.maxBytes ?? Number.POSITIVE_INFINITY)) {
    response
      .writeHead(413, { 'content-type': 'text/html' })
      .end('<title>413 Request Entity Too Large</title>')
    return
  }
  const headers = meddling.headers?.(request.headers) ?? request.headers
  const path = meddling.path?.(url) ?? url
  const sent = httpRequest({
    host: '127.0.0.1',
    port,
    path,
    method: request.method ?? 'GET',
    headers,
    agent: false,
  })
  response.on('close', () => sent.destroy())
  sent.on('error', () => {}) // also one that comes after the answer: its client has gone
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage] // what the event carries
  const changed = meddling.answerHeaders?.(answer.headers, url) ?? answer.headers
  const isCompressed =
    meddling.isCompressing === true &&
    String(request.headers['accept-encoding']).includes('gzip') &&
    String(answer.headers['content-type']).startsWith('text/event-stream')
  if (meddling.isBuffering !== true && meddling.body === undefined) {
    response.writeHead(
      answer.statusCode ?? 502,
      isCompressed ? { ...changed, 'content-encoding': 'gzip' } : changed,
    )
    response.flushHeaders()
    if (isCompressed) answer.pipe(createGzip()).pipe(response)
    else answer.pipe(response)
    return
  }
  const whole = (await buffer(answer)).toString()
  const text = meddling.body?.(whole, url) ?? whole
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = changed
  response.writeHead(answer.statusCode ?? 502, kept).end(text)
}
