/** A response that is kept instead of sent. It is Node's own class, so that hooks and plugins find all that they use, but
 *  what Node does to put an answer on a connection (the head as a text, `Date`, writes and corks) is left out: most of the
 *  time of a dispatched request went there. Where Node refuses a call, Node itself is asked. */
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Outcome } from '../contract.ts'

/** Who waits for the answer; one of the two is called, once. */
export interface Keeper {
  /** The response has ended, or more has come than is kept. */
  readonly kept: (outcome: Outcome) => void
  /** It was destroyed before. */
  readonly gaveUp: () => void
}

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[]
type WriteArguments = Parameters<ServerResponse['write']>
type EndArguments = Parameters<ServerResponse['end']>

/** What Node's getters (`headersSent`, `writableEnded`, `closed`) read. Source: lib/_http_outgoing.js. */
interface Inner {
  _header: string | null
  _hasBody: boolean
  _closed: boolean
  finished: boolean
  socket: Socket
}

const innerOf = (response: KeptResponse): Inner => response as unknown as Inner // which Node's types leave out

const ofTheTransport = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

const mostBytes = 8 * 1024 * 1024

/** Keeps what is sent, one of more than 8 MiB up to there, and emits what Node emits. */
export class KeptResponse extends ServerResponse {
  readonly #keeper: Keeper
  readonly #chunks: (string | Uint8Array)[] = []
  readonly #headers: Record<string, string | readonly string[]> = {}
  #size = 0
  #isHandedOver = false

  constructor(message: IncomingMessage, keeper: Keeper) {
    super(message)
    this.#keeper = keeper
    innerOf(this).socket = message.socket
  }

  override writeHead(status: number, reason?: string | GivenHeaders, given?: GivenHeaders): this {
    if (this.headersSent) return super.writeHead(status) // refuses
    this.statusCode = status
    const inner = innerOf(this)
    if (status === 204 || status === 304) inner._hasBody = false
    const names = this.getHeaderNames()
    for (const name of names) this.#keepHeader(name, this.getHeader(name))
    this.#keepHeaders(typeof reason === 'object' ? reason : (given ?? {}))
    inner._header = 'kept'
    return this
  }

  override flushHeaders(): void {
    if (!this.headersSent) this.writeHead(this.statusCode)
  }

  override write(...args: unknown[]): boolean {
    const [chunk, encoding] = args
    if (this.writableEnded || this.destroyed || !isChunk(chunk)) {
      return super.write(...(args as unknown as WriteArguments)) // refuses
    }
    this.flushHeaders()
    this.#keep(chunk, encoding)
    const done = args.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return this.#size <= mostBytes // nobody would say "drain": a response that wants a pause would wait for ever
  }

  override end(...args: unknown[]): this {
    const [chunk, encoding] = args
    const isEmpty = chunk === undefined || chunk === null || chunk === '' || typeof chunk === 'function'
    if (this.writableEnded || this.destroyed || !(isEmpty || isChunk(chunk))) {
      return super.end(...(args as unknown as EndArguments)) // refuses
    }
    this.flushHeaders()
    if (isChunk(chunk)) this.#keep(chunk, encoding)
    const done = args.at(-1)
    if (typeof done === 'function') this.once('finish', () => done())
    innerOf(this).finished = true
    this.emit('prefinish')
    process.nextTick(finish, this)
    return this
  }

  override destroy(): this {
    if (this.destroyed) return this
    this.destroyed = true
    process.nextTick(close, this)
    return this
  }

  /** Gives what there is to who waits. */
  handOver(): void {
    this.#isHandedOver = true
    this.#keeper.kept({ status: this.statusCode, headers: this.#headers, body: this.#body() })
  }

  giveUp(): void {
    if (!this.#isHandedOver) this.#keeper.gaveUp()
  }

  #body(): string | Uint8Array | null {
    const [first] = this.#chunks
    if (first === undefined || this.#chunks.length === 1) return first ?? null
    return Buffer.concat(
      this.#chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
    )
  }

  #keepHeaders(given: GivenHeaders): void {
    if (!Array.isArray(given)) {
      for (const name in given) this.#keepHeader(name, given[name])
      return
    }
    const flat = Array.isArray(given[0]) ? given.flat() : given // pairs, or names and values in turn
    for (let at = 0; at < flat.length; at += 2) this.#keepHeader(String(flat[at]), flat[at + 1])
  }

  /** Throws for what HTTP cannot carry, as Node does. */
  #keepHeader(given: string, value: OutgoingHttpHeader | undefined): void {
    if (value === undefined) return
    const name = given.toLowerCase()
    validateHeaderName(name)
    const kept = Array.isArray(value) ? value.map(String) : String(value)
    for (const line of Array.isArray(kept) ? kept : [kept]) validateHeaderValue(name, line)
    if (!ofTheTransport.has(name)) this.#headers[name] = kept
  }

  #keep(chunk: string | Uint8Array, encoding: unknown): void {
    if (!innerOf(this)._hasBody || this.#size > mostBytes || chunk.length === 0) return
    const isText = typeof chunk !== 'string' || typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)
    const kept = isText ? chunk : Buffer.from(chunk, encoding as BufferEncoding) // one that Buffer refuses is no encoding
    this.#chunks.push(kept)
    this.#size += kept.length
    if (this.#size <= mostBytes) return
    this.handOver()
    this.destroy()
  }
}

const isChunk = (chunk: unknown): chunk is string | Uint8Array =>
  typeof chunk === 'string' || chunk instanceof Uint8Array

function finish(response: KeptResponse): void {
  if (response.destroyed) return
  response.emit('finish')
  response.handOver()
  response.destroy()
}

function close(response: KeptResponse): void {
  response.giveUp()
  innerOf(response)._closed = true
  response.emit('close')
}
