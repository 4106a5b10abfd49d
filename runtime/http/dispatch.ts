/** Runs a request that came in another way (a tool call) through Fastify's own routing, so that no hook of the
 *  application is skipped; lighter than `inject`, which is the reference in tests. Source: house.md, The runtime. */
import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { HttpRequest, Outcome } from '../contract.ts'
import { RequestAborted } from '../errors.ts'

/** The request that is dispatched in this message, or null for one that came over a connection. */
export const dispatchedRequest = (raw: IncomingMessage): HttpRequest | null =>
  raw instanceof DispatchedMessage ? raw.request : null

/** Answers as the same request over HTTP would be answered, `Date` and framing headers left out; the body is read whole,
 *  one of more than 8 MiB up to there (no tool call shows so much), and its stream is then cancelled.
 *  `host` is what hooks see as the Host header. Rejects with `RequestAborted` when nobody waits any more. */
export function dispatch(app: FastifyInstance, request: HttpRequest, host: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const socket = new NoSocket(request.ip) as unknown as Socket // the members that Node and Fastify use
    const message = new DispatchedMessage(request, socket, host)
    const response = new KeptResponse(message)
    response.assignSocket(socket)
    const { signal } = request
    const abort = (): void => void response.destroy()
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    response.once('finish', () => resolve(response.outcome()))
    response.onFull = (): void => {
      resolve(response.outcome())
      abort()
    }
    response.once('close', () => {
      signal.removeEventListener('abort', abort)
      reject(new RequestAborted()) // without effect when it has finished
    })
    app.routing(message, response)
  })
}

/** What is written here has been kept already. */
class NoSocket extends Writable {
  readonly remoteAddress: string
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done()
  }
  setTimeout(): this {
    return this
  }
}

class DispatchedMessage extends IncomingMessage {
  readonly request: HttpRequest
  readonly #content: string | null

  constructor(request: HttpRequest, socket: Socket, host: string) {
    super(socket)
    this.request = request
    this.method = request.method
    this.url = request.url
    this.httpVersion = '1.1'
    this.httpVersionMajor = 1
    this.httpVersionMinor = 1
    this.#content = request.body.kind === 'value' ? JSON.stringify(request.body.value) : null
    this.headers = { host, ...(request.headers as IncomingMessage['headers']), ...this.#entityHeaders() } // lower case
    this.complete = true
  }

  #entityHeaders(): IncomingMessage['headers'] {
    if (this.#content === null) return {}
    return { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(this.#content)) }
  }

  override _read(): void {
    if (this.#content !== null) this.push(this.#content)
    this.push(null)
  }
}

const ofTheTransport = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

const mostBytes = 8 * 1024 * 1024

type EndArguments = Parameters<ServerResponse['end']>

/** Keeps what is sent. */
class KeptResponse extends ServerResponse {
  readonly #chunks: (string | Uint8Array)[] = []
  #size = 0
  /** Called when more has come than is kept. */
  onFull: () => void = () => {}

  get #isFull(): boolean {
    return this.#size > mostBytes
  }

  outcome(): Outcome {
    const headers: Record<string, string | readonly string[]> = {}
    for (const [name, value] of Object.entries(this.getHeaders())) {
      if (value === undefined || ofTheTransport.has(name)) continue
      headers[name] = Array.isArray(value) ? value : String(value)
    }
    return { status: this.statusCode, headers, body: this.#body() }
  }

  #body(): string | Uint8Array | null {
    if (this.#chunks.length === 0) return null
    const texts = this.#chunks.filter((chunk) => typeof chunk === 'string')
    if (texts.length === this.#chunks.length) return texts.join('')
    return Buffer.concat(this.#chunks.map((chunk) => Buffer.from(chunk as string))) // or bytes: both are taken
  }

  /** Headers given here are kept like those that were set before. */
  override writeHead(
    status: number,
    reason?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
    headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
  ): this {
    const given = typeof reason === 'object' ? reason : (headers ?? {})
    for (const [name, value] of pairsOf(given)) this.setHeader(name, value)
    return super.writeHead(status)
  }

  override write(...args: unknown[]): boolean {
    this.#keep(args[0])
    super.write(...(args as unknown as Parameters<ServerResponse['write']>)) // one of Node's own forms
    return !this.#isFull // nobody would say "drain": without a server, a response that wants a pause waits for ever
  }

  override end(...args: unknown[]): this {
    if (typeof args[0] !== 'function') this.#keep(args[0])
    return super.end(...(args as unknown as EndArguments)) // one of Node's own forms
  }

  #keep(chunk: unknown): void {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    if (this.#isFull) return
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#isFull) this.onFull()
  }
}

function pairsOf(headers: OutgoingHttpHeaders | OutgoingHttpHeader[]): [string, OutgoingHttpHeader][] {
  if (!Array.isArray(headers)) {
    return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  }
  const flat = headers.map(String)
  return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []))
}
