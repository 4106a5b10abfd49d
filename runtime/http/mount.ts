/** Between Fastify and the transport-independent functions: an endpoint becomes a Fastify handler, an `Outcome` a reply.
 *  Nothing here waits for what is already there. */
import { validateHeaderValue } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, HttpRequest, Outcome } from '../contract.ts'
import type { Closing } from './closing.ts'
import { dispatchedRequest } from './dispatch.ts'
import { misfit } from './limits.ts'
import { sendStream } from './send-stream.ts'
import { type RequestOptions, ServedRequest } from './served-request.ts'
import type { BrowserSession } from './session.ts'
import { isHeldBack } from './unread-body.ts'

export interface MountOptions extends RequestOptions {
  readonly urlLimitBytes: number
  readonly closing: Closing
  /** Turns what an endpoint threw into an answer. */
  readonly onError: (error: unknown, request: HttpRequest) => Outcome
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => void

/** Answers with what the endpoint comes to. The session is read before it when the request carries one, and written
 *  before the answer leaves when it was changed. */
export function handlerOf(endpoint: Endpoint, mounted: MountOptions): Handler {
  const options = withOwnErrors(endpoint, mounted)
  const run = (request: HttpRequest): Outcome | Promise<Outcome> => endpoint.handle(request)
  return (request, reply) => {
    const dispatched = dispatchedRequest(request.raw)
    if (dispatched !== null) return answer({ request: dispatched, reply, session: null, options }, run)
    const unfit = misfit(request.raw, options)
    if (unfit !== null) return sendOutcome(reply, unfit)
    const served = new ServedRequest(request, reply, options)
    const session = served.usedSession
    if (session === null)
      return answer({ request: served, reply, session: () => served.usedSession, options }, run)
    session.read().then(
      () => answer({ request: served, reply, session: () => session, options }, run),
      (error: unknown) => sendOutcome(reply, options.onError(error, served)),
    )
  }
}

/** What fails around an endpoint is answered in the endpoint's own shape, where it has one. */
function withOwnErrors({ onError: own }: Endpoint, mounted: MountOptions): MountOptions {
  if (own === undefined) return mounted
  return { ...mounted, onError: (error, request) => own(error) ?? mounted.onError(error, request) }
}

/** One request on its way. A dispatched one has the session of the request that it belongs to, saved there. */
interface Exchange {
  readonly request: HttpRequest
  readonly reply: FastifyReply
  readonly session: (() => BrowserSession | null) | null
  readonly options: MountOptions
}

function answer(exchange: Exchange, run: (request: HttpRequest) => Outcome | Promise<Outcome>): void {
  const failed = (error: unknown): void => finish(exchange, exchange.options.onError(error, exchange.request))
  try {
    const outcome = run(exchange.request)
    if (outcome instanceof Promise) outcome.then((done) => finish(exchange, done)).catch(failed)
    else finish(exchange, outcome)
  } catch (error) {
    failed(error)
  }
}

/** Throws for a header that HTTP cannot carry, before anything of the answer has been sent. */
function finish(exchange: Exchange, outcome: Outcome): void {
  checkHeaders(outcome)
  if (exchange.options.closing.isClosing) exchange.reply.header('connection', 'close')
  const session = exchange.session?.() ?? null
  if (session?.isOpen === true) saveThenSend(exchange, outcome, session)
  else sendOutcome(exchange.reply, outcome)
}

/** A write that failed is not tried again (reference/pipeline-and-exceptions, W8). */
function saveThenSend(
  { request, reply, options }: Exchange,
  outcome: Outcome,
  session: BrowserSession,
): void {
  session.save().then(
    (lines) => {
      if (lines.length > 0) reply.header('set-cookie', lines)
      sendOutcome(reply, outcome)
    },
    (error: unknown) => sendOutcome(reply, options.onError(error, request)),
  )
}

function checkHeaders({ headers }: Outcome): void {
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') validateHeaderValue(name, value)
    else for (const text of value ?? []) validateHeaderValue(name, text)
  }
}

/** Sends an outcome; a HEAD request gets the headers only. */
export function sendOutcome(reply: FastifyReply, { status, headers, body }: Outcome): void {
  reply.code(status)
  for (const name in headers) reply.header(name, headers[name])
  // the rest of the body is not wanted: the connection cannot be used again
  if (status === 413 || isHeldBack(reply.raw)) reply.header('connection', 'close')
  if (body === null || typeof body === 'string') reply.send(body ?? undefined)
  else if (body instanceof Uint8Array) reply.send(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  else sendStream(reply, body)
}
