/** The body of an HTTP request, unread until the route asks. Source: house.md, The runtime. */
import { type IncomingHttpHeaders, IncomingMessage, type ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { PayloadTooLarge, RequestAborted } from '../../errors.ts'
import type { BytesBody } from './body.ts'
import { BodyRefused } from './body-refused.ts'

export interface BodySource {
  readonly headers: IncomingHttpHeaders
  readonly payload: Readable
  readonly response: ServerResponse
  readonly limitBytes: number
  /** Whether a plugin's hook may wait for the end of the message. */
  readonly isHooked: boolean
  /** Whether `payload` is what a hook has made of the message: what headers say of its length is not said of it. */
  readonly isReplaced: boolean
  /** Whether it is still in the content coding that headers name. */
  readonly isEncoded: boolean
}

const nothing = new Uint8Array()

/** Reads once; a `Content-Length` above the limit is refused without reading. */
export class LazyBody implements BytesBody {
  readonly kind = 'bytes'
  readonly contentType: string | null
  readonly coding: string | null
  readonly #source: BodySource
  #reading: Promise<Uint8Array> | null = null
  #buffered: Uint8Array | null = null

  constructor(source: BodySource) {
    this.#source = source
    this.contentType = source.headers['content-type'] ?? null
    this.coding = source.isEncoded ? codingOf(source.headers) : null
  }

  read(): Promise<Uint8Array> {
    this.#reading ??= this.#readAll()
    return this.#reading
  }

  readSync(): Uint8Array | null {
    this.#buffered ??= this.#reading === null ? buffered(this.#source) : null
    return this.#buffered
  }

  /** Reading may stop at any time: the rest is thrown away as it comes, so that the answer reaches a client that is still
   *  sending and the connection stays usable. */
  async *stream(): AsyncGenerator<Uint8Array> {
    const { payload, response, isReplaced } = this.#source
    if (isEmpty(this.#source)) return
    askFor(response)
    payload.on('error', () => {}) // a connection that breaks later matters no more
    try {
      yield* payload.iterator({ destroyOnReturn: false })
    } catch (error) {
      throw isReplaced ? failureOf(error, this.#source) : error
    } finally {
      payload.resume()
    }
  }

  async #readAll(): Promise<Uint8Array> {
    const { headers, payload, response, limitBytes, isReplaced } = this.#source
    const bytes = this.readSync()
    if (bytes !== null) return bytes
    if (!isReplaced && Number(headers['content-length']) > limitBytes) throw new PayloadTooLarge(limitBytes)
    if (isEmpty(this.#source)) return nothing
    askFor(response)
    if (payload.destroyed) throw failureOf(payload.errored, this.#source)
    return collect(this.#source)
  }
}

/** The bytes that the parser has left in the message, when they are the whole body, which comes with the headers of most
 *  requests: no event has to be waited for. */
function buffered({ headers, payload, limitBytes, isHooked }: BodySource): Uint8Array | null {
  if (!(payload instanceof IncomingMessage) || payload.destroyed || payload.readableFlowing !== null)
    return null
  const size = payload.readableLength
  const isWhole = payload.complete || size === Number(headers['content-length'])
  if (!isWhole || size > limitBytes) return null
  const bytes: Uint8Array = payload.read() ?? nothing
  // what was read before the parser came to its end says "end" and "close" only when it is read on: that costs as much as
  // the reading, and the parser goes on to the next message without it
  if (isHooked) payload.resume()
  return bytes
}

function isEmpty({ headers, isReplaced }: BodySource): boolean {
  const { 'transfer-encoding': coding, 'content-length': length } = headers
  return !isReplaced && coding === undefined && (length === undefined || length === '0')
}

/** The coding that a body still has, null where it has none. Source: RFC 9110, 8.4. */
function codingOf({ 'content-encoding': sent }: IncomingHttpHeaders): string | null {
  if (sent === undefined) return null
  const codings = sent.split(',').map((coding) => coding.trim().toLowerCase())
  return codings.some((coding) => coding !== '' && coding !== 'identity') ? sent : null
}

/** Why a stream could not be read: as Fastify understands it an error with a `statusCode` of 4xx is meant for the client. */
function failureOf(error: unknown, { response }: BodySource): unknown {
  if (!(error instanceof Error) || response.destroyed) return new RequestAborted()
  const { statusCode } = error as { readonly statusCode?: unknown } // whose errors they are is not known
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return error
  return new BodyRefused(error.message, statusCode)
}

const awaitingContinue = new WeakSet<ServerResponse>()

/** The client waits for `100 Continue` before it sends the body: it comes with the first read. Source: RFC 9110, 10.1.1. */
export function continueOnRead(response: ServerResponse): void {
  awaitingContinue.add(response)
}

/** Whether the client still holds its body back, so that the connection cannot be used again. */
export const isHeldBack = (response: ServerResponse): boolean => awaitingContinue.has(response)

function askFor(response: ServerResponse): void {
  if (awaitingContinue.delete(response)) response.writeContinue()
}

/** Listeners: an iterator costs 20 µs more. */
function collect(source: BodySource): Promise<Uint8Array> {
  const { payload, limitBytes, isReplaced } = source
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    payload.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= limitBytes) return
      payload.pause()
      reject(new PayloadTooLarge(limitBytes))
    })
    payload.on('end', () => resolve(Buffer.concat(chunks)))
    // a connection that breaks later matters no more
    const aborted = (error?: unknown): void =>
      reject(isReplaced ? failureOf(error, source) : new RequestAborted())
    payload.on('error', aborted).on('close', aborted)
    payload.resume() // the plugin that made it may have paused it
  })
}
