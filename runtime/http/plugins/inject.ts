/** Tool calls behind plugins: through Fastify's own routing, so that no hook is skipped, and pinned to the tool's route.
 *  Source: house.md, The runtime. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import inject, { type DispatchFunc, type InjectOptions, isInjection } from 'light-my-request'
import type { HeaderMap, HttpRequest, HttpResponse, MaybePromise, RefusedBy } from '../../contract/http.ts'
import { RequestAborted } from '../../errors.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'
import { onDisconnect } from '../pipeline/on-disconnect.ts'
import { hasSameValues, type PinnedRoute } from './pinned-route.ts'

export interface PinnedCall {
  readonly request: HttpRequest
  readonly pin: PinnedRoute
  /** What hooks see as the Host header. */
  readonly host: string
}

/** Resolves with what the same request over HTTP would be answered, `Date` and framing headers left out; of a body of more
 *  than 8 MiB what came until then, and its stream is cancelled. A call that is routed elsewhere than to its own route
 *  resolves with 400, and nothing of that route runs. Rejects with `RequestAborted` when the caller waits no more, or a hook has
 *  ended the response, as soon as the route has ended. */
export async function injectCall(app: FastifyInstance, call: PinnedCall): Promise<HttpResponse> {
  const token = randomUUID()
  const injected = new InjectedCall(call)
  waiting.set(token, injected)
  const stop = onDisconnect(call.request, (by) => {
    if (by === 'client') injected.giveUp()
  })
  try {
    const answer = await inject(dispatchTo(app), { ...optionsOf(call, token), payloadAsStream: true })
    const body = await injected.readBody(answer.stream())
    const { statusCode: status, headers } = answer
    return { status, headers: ownHeaders(headers), ...body, refusedBy: injected.refusedWith(status) }
  } catch (error) {
    if (injected.isElsewhere) return elsewhere
    await Promise.resolve(injected.work).catch(() => {}) // a client that leaves again and again must not have more running than its share
    throw injected.isGone || isEndedByHook(error) ? new RequestAborted() : error
  } finally {
    stop()
    waiting.delete(token)
  }
}

/** `app.inject` refuses when the server ends, but what a client has sent before is answered. */
const dispatchTo =
  (app: FastifyInstance): DispatchFunc =>
  (message, response) =>
    app.routing(message as unknown as IncomingMessage, response as unknown as ServerResponse) // they behave as these do

/** Whether `inject` failed because the response was destroyed before its end. */
const isEndedByHook = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'LIGHT_ECONNRESET'

const elsewhere = jsonResponse(400, {
  error: 'a path argument leads to another address than that of the tool',
})

const tokenHeader = 'x-acmcp-call'

/** Calls on their way in: the token stays in this file, and works once. */
const waiting = new Map<string, InjectedCall>()

const arrived = new WeakMap<IncomingMessage, InjectedCall>()

/** The call that came in this message, or null for one that came over a connection. */
export const injectedCall = (raw: IncomingMessage): InjectedCall | null => arrived.get(raw) ?? null

/** Of the answer to such a call, which leaves as HTTP. */
export function noteRefusal(raw: IncomingMessage, refusal: Refused): void {
  const call = arrived.get(raw)
  if (call !== undefined) call.refusal = refusal
}

type Refused = Pick<HttpResponse, 'status' | 'refusedBy'>

/** The id of the request that a call on its way in belongs to; null for every other message. */
export function idOfInjected({ headers }: IncomingMessage): string | null {
  const token = headers[tokenHeader]
  return typeof token === 'string' ? (waiting.get(token)?.request.id ?? null) : null
}

function optionsOf({ request, host }: PinnedCall, token: string): InjectOptions {
  const { method, url, ip, headers, body } = request
  const content = body.kind === 'value' ? JSON.stringify(body.value) : undefined
  const type = content === undefined ? {} : { 'content-type': 'application/json' }
  return {
    method: method as NonNullable<InjectOptions['method']>, // a route's verb
    url,
    remoteAddress: ip,
    validate: false, // all of it is ours
    headers: { ...headers, ...type, host, [tokenHeader]: token } as NonNullable<InjectOptions['headers']>, // read only
    ...(content === undefined ? {} : { payload: content }),
  }
}

const routeIdKey = Symbol('routeId')

/** The part of a Fastify route's `config` by which a call knows its own route. */
export const routeConfig = (routeId: string | undefined): object => ({ [routeIdKey]: routeId })

/** Receives the calls before any hook of a plugin sees them; must be there before the plugins are. */
export function receiveInjectedCalls(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    if (isInjection(raw)) {
      keepMethods(raw)
      keepMethods(reply.raw)
    }
    const token = raw.headers[tokenHeader]
    const call = typeof token === 'string' ? waiting.get(token) : undefined
    if (call === undefined) return done()
    waiting.delete(String(token))
    arrived.set(raw, call)
    if (call.arrive(request, reply)) done()
  })
}

/** Express gives request and response another prototype, and with it methods that write to a connection: an injected call has none, and
 *  would never be answered. */
function keepMethods(own: object): void {
  const prototype: object = Object.getPrototypeOf(own)
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const method: unknown = Reflect.get(own, name)
    if (name !== 'constructor' && typeof method === 'function') Reflect.set(own, name, method)
  }
}

const ofTheTransport = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

function ownHeaders(headers: Readonly<Record<string, unknown>>): HttpResponse['headers'] {
  const own: Record<string, unknown> = {}
  for (const name in headers) if (!ofTheTransport.has(name)) own[name] = headers[name]
  return own as HttpResponse['headers'] // texts and lists of texts: `inject` made them of what was set
}

/** Of a body that is kept. */
const maxInjectedBytes = 8 * 1024 * 1024

/** One call on its way through hooks and route. */
export class InjectedCall {
  readonly request: HttpRequest
  /** Whether it was routed to another route than its own. */
  isElsewhere = false
  /** The route's own, also after its client has gone. */
  work: MaybePromise<unknown> = null
  /** That of ours that was sent, before the hooks saw it. */
  refusal: Refused | null = null
  readonly #pin: PinnedRoute
  #isGone = false
  #message: IncomingMessage | null = null
  #response: ServerResponse | null = null
  /** Headers that the call itself does not have, as hooks saw them first. */
  #added: HeaderMap = {}

  constructor({ request, pin }: PinnedCall) {
    this.request = request
    this.#pin = pin
  }

  /** What of ours refused it, where the answer still has its status: a hook may have put its own in its place. */
  refusedWith(status: number): RefusedBy | undefined {
    return this.refusal?.status === status ? this.refusal.refusedBy : undefined
  }

  /** Whether it may go on. */
  arrive(request: FastifyRequest, reply: FastifyReply): boolean {
    this.#message = request.raw
    this.#response = reply.raw
    this.#added = this.#cleanHeaders(request.raw)
    this.isElsewhere = !this.#isOwnRoute(request)
    if (this.#isGone) this.giveUp()
    else if (this.isElsewhere) reply.hijack().raw.destroy()
    return !this.isElsewhere && !this.#isGone
  }

  /** Whether its client has left. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** The headers as hooks have left them, without those that the call itself does not have. */
  headersAfterHooks({ headers }: IncomingMessage): HeaderMap {
    const kept: Record<string, HeaderMap[string]> = {}
    for (const name in headers) if (headers[name] !== this.#added[name]) kept[name] = headers[name]
    return kept
  }

  /** As when a connection breaks. */
  giveUp(): void {
    this.#isGone = true
    const message = this.#message
    if (message === null) return
    message.aborted = true
    message.emit('aborted')
    message.destroy()
    if (!message.destroyed) message.emit('close') // it was read to its end
    this.#response?.destroy()
  }

  /** The body as far as it is kept; rejects when the answer breaks off. Listeners: an iterator costs a tenth of the call. */
  readBody(body: Readable): Promise<Pick<HttpResponse, 'body' | 'isCut'>> {
    const chunks: Uint8Array[] = []
    let size = 0
    return new Promise((resolve, reject) => {
      const done = (): void => {
        const isCut = size > maxInjectedBytes
        resolve({ body: size === 0 ? null : Buffer.concat(chunks, size), ...(isCut ? { isCut } : {}) })
      }
      body.on('data', (chunk: Uint8Array) => {
        chunks.push(chunk)
        size += chunk.length
        if (size <= maxInjectedBytes) return
        done()
        this.#response?.destroy()
      })
      body.on('end', done).on('error', reject)
    })
  }

  /** Removes headers that `inject` and our token added. */
  #cleanHeaders(message: IncomingMessage): HeaderMap {
    const sent = this.request.headers
    const headers: IncomingHttpHeaders = {}
    const added: Record<string, HeaderMap[string]> = {}
    const raw: string[] = []
    for (const name in message.headers) {
      if (name === tokenHeader || (name === 'user-agent' && sent[name] === undefined)) continue
      const value = message.headers[name]
      headers[name] = value
      raw.push(name, String(value))
      if (sent[name] === undefined) added[name] = value
    }
    message.headers = headers
    message.rawHeaders = raw
    return added
  }

  #isOwnRoute({ routeOptions, params }: FastifyRequest): boolean {
    const routeId: unknown = Reflect.get(routeOptions.config ?? {}, routeIdKey)
    const isPinned = typeof routeId === 'string' && this.#pin.routeIds.has(routeId)
    return isPinned && hasSameValues(params as HttpRequest['params'], this.request.params) // texts from the path
  }
}
