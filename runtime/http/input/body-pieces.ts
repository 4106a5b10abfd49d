/** A request body as it comes, piece by piece. Reading may stop at any time: the rest is thrown away as it comes, so that
 *  the answer reaches a client that is still sending and the connection stays usable. */
import type { Readable } from 'node:stream'

/** One reader at a time, and only once. A client that goes away is an error with the code `ECONNRESET`. */
export function bodyPieces(payload: Readable): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => new Pieces(payload) }
}

interface Waiting {
  readonly resolve: (result: IteratorResult<Uint8Array>) => void
  readonly reject: (error: Error) => void
}

const end: IteratorResult<Uint8Array> = { done: true, value: undefined }

class Pieces implements AsyncIterator<Uint8Array> {
  readonly #payload: Readable
  readonly #queue: Uint8Array[] = []
  #state: 'open' | 'ended' | 'broken' = 'open'
  #waiting: Waiting | null = null

  constructor(payload: Readable) {
    this.#payload = payload
    if (payload.destroyed) this.#state = 'broken'
    payload
      .on('data', this.#onData)
      .on('end', this.#onEnd)
      .on('close', this.#onClose)
      .on('error', this.#onClose)
    payload.pause()
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#settle()
      if (this.#waiting !== null) this.#payload.resume()
    })
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.#stop('ended')
    this.#queue.length = 0
    this.#settle()
    this.#payload.resume()
    return end
  }

  readonly #onData = (piece: Uint8Array): void => {
    this.#payload.pause()
    this.#queue.push(piece)
    this.#settle()
  }

  readonly #onEnd = (): void => {
    this.#stop('ended')
    this.#settle()
  }

  readonly #onClose = (): void => {
    this.#stop('broken')
    this.#settle()
  }

  #stop(state: 'ended' | 'broken'): void {
    if (this.#state === 'open') this.#state = state
    const payload = this.#payload
    payload
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('close', this.#onClose)
      .off('error', this.#onClose)
    payload.on('error', ignore) // a connection that breaks later is nobody's business any more
  }

  /** Gives what is there to whoever waits. */
  #settle(): void {
    const waiting = this.#waiting
    if (waiting === null || (this.#queue.length === 0 && this.#state === 'open')) return
    this.#waiting = null
    const piece = this.#queue.shift()
    if (piece !== undefined) waiting.resolve({ done: false, value: piece })
    else if (this.#state === 'ended') waiting.resolve(end)
    else waiting.reject(Object.assign(new Error('the request was aborted'), { code: 'ECONNRESET' }))
  }
}

const ignore = (): void => {}
