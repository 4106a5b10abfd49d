/** WebSocket routes on `@fastify/websocket`: around and before filters, parameters and exception handlers run before the
 *  upgrade is accepted, so that a refusal is an ordinary HTTP answer; then the action runs with the socket.
 *  Source: language.md, Method tags; RFC 6455. */
import { EventEmitter } from 'node:events'
import { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, HttpResponse } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { RequestAborted } from '../../errors.ts'
import type { AccessControl } from '../access/access-control.ts'
import { AccessRefusal } from '../access/access-refusal.ts'
import { discard } from '../output/byte-stream.ts'
import { Rendered } from '../pipeline/controller.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'
import { refusalBy } from '../pipeline/guards.ts'
import type { RouteWrapper } from '../pipeline/request-context.ts'
import type { MountOptions } from '../server/fastify-adapter.ts'
import { checkRequestTarget } from '../server/limits.ts'
import type { SourceTest } from '../server/origins.ts'
import { FastifyHttpRequest } from '../server/request.ts'
import { sendResponse } from '../server/send.ts'
import type { Socket } from './socket.ts'

const goingAway = 1001
const policyViolation = 1008
const internalError = 1011

/** How long clients may take to close when the server does. */
const closeGraceMs = 5_000

/** Pieces in which a message may come from the network: the library puts them together in time that grows with the square of their number,
 *  seven seconds for 262,144, its own bound. One packet alone has more bytes than the mean of these. */
const maxPieces = (maxPayload: number): number => Math.max(8192, Math.ceil(maxPayload / 1024))

/** Registers the library; a message above `maxPayload` bytes closes its connection (1009), one in too many pieces too (1008). */
export async function registerWebsockets(app: FastifyInstance, maxPayload: number): Promise<void> {
  const { default: fastifyWebsocket } = await import('@fastify/websocket') // only where there is a route for it
  await app.register(fastifyWebsocket, {
    options: { maxPayload, maxBufferedChunks: maxPieces(maxPayload) },
    errorHandler: (_error, socket) => socket.terminate(), // an unclean end of the client: the action sees `close`
    preClose(done) {
      for (const client of this.websocketServer.clients) closeGracefully(client, goingAway)
      this.websocketServer.close()
      done()
    },
  })
}

function closeGracefully(client: Socket, code: number): void {
  client.close(code)
  const force = setTimeout(() => client.terminate(), closeGraceMs).unref()
  client.once('close', () => clearTimeout(force))
}

/** The upgrade is accepted before the method is called. What the method throws afterwards is logged and closes the connection: there is no
 *  answer any more. */
export function acceptingUpgrade(log: Logger, access: AccessControl): RouteWrapper {
  return {
    name: 'upgrade',
    place: 'method',
    wrap: (call) => async (context, args) => {
      const { request, prepared } = context
      if (!(request instanceof UpgradeRequest)) throw new Error('the request asks for no upgrade')
      const socket = await request.accept()
      const forget = access.whileOpen(request, () => endSocket(socket))
      if (forget !== null) socket.once('close', forget)
      try {
        await call(context, [socket, ...args])
      } catch (error) {
        if (error instanceof AccessRefusal) endSocket(socket)
        else {
          log.error({ requestId: request.id, route: prepared.route.id, err: error }, 'unhandled exception')
          socket.close(internalError)
        }
      }
      return new Rendered(101, { kind: 'none' })
    },
  }
}

/** Its token is good no more, or not enough: what still comes is not heard. */
function endSocket(socket: Socket): void {
  if (socket instanceof EventEmitter) socket.removeAllListeners('message')
  closeGracefully(socket, policyViolation)
}

export interface WebsocketOptions extends MountOptions {
  readonly foreignSource: SourceTest
  /** Says that an upgrade was accepted. */
  readonly accepted: (request: FastifyRequest, reply: FastifyReply) => void
}

type Waiting = WeakMap<FastifyRequest, (socket: Socket) => void>

/** Mounts one WebSocket route. */
export function mountWebsocket(app: FastifyInstance, endpoint: Endpoint, options: WebsocketOptions): void {
  const waiting: Waiting = new WeakMap()
  app.route({
    method: 'GET',
    url: endpoint.path,
    preHandler: (request, reply, done) => {
      const served = new UpgradeRequest(request, reply, options)
      served.upgrade = (resolve) => {
        options.accepted(request, reply)
        waiting.set(request, resolve)
        done()
      }
      serve(served, request, endpoint, options)
        .then((outcome) => {
          if (outcome !== null) sendResponse(reply, outcome)
        })
        .catch((error: unknown) => {
          reply.log.error({ err: error }, 'the answer to an error failed')
          if (!closeAfter(served, bare500)) sendResponse(reply, bare500)
        })
    },
    handler: (_request, reply) => sendResponse(reply, upgradeRequired),
    wsHandler: (socket, request) => waiting.get(request)?.(socket),
  })
}

/** A request that asks for an upgrade, which its route accepts when the filters have passed. */
class UpgradeRequest extends FastifyHttpRequest {
  /** Leaves HTTP, and passes the socket on. */
  upgrade: (resolve: (socket: Socket) => void) => void = () => {}
  /** The accepted one. */
  socket: Socket | null = null

  /** Rejects with `RequestAborted` when the client has left before: no event would ever say that there is no socket. */
  async accept(): Promise<Socket> {
    this.socket = await new Promise<Socket>((resolve, reject) => {
      let isGone = false
      const stop = this.onDisconnect(() => {
        isGone = true
        reject(new RequestAborted())
      })
      if (isGone) return
      this.upgrade((socket) => {
        stop()
        resolve(socket)
      })
    })
    return this.socket
  }
}

const foreign = {
  host: jsonResponse(403, { error: 'this host is not served here' }),
  origin: jsonResponse(403, { error: 'this origin is not allowed' }),
}

const upgradeRequired = jsonResponse(
  426,
  { error: 'a WebSocket upgrade is required' },
  { upgrade: 'websocket' },
)
const unknownVersion = jsonResponse(
  426,
  { error: 'only version 13 of WebSocket is spoken' },
  { upgrade: 'websocket', 'sec-websocket-version': '13' },
)
const badHandshake = jsonResponse(400, { error: 'the WebSocket handshake is malformed' })

/** The answer to a request that may not open a socket, before its session is read, or null. */
async function refusal(
  { raw, ws }: FastifyRequest,
  served: FastifyHttpRequest,
  { guards = [] }: Endpoint,
  options: WebsocketOptions,
): Promise<HttpResponse | null> {
  const badTarget = checkRequestTarget(raw, options)
  if (badTarget !== null) return badTarget
  const wrong = options.foreignSource(served.headers)
  if (wrong !== null) return foreign[wrong]
  return (await refusalBy(guards, served)) ?? handshakeRefusal(raw, ws)
}

/** RFC 6455, 4.2.1 and 4.4. */
function handshakeRefusal(raw: IncomingMessage, ws: boolean): HttpResponse | null {
  if (!ws || raw.headers.upgrade?.toLowerCase() !== 'websocket') return upgradeRequired
  if (raw.headers['sec-websocket-version'] !== '13') return unknownVersion
  const key = raw.headers['sec-websocket-key'] ?? ''
  return /^[+/0-9A-Za-z]{22}==$/.test(key) ? null : badHandshake
}

const bare500: HttpResponse = { status: 500, headers: {}, body: null }

/** The refusal to send, or null when the upgrade was accepted. */
async function serve(
  request: UpgradeRequest,
  sent: FastifyRequest,
  endpoint: Endpoint,
  options: WebsocketOptions,
): Promise<HttpResponse | null> {
  const { outcome, isSessionSaved } = await handled(request, sent, endpoint, options)
  if (closeAfter(request, outcome)) {
    request.headSent()
    return null
  }
  return isSessionSaved ? withSession(request, outcome, options) : outcome
}

interface Handled {
  readonly outcome: HttpResponse
  readonly isSessionSaved: boolean
}

/** Saving comes after it: what fails there is no reason to save again. */
async function handled(
  request: UpgradeRequest,
  sent: FastifyRequest,
  endpoint: Endpoint,
  options: WebsocketOptions,
): Promise<Handled> {
  try {
    const refused = await refusal(sent, request, endpoint, options)
    if (refused !== null) return { outcome: refused, isSessionSaved: false }
    await request.sessionIfPresent?.read()
    return { outcome: await endpoint.handle(request), isSessionSaved: true }
  } catch (error) {
    return { outcome: options.onError(error, request), isSessionSaved: options.keepsCookies } // else it is reset
  }
}

/** A filter that fails after the upgrade can only close the connection. */
function closeAfter({ socket }: UpgradeRequest, { status }: HttpResponse): boolean {
  if (socket !== null && status >= 500) socket.close(internalError)
  return socket !== null
}

/** A write that failed is not tried again (decisions/http.md, Sessions). */
async function withSession(
  request: FastifyHttpRequest,
  outcome: HttpResponse,
  { onError }: WebsocketOptions,
): Promise<HttpResponse> {
  const session = request.sessionIfPresent
  if (session?.isOpen !== true) return outcome
  try {
    return withCookies(outcome, await session.save())
  } catch (error) {
    discard(outcome)
    return onError(error, request)
  }
}

function withCookies(outcome: HttpResponse, lines: readonly string[]): HttpResponse {
  if (lines.length === 0) return outcome
  const cookies = [outcome.headers['set-cookie'] ?? [], ...lines].flat()
  return { ...outcome, headers: { ...outcome.headers, 'set-cookie': cookies } }
}

/** Messages that offer to change protocols; not a field, for the constructor of `IncomingMessage` writes `upgrade` already. */
const offers = new WeakSet<IncomingMessage>()

/** Which requests leave HTTP: those that open a WebSocket. Any other offer is ignored, as a server may that speaks no other protocol;
 *  clients of Java make one (`h2c`) with each first request. Node asks `upgrade` when it has read the headers, and hands the socket over
 *  where it holds. Source: RFC 9110, 7.8; RFC 6455, 4.2.1. */
export class WebsocketMessage extends IncomingMessage {
  get upgrade(): boolean {
    if (!offers.has(this) || this.method === 'CONNECT') return offers.has(this)
    return this.method === 'GET' && this.headers.upgrade?.toLowerCase() === 'websocket'
  }

  set upgrade(isOffered: boolean | null) {
    if (isOffered === true) offers.add(this)
  }
}

const noWebsocket = jsonResponse(400, { error: 'no WebSocket is served here' })

/** Refuses a WebSocket at `paths`, which the library would open and close again for any origin. */
export function refuseUpgradesAt(app: FastifyInstance, paths: readonly string[]): void {
  const plain = new Set(paths)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.ws || !plain.has(request.routeOptions.url ?? '')) done()
    else sendResponse(reply, noWebsocket)
  })
}
