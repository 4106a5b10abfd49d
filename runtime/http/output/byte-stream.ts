/** Streams that are not read ahead: the source is asked for bytes when the client takes them, and closed when the
 *  client goes away. */
import { Readable } from 'node:stream'
import type { HttpResponse, MaybePromise } from '../../contract/http.ts'

/** What a method may return, or render, as a body of unknown length. */
export type StreamLike = Readable | ReadableStream<unknown> | AsyncIterable<unknown>

export function isStreamLike(value: unknown): value is StreamLike {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Gives one piece after the other. `close` is called when the rest is not wanted; after a failure of `next` it is not. */
export interface ByteSource {
  /** Null at the end. */
  next(): Promise<Uint8Array | null>
  close(reason: unknown): unknown
}

/** A stream that asks for one piece at a time and only when it is read. */
export function byteStream(source: ByteSource): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const piece = await source.next()
        if (piece === null) controller.close()
        else controller.enqueue(piece)
      },
      // Not awaited: a generator that waits for something ends when that comes. Its error has no reader any more.
      cancel: (reason) => void Promise.resolve(source.close(reason)).catch(() => {}),
    },
    { highWaterMark: 0 },
  )
}

/** The same bytes until `end` is called: then the stream ends as if its source had, which is closed. */
export function endable(body: ReadableStream<Uint8Array>): {
  readonly body: ReadableStream<Uint8Array>
  readonly end: () => void
} {
  const reader = body.getReader()
  const next = async (): Promise<Uint8Array | null> => (await reader.read()).value ?? null
  const close = (reason?: unknown): Promise<void> => reader.cancel(reason) // the reader gets the end
  return { body: byteStream({ next, close }), end: () => void close().catch(() => {}) } // its error has no reader any more
}

/** The bytes of a stream of texts (as UTF-8) or bytes. Other pieces are a `TypeError` when they come. */
export function bytesOf(stream: StreamLike): ReadableStream<Uint8Array> {
  const { next, close } = piecesOf(stream)
  const nextBytes = async (): Promise<Uint8Array | null> => {
    try {
      for (;;) {
        const { done, value } = await next()
        if (done === true) return null
        const piece = toBytes(value)
        if (piece.length > 0) return piece // an empty piece would look like "nothing yet"
      }
    } catch (error) {
      Promise.resolve(close(error)).catch(() => {}) // the first error is the one to report
      throw error
    }
  }
  return byteStream({ next: nextBytes, close })
}

interface Pieces {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>
  close(reason: unknown): unknown
}

function piecesOf(stream: StreamLike): Pieces {
  if (stream instanceof Readable) {
    stream.on('error', () => {}) // it may fail before it is read; reading it then says so
    const iterator = stream.iterator()
    return { next: () => iterator.next(), close: () => stream.destroy() }
  }
  if (stream instanceof ReadableStream) {
    const reader = stream.getReader()
    return { next: () => reader.read(), close: (reason) => reader.cancel(reason) }
  }
  const iterator = stream[Symbol.asyncIterator]()
  return { next: async () => iterator.next(), close: async () => iterator.return?.() }
}

const encoder = new TextEncoder()

function toBytes(piece: unknown): Uint8Array {
  if (piece instanceof Uint8Array) return piece
  if (typeof piece === 'string') return encoder.encode(piece)
  throw new TypeError('a stream that is sent as it is consists of texts or bytes')
}

/** Gives up an answer that will not be sent: its stream is closed. */
export function discard(outcome: HttpResponse | null): void {
  const body = outcome?.body
  // not awaited, and what goes wrong on closing has no answer to spoil
  if (body instanceof ReadableStream) body.cancel().catch(() => {})
}

/** The same answer; `release` runs when the last byte of its stream was taken, the stream failed or was given up; when it
 *  has no stream, before the promise resolves. */
export async function releaseAfter(
  outcome: HttpResponse,
  release: () => MaybePromise<void>,
): Promise<HttpResponse> {
  const { body } = outcome
  if (!(body instanceof ReadableStream)) {
    await release()
    return outcome
  }
  const reader = body.getReader()
  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = await reader.read().catch(async (error: unknown) => {
      await release()
      throw error
    })
    if (!done) return value
    await release()
    return null
  }
  const close = (reason: unknown): unknown => Promise.allSettled([reader.cancel(reason), release()])
  return { ...outcome, body: byteStream({ next, close }) }
}
