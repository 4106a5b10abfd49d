/** What is refused before any handler: sizes, times and requests that are not HTTP. Every refusal has the body
 *  `{ "error": … }`, also where Node closes the connection by itself. Source: RFC 9110, 9112. */
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import type { HttpLimits } from '../../contract/application.ts'
import type { HttpResponse } from '../../contract/http.ts'
import { continueOnRead } from '../input/lazy-body.ts'
import { ownHeaders } from '../output/security-headers.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'
import type { FindCorsHeaders } from './cors-refusals.ts'

/** Fastify's and Node's settings. Node looks for slow requests in intervals: a quarter of the shortest time. */
export function limitOptions(
  limits: HttpLimits,
): Pick<FastifyHttpOptions<Server>, 'bodyLimit' | 'requestTimeout' | 'keepAliveTimeout' | 'http'> {
  const milliseconds = (seconds: number): number => Math.max(1, Math.round(seconds * 1000))
  const shortest = milliseconds(Math.min(limits.headersSeconds, limits.requestSeconds))
  return {
    bodyLimit: limits.bodyBytes,
    requestTimeout: milliseconds(limits.requestSeconds),
    keepAliveTimeout: milliseconds(limits.keepAliveSeconds),
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: milliseconds(Math.min(limits.headersSeconds, limits.requestSeconds)),
      connectionsCheckingInterval: Math.max(10, Math.floor(shortest / 4)),
      requireHostHeader: false, // Node's own refusal has no body: `checkRequestTarget` refuses
    },
  }
}

const tooLong = jsonResponse(414, { error: 'the address is too long' })
const twoHosts = jsonResponse(400, { error: 'the Host header is there twice' })
const noHost = jsonResponse(400, { error: 'the Host header is missing' })
const badHost = jsonResponse(400, { error: 'the Host header is malformed' })
const unknownCoding = jsonResponse(
  501,
  { error: 'no transfer coding but chunked is known' },
  { connection: 'close' },
)

/** RFC 9112, 3.2; RFC 3986, 3.2.2. */
const hostSyntax = /^(?:\[[\w:.%~-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d{0,5})?$/i

/** The refusal of a request whose address is too long, that names no host or two (RFC 9112, 3.2), or whose body is coded for its way
 *  (RFC 9112, 6.1); null when it fits. */
export function checkRequestTarget(
  request: IncomingMessage,
  { urlLimitBytes }: { readonly urlLimitBytes: number },
): HttpResponse | null {
  if ((request.url ?? '').length > urlLimitBytes) return tooLong
  const { host, 'transfer-encoding': coding } = request.headers
  if (host === undefined && request.httpVersion === '1.1') return noHost
  if (host !== undefined && !hostSyntax.test(host)) return badHost
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return unknownCoding
  return hasTwoHosts(request) ? twoHosts : null
}

/** Node keeps the first of them in `headers`, others the last. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** `Expect: 100-continue` is answered when the body is first read, any other expectation with 417. */
export function handleExpectHeader(app: FastifyInstance): void {
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    continueOnRead(response)
    app.routing(request, response)
  })
  app.server.on('checkExpectation', ({ socket }: IncomingMessage) => {
    socket.end(rawAnswer(417, 'the expectation cannot be met'))
  })
}

/** What Node's HTTP server says about a connection that it gives up. */
interface ClientError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
}

/** Node ties the answer under way to its socket (lib/_http_server.js, socketOnError, which this follows). */
interface ServedSocket extends Duplex {
  readonly _httpMessage?: ServerResponse | null
  /** `incoming`: the request whose body has not arrived whole. */
  readonly parser?: { readonly incoming?: object | null } | null
}

/** Answers a connection that sent no HTTP, too much or too slowly, and ends it. Nothing is written into an answer that
 *  has begun; one that is still being made for an earlier request is waited for. */
export function clientErrorHandler(
  limits: HttpLimits,
  refused: (status: number) => void,
  corsHeadersOf: FindCorsHeaders,
): (error: Error, socket: Duplex) => void {
  return (error: ClientError, socket: ServedSocket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [status, message] = refusal(error, limits)
    const current = socket._httpMessage ?? null
    // a client that left in the middle of a body has a line as that of its request
    const hasLeft = error.code === 'HPE_INVALID_EOF_STATE' && (socket.parser?.incoming ?? null) !== null
    const refuse = (): void => {
      if (!hasLeft) refused(status)
      if (socket.writable)
        socket.end(rawAnswer(status, message, corsHeadersOf(error.rawPacket)), () => socket.destroy())
      else socket.destroy()
    }
    if (current === null) return refuse()
    const isOfEarlier = current.req.complete && error.code !== 'ERR_HTTP_REQUEST_TIMEOUT'
    if (isOfEarlier && !current.writableFinished) return void current.once('close', refuse)
    if (current.headersSent) return void socket.destroy(error)
    refuse()
  }
}

function refusal(error: ClientError, limits: HttpLimits): readonly [number, string] {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'the request came too slowly']
  if (error.code !== 'HPE_HEADER_OVERFLOW') return [400, 'the request is not HTTP']
  const firstLine = error.rawPacket?.indexOf('\r\n') ?? 0
  const isAddress =
    firstLine === -1
      ? /^[A-Z]+ \S+$/.test(error.rawPacket?.toString('latin1') ?? '')
      : firstLine > limits.urlBytes
  return isAddress ? [414, 'the address is too long'] : [431, 'the headers are too large']
}

function rawAnswer(status: number, message: string, more: HttpResponse['headers'] = {}): string {
  const body = JSON.stringify({ error: message })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    ...Object.entries({ ...ownHeaders, ...more }).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}
