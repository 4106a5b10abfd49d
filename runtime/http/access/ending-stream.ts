/** A streamed answer that can be ended before its source is: events with a last one, anything else is cut. */
import type { HttpResponse } from '../../contract/http.ts'
import { byteStream } from '../output/byte-stream.ts'

export interface EndingStream {
  readonly body: ReadableStream<Uint8Array>
  /** The token is good no more. */
  readonly end: () => void
}

/** The event is named as those of other streams, the data is the body of the 401 that a client gets when it comes again. */
const lastEvent = new TextEncoder().encode('event: error\ndata: {"error":"invalid_token"}\n\n')

/** The same bytes until `end` is called, which closes the source; `closed` is told when no more will come. */
export function endingStream(
  source: ReadableStream<Uint8Array>,
  headers: HttpResponse['headers'],
  closed: () => void,
): EndingStream {
  const reader = source.getReader()
  const isEvents = String(headers['content-type']).startsWith('text/event-stream')
  let state: 'open' | 'ended' | 'closed' = 'open'
  const next = async (): Promise<Uint8Array | null> => {
    const piece = state === 'open' ? ((await read()) ?? null) : null
    if (state === 'open' && piece !== null) return piece
    if (state === 'ended' && !isEvents) throw new Error('the access token has expired or was revoked')
    const last = state === 'ended' ? lastEvent : null
    if (last === null) closed()
    state = 'closed'
    return last
  }
  const read = async (): Promise<Uint8Array | undefined> => {
    try {
      return (await reader.read()).value
    } catch (error) {
      closed()
      throw error
    }
  }
  const close = (reason?: unknown): Promise<void> => {
    closed()
    return reader.cancel(reason) // the reader gets the end
  }
  const end = (): void => {
    state = 'ended'
    void close().catch(() => {}) // its error has no reader any more
  }
  return { body: byteStream({ next, close }), end }
}
