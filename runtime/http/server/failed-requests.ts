/** What failed outside of the pipeline: in Fastify itself, in a hook of a plugin, in a stream before its first byte. */
import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { isEntityHeader } from '../output/response-headers.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'
import { injectedCall } from '../plugins/inject.ts'
import { makeReadable } from './cors-refusals.ts'
import type { MountOptions } from './fastify-adapter.ts'
import { badTarget } from './refused-targets.ts'
import { FastifyHttpRequest } from './request.ts'
import { isRefusedTarget } from './request-target.ts'
import { removeBrokenHeaders, sendResponse } from './send.ts'

/** Error handlers of plugins run before; what they throw or pass on comes here. The answer passes the hooks as any other, and is
 *  written past them where they fail again: Fastify's own handler would repeat the message of the error. */
export function setErrorHandler(app: FastifyInstance, mounted: MountOptions): void {
  app.setErrorHandler<unknown>((error, request, reply) => {
    const outcome = outcomeOf(error, { request, reply, mounted })
    // what the answer said about its body no longer holds
    for (const name of Object.keys(reply.getHeaders())) if (isEntityHeader(name)) reply.removeHeader(name)
    removeBrokenHeaders(reply)
    makeReadable(request, reply)
    sendOnce(reply, outcome)
    sendResponse(reply, outcome)
  })
}

type ErrorHandler = (...call: readonly unknown[]) => unknown

/** Error handlers that plugins set: what they throw that is no error Fastify would send as the answer. */
export function guardErrorHandlers(app: FastifyInstance): void {
  const instance = app as unknown as { setErrorHandler(handler: ErrorHandler): unknown } // of whatever types
  const { setErrorHandler } = instance
  instance.setErrorHandler = function (handler) {
    return setErrorHandler.call(this, throwingErrors(handler))
  }
  app.addHook('onRoute', (route) => {
    if (route.errorHandler !== undefined)
      route.errorHandler = throwingErrors(route.errorHandler as ErrorHandler)
  })
}

function throwingErrors(handler: ErrorHandler): ErrorHandler {
  return function (this: unknown, ...call) {
    try {
      return Reflect.apply(handler, this, call)
    } catch (thrown) {
      if (thrown instanceof Error) throw thrown
      throw new Error('an error handler threw what is no error', { cause: thrown })
    }
  }
}

interface Failed {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly mounted: MountOptions
}

function outcomeOf(error: unknown, { request, reply, mounted }: Failed): HttpResponse {
  if (error instanceof URIError && isRefusedTarget(request.raw)) return badTarget // hooks decode, as @fastify/express does
  const { status, message, headers } = describe(error)
  if (status < 500) return jsonResponse(status, { error: message }, headers)
  const failed: HttpRequest =
    injectedCall(request.raw)?.request ?? new FastifyHttpRequest(request, reply, mounted)
  const outcome = mounted.onError(error, failed)
  return outcome.status === 500 ? { ...outcome, status } : outcome
}

interface Described {
  readonly status: number
  /** For the client. */
  readonly message: string
  readonly headers: HttpResponse['headers']
}

const unexpected: Described = { status: 500, message: '', headers: {} }

/** What an error says of its answer. As in Fastify a `statusCode` of 4xx says that its message is meant for the client, unless
 *  it says that it is not (`expose`, of http-errors). */
function describe(error: unknown): Described {
  try {
    const { statusCode, message, expose, headers } = Object(error) as Readonly<Record<string, unknown>>
    const status = typeof statusCode === 'number' && Number.isInteger(statusCode) ? statusCode : 500
    if (status < 400 || status > 599) return unexpected
    if (status >= 500) return { ...unexpected, status }
    const isMeant = expose !== false && typeof message === 'string'
    const text = isMeant ? message : (STATUS_CODES[status] ?? 'refused')
    return { status, message: text, headers: refusalHeaders(headers) }
  } catch {
    return unexpected // not even its fields can be read
  }
}

/** Of those that an error brings; others may be what another server has answered. */
const ofRefusals = ['allow', 'retry-after', 'www-authenticate']

function refusalHeaders(headers: unknown): HttpResponse['headers'] {
  const texts = Object.entries(Object(headers) as object).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  )
  return Object.fromEntries(texts.filter(([name]) => ofRefusals.includes(name)))
}

/** The first `send` goes through the hooks. Fastify sends again what they threw: then `outcome` is written as it is. */
function sendOnce(reply: FastifyReply, outcome: HttpResponse): void {
  const headers = reply.getHeaders() as OutgoingHttpHeaders
  const { send } = reply
  reply.send = (payload) => {
    reply.send = () => writeUnhooked(reply, outcome, headers)
    return send.call(reply, payload)
  }
}

function writeUnhooked(
  reply: FastifyReply,
  { status, headers, body }: HttpResponse,
  more: OutgoingHttpHeaders,
): FastifyReply {
  const { raw } = reply.hijack()
  if (raw.headersSent) {
    raw.destroy()
    return reply
  }
  try {
    raw.writeHead(status, { ...more, ...headers } as OutgoingHttpHeaders) // lists of lines may be readonly
  } catch {
    for (const name of raw.getHeaderNames()) raw.removeHeader(name) // one of them is what failed
    raw.writeHead(status)
  }
  raw.end(typeof body === 'string' || body instanceof Uint8Array ? body : undefined)
  return reply
}
