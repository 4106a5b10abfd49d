/** Runs a request that came in another way (a tool call) through Fastify's own routing, so that no hook of the
 *  application is skipped; lighter than `inject`, which is the reference in tests. Source: house.md, The runtime. */
import { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { HttpRequest, Outcome } from '../contract.ts'
import { RequestAborted } from '../errors.ts'
import { whenGone } from './gone.ts'
import { KeptResponse } from './kept-response.ts'

/** The request that is dispatched in this message, or null for one that came over a connection. */
export const dispatchedRequest = (raw: IncomingMessage): HttpRequest | null =>
  raw instanceof DispatchedMessage ? raw.request : null

/** Answers as the same request over HTTP would be answered, `Date` and framing headers left out; the body is read whole,
 *  one of more than 8 MiB up to there (no tool call shows so much), and its stream is then cancelled.
 *  `host` is what hooks see as the Host header. Rejects with `RequestAborted` when nobody waits any more. */
export function dispatch(app: FastifyInstance, request: HttpRequest, host: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const message = new DispatchedMessage(request, host)
    const response = new KeptResponse(message, {
      kept: resolve,
      gaveUp: () => reject(new RequestAborted()),
    })
    response.once(
      'close',
      whenGone(request, () => {
        message.giveUp()
        response.destroy()
      }),
    )
    app.routing(message, response)
  })
}

/** Nothing is written to it. */
class NoSocket extends Writable {
  readonly #request: HttpRequest

  constructor(request: HttpRequest) {
    super()
    this.#request = request
  }

  get remoteAddress(): string {
    return this.#request.ip
  }

  setTimeout(): this {
    return this
  }
}

class DispatchedMessage extends IncomingMessage {
  readonly request: HttpRequest
  readonly #content: string | null

  constructor(request: HttpRequest, host: string) {
    super(new NoSocket(request) as unknown as Socket) // the members that Node and Fastify use
    this.request = request
    this.method = request.method
    this.url = request.url
    this.httpVersion = '1.1'
    this.httpVersionMajor = 1
    this.httpVersionMinor = 1
    this.complete = true
    const headers = request.headers as IncomingMessage['headers'] // their names are lower case
    if (request.body.kind !== 'value') {
      this.#content = null
      this.headers = { host, ...headers }
    } else {
      this.#content = JSON.stringify(request.body.value)
      const length = String(Buffer.byteLength(this.#content))
      this.headers = { host, ...headers, 'content-type': 'application/json', 'content-length': length }
    }
  }

  override _read(): void {
    if (this.#content !== null) this.push(this.#content)
    this.push(null)
  }

  /** As when a connection breaks. */
  giveUp(): void {
    this.aborted = true
    this.socket.destroy()
    this.emit('aborted')
    this.destroy()
  }
}
