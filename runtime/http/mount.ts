/** Between Fastify and the transport-independent functions: an endpoint becomes a Fastify handler, an `Outcome` a reply.
 *  Nothing here waits for what is already there. */
import { validateHeaderValue } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, HttpRequest, Outcome } from '../contract.ts'
import { discard } from './byte-stream.ts'
import type { Closing } from './closing.ts'
import { dispatchedRequest } from './dispatch.ts'
import { misfit } from './limits.ts'
import type { KeepLine } from './log.ts'
import { isPushBody, pushInto } from './push.ts'
import { sendStream } from './send-stream.ts'
import { type RequestOptions, ServedRequest } from './served-request.ts'
import type { BrowserSession } from './session.ts'
import { hasBody, isHeldBack } from './unread-body.ts'

export interface MountOptions extends RequestOptions {
  readonly urlLimitBytes: number
  readonly closing: Closing
  /** Null where hooks of plugins also wait for the end of an answer. */
  readonly keepLine: KeepLine | null
  /** Turns what an endpoint threw into an answer. */
  readonly onError: (error: unknown, request: HttpRequest) => Outcome
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => void

/** Answers with what the endpoint comes to. The session is read before it when the request carries one, and written
 *  before the answer leaves when it was changed. */
export function handlerOf(endpoint: Endpoint, options: MountOptions): Handler {
  return (request, reply) => {
    const dispatched = dispatchedRequest(request.raw)
    if (dispatched !== null) return answer({ request: dispatched, served: null, reply, endpoint, options })
    const unfit = misfit(request.raw, options)
    if (unfit !== null) return sendOutcome(reply, unfit)
    const served = new ServedRequest(request, reply, options)
    const exchange = { request: served, served, reply, endpoint, options }
    const session = served.usedSession
    if (session !== null) return readThenAnswer(exchange, session)
    // the body of most requests is in the packet of the headers: it is there a tick later, and nothing waits for it
    if (!request.raw.complete && hasBody(request.raw.headers)) process.nextTick(answer, exchange)
    else answer(exchange)
  }
}

function readThenAnswer(exchange: Exchange, session: BrowserSession): void {
  session.read().then(
    () => answer(exchange),
    (error: unknown) => sendOutcome(exchange.reply, outsideOutcome(exchange, error)),
  )
}

/** One request on its way. A dispatched one has the session of the request that it belongs to, which is saved there. */
interface Exchange {
  readonly request: HttpRequest
  readonly served: ServedRequest | null
  readonly reply: FastifyReply
  readonly endpoint: Endpoint
  readonly options: MountOptions
}

function answer(exchange: Exchange): void {
  try {
    const outcome = exchange.endpoint.handle(exchange.request)
    if (outcome instanceof Promise)
      outcome.then(
        (made) => finishOrFail(exchange, made),
        (error: unknown) => fail(exchange, error),
      )
    else finish(exchange, outcome)
  } catch (error) {
    fail(exchange, error)
  }
}

function finishOrFail(exchange: Exchange, outcome: Outcome): void {
  try {
    finish(exchange, outcome)
  } catch (error) {
    fail(exchange, error)
  }
}

function fail(exchange: Exchange, error: unknown): void {
  try {
    finish(exchange, exchange.options.onError(error, exchange.request))
  } catch (second) {
    exchange.reply.log.error({ err: second }, 'the answer to an error failed')
    sendOutcome(exchange.reply, { status: 500, headers: {}, body: null })
  }
}

/** The answer to what failed around the endpoint. */
function outsideOutcome({ endpoint, options, request }: Exchange, error: unknown): Outcome {
  return endpoint.onError?.(error) ?? options.onError(error, request)
}

/** Throws for a header that HTTP cannot carry, before anything of the answer has been sent. */
function finish(exchange: Exchange, outcome: Outcome): void {
  checkHeaders(outcome)
  if (exchange.options.closing.isClosing) exchange.reply.header('connection', 'close')
  const session = exchange.served?.usedSession ?? null
  if (session?.isOpen === true) saveThenSend(exchange, outcome, session)
  else send(exchange, outcome)
}

function send({ reply, options }: Exchange, outcome: Outcome): void {
  const { body } = outcome
  if (isPushBody(body)) pushInto(reply, outcome, body, options.keepLine)
  else sendOutcome(reply, outcome)
}

/** A write that failed is not tried again (reference/pipeline-and-exceptions, W8). */
function saveThenSend(exchange: Exchange, outcome: Outcome, session: BrowserSession): void {
  const { reply } = exchange
  session.save().then(
    (lines) => {
      if (lines.length > 0) reply.header('set-cookie', lines)
      send(exchange, outcome)
    },
    (error: unknown) => {
      discard(outcome)
      sendOutcome(reply, outsideOutcome(exchange, error))
    },
  )
}

/** Most answers carry headers that never change, the very object of the answer before. */
let lastSound: Outcome['headers'] | null = null

function checkHeaders(outcome: Outcome): void {
  const { headers } = outcome
  if (headers === lastSound) return
  try {
    for (const name in headers) {
      const value = headers[name]
      if (typeof value === 'string') validateHeaderValue(name, value)
      else for (const text of value ?? []) validateHeaderValue(name, text)
    }
    if (Object.isFrozen(headers)) lastSound = headers
  } catch (error) {
    discard(outcome)
    throw error
  }
}

/** Sends an outcome whose body is no `PushBody`; a HEAD request gets the headers only. */
export function sendOutcome(reply: FastifyReply, { status, headers, body }: Outcome): void {
  if (isPushBody(body)) throw new Error('only an endpoint may write as things happen')
  reply.code(status)
  for (const name in headers) reply.header(name, headers[name])
  // the rest of the body is not wanted: the connection cannot be used again
  if (status === 413 || isHeldBack(reply.raw)) reply.header('connection', 'close')
  if (body === null || typeof body === 'string') reply.send(body ?? undefined)
  else if (body instanceof Uint8Array) reply.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  else sendStream(reply, body)
}
