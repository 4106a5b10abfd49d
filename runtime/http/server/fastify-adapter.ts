/** Between Fastify and the transport-independent functions: an endpoint becomes a Fastify handler, an `HttpResponse` a reply. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { DeferLogLine } from '../log/log.ts'
import { discard } from '../output/byte-stream.ts'
import { checkedResponse } from '../output/response-headers.ts'
import { markDefaultCaching } from '../plugins/default-caching.ts'
import { hookedRequest } from '../plugins/hooked-request.ts'
import { injectedCall } from '../plugins/inject.ts'
import type { BrowserSession } from '../session/session.ts'
import { readableAs } from './cors-refusals.ts'
import { checkRequestTarget } from './limits.ts'
import { FastifyHttpRequest, type RequestOptions } from './request.ts'
import type { RouteGroup } from './route-groups.ts'
import { removeBrokenHeaders, sendResponse } from './send.ts'
import { isStreamingBody, sendStreamingBody } from './streaming-body.ts'

export interface MountOptions extends RequestOptions {
  readonly urlLimitBytes: number
  /** Whether `Set-Cookie` survives when the answer to an unhandled exception is reset. */
  readonly keepsCookies: boolean
  /** Null where hooks of plugins also wait for the end of an answer. */
  readonly deferLogLine: DeferLogLine | null
  /** Turns what an endpoint threw into an answer. */
  readonly onError: (error: unknown, request: HttpRequest) => HttpResponse
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => void

/** Runs the endpoint of the request's method. */
export function toFastifyHandler(endpoints: RouteGroup['endpoints'], options: MountOptions): Handler {
  const handlers = new Map([...endpoints].map(([method, endpoint]) => [method, handlerOf(endpoint, options)]))
  const [only] = endpoints.size === 1 ? handlers.values() : []
  return only ?? ((request, reply) => handlers.get(request.method)?.(request, reply))
}

/** Runs the endpoint and sends what it returns. The session is read before it when the request carries one, and written
 *  before the answer leaves when it was changed. */
function handlerOf(endpoint: Endpoint, options: MountOptions): Handler {
  return (request, reply) => {
    const call = options.isHooked ? injectedCall(request.raw) : null
    if (call !== null) {
      const hooked = hookedRequest(call, { request, reply, limitBytes: options.bodyLimitBytes })
      const handle = (sent: HttpRequest): MaybePromise<HttpResponse> => {
        const outcome = endpoint.handle(sent)
        call.work = outcome
        return outcome
      }
      return void answer({ request: hooked, served: null, reply, endpoint: { ...endpoint, handle }, options })
    }
    const refusal = checkRequestTarget(request.raw, options)
    if (refusal !== null) return sendResponse(reply, readableAs(endpoint, request.headers, refusal))
    const served = new FastifyHttpRequest(request, reply, options)
    void answer({ request: served, served, reply, endpoint, options })
  }
}

/** One request on its way. An injected one has the session of the request that it belongs to, which is saved there. */
interface Exchange {
  readonly request: HttpRequest
  readonly served: FastifyHttpRequest | null
  readonly reply: FastifyReply
  readonly endpoint: Endpoint
  readonly options: MountOptions
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, served, endpoint } = exchange
  try {
    await served?.sessionIfPresent?.read() // without one too: meanwhile the parser comes to the body (LazyBody.readSync)
  } catch (error) {
    return answerOutside(exchange, error)
  }
  try {
    const sending = finish(exchange, await endpoint.handle(request))
    if (sending instanceof Promise) await sending
  } catch (error) {
    removeBrokenHeaders(exchange.reply)
    await answerError(exchange, () => finishReset(exchange, failed(exchange, error)))
  }
}

const failed = ({ endpoint, options, request }: Exchange, error: unknown): HttpResponse =>
  readableAs(endpoint, request.headers, options.onError(error, request))

/** Never rejects. */
async function answerError({ reply }: Exchange, answered: () => MaybePromise<void>): Promise<void> {
  try {
    await answered()
  } catch (second) {
    reply.log.error({ err: second }, 'the answer to an error failed')
    sendBare(reply)
  }
}

/** Without what hooks have set, which may be what failed. The client is not left waiting. */
function sendBare(reply: FastifyReply): void {
  try {
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    sendResponse(reply, { status: 500, headers: {}, body: null })
  } catch {
    reply.raw.destroy()
  }
}

/** The answer is reset: what a route has done to the session goes with it, unless its cookie may stay. Source: rules.md,
 *  Unhandled exceptions. */
function finishReset(exchange: Exchange, outcome: HttpResponse): MaybePromise<void> {
  const isReset = exchange.endpoint.routeId !== undefined && !exchange.options.keepsCookies
  return finish(isReset ? { ...exchange, served: null } : exchange, outcome)
}

/** Answers what failed around the endpoint; its session is not saved (again). */
function answerOutside(exchange: Exchange, error: unknown): Promise<void> {
  const { endpoint, reply } = exchange
  return answerError(exchange, () =>
    sendResponse(reply, endpoint.onError?.(error) ?? failed(exchange, error)),
  )
}

/** Throws for a header that HTTP cannot carry, before anything of the answer has been sent. */
function finish(exchange: Exchange, made: HttpResponse): MaybePromise<void> {
  const { reply, options, served } = exchange
  const { vary, hasOpener } = exchange.endpoint
  const outcome = checkedResponse(vary === undefined ? made : varying(made, vary, reply))
  if (hasOpener === true && options.isHooked) removeOpenerPolicy(reply)
  if (options.closing.isClosing) reply.header('connection', 'close')
  const session = served?.sessionIfPresent ?? null
  if (session?.isOpen === true) return saveThenSend(exchange, outcome, session)
  send(exchange, outcome)
}

/** With the names in `Vary`, behind those that the answer, or a plugin, has there. Source: RFC 9110, 12.5.5. */
function varying(outcome: HttpResponse, names: readonly string[], reply: FastifyReply): HttpResponse {
  const said = [reply.getHeader('vary') ?? [], outcome.headers.vary ?? []].flat().join(', ')
  const known = said.split(',').map((name) => name.trim())
  const lower = new Set(known.map((name) => name.toLowerCase()))
  if (lower.has('*')) return outcome
  const all = [...new Set(known.filter((name) => name !== '')), ...names.filter((name) => !lower.has(name))]
  return { ...outcome, headers: { ...outcome.headers, vary: all.join(', ') } }
}

/** Of a hook of a plugin, as @fastify/helmet sets it on every answer. */
function removeOpenerPolicy(reply: FastifyReply): void {
  reply.removeHeader('cross-origin-opener-policy')
  reply.raw.removeHeader('cross-origin-opener-policy')
}

function send({ reply, options, served }: Exchange, outcome: HttpResponse): void {
  served?.headSent()
  const { body, headers } = outcome
  if (options.isHooked && headers['cache-control'] === undefined) markDefaultCaching(reply)
  if (isStreamingBody(body)) sendStreamingBody(reply, outcome, body, options.deferLogLine)
  else sendResponse(reply, outcome)
}

/** A write that failed is not tried again (decisions/http.md, Sessions). */
async function saveThenSend(
  exchange: Exchange,
  outcome: HttpResponse,
  session: BrowserSession,
): Promise<void> {
  const { reply } = exchange
  try {
    const lines = await session.save()
    if (lines.length > 0) reply.header('set-cookie', lines)
  } catch (error) {
    discard(outcome)
    return answerOutside(exchange, error)
  }
  send(exchange, outcome)
}
