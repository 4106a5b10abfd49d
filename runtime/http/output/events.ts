/** Server-Sent Events. Source: WHATWG HTML, section 9.2 (server-sent events). */
import { type ByteSource, byteStream } from './byte-stream.ts'

export interface ServerEventFields<T> {
  readonly data: T
  /** The event's name; without one it is a `message`. */
  readonly event?: string
  /** What the client sends back as `Last-Event-ID` when it connects again. */
  readonly id?: string
  /** How long the client waits before it connects again, in milliseconds. */
  readonly retry?: number
}

/** One event with a name, an id or a retry time. Throws `TypeError` when these do not fit on one line. */
export class ServerEvent<T = unknown> {
  readonly data: T
  readonly event: string | null
  readonly id: string | null
  readonly retry: number | null
  constructor({ data, event, id, retry }: ServerEventFields<T>) {
    if (/[\r\n]/.test(event ?? '')) throw new TypeError('the name of an event is one line')
    if (/[\r\n\0]/.test(id ?? '')) throw new TypeError('the id of an event is one line without U+0000')
    if (retry !== undefined && !(Number.isInteger(retry) && retry >= 0)) {
      throw new TypeError('retry is a whole number of milliseconds')
    }
    this.data = data
    this.event = event ?? null
    this.id = id ?? null
    this.retry = retry ?? null
  }
}

/** How long a client is left without a byte, in milliseconds. */
export interface KeepAlive {
  /** Before the first event: the client learns early that it is connected, and an error at once can still be a 500. */
  readonly firstMs: number
  readonly everyMs: number
}

const keepAliveDefault: KeepAlive = { firstMs: 250, everyMs: 15_000 }

const encoder = new TextEncoder()
const comment: Uint8Array = encoder.encode(':\n\n')

/** The items as an event stream, each as the JSON that `write` makes of it, with comments in between so that no proxy takes it for dead. */
export function eventStream(
  items: AsyncIterable<unknown>,
  write: WriteJson,
  keepAlive: KeepAlive = keepAliveDefault,
): ReadableStream<Uint8Array> {
  return byteStream(new Events(items, write, keepAlive))
}

type WriteJson = (value: unknown) => string

/** One item is requested once and waited for over any number of comments. */
class Events implements ByteSource {
  readonly #iterator: AsyncIterator<unknown>
  readonly #everyMs: number
  readonly #write: WriteJson
  #waitMs: number
  #timer: NodeJS.Timeout | undefined
  #item: Promise<Uint8Array | null> | null = null
  #hasItem = false
  #wake: () => void = () => {}

  constructor(items: AsyncIterable<unknown>, write: WriteJson, { firstMs, everyMs }: KeepAlive) {
    this.#write = write
    this.#iterator = items[Symbol.asyncIterator]()
    this.#waitMs = firstMs
    this.#everyMs = everyMs
  }

  async next(): Promise<Uint8Array | null> {
    this.#item ??= this.#request()
    await this.#itemOrTime()
    if (!this.#hasItem) return comment
    const item = this.#item
    this.#item = null
    this.#hasItem = false
    return item
  }

  close(): unknown {
    clearTimeout(this.#timer)
    return this.#iterator.return?.()
  }

  #request(): Promise<Uint8Array | null> {
    const item = this.#iterator.next().then((result) => this.#pieceOf(result))
    const arrived = (): void => {
      this.#hasItem = true
      this.#wake()
    }
    item.then(arrived, arrived)
    return item
  }

  async #itemOrTime(): Promise<void> {
    if (this.#hasItem) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#timer = setTimeout(resolve, this.#waitMs)
    })
    clearTimeout(this.#timer)
    this.#waitMs = this.#everyMs
  }

  /** For an item without a JSON form the generator ends too, whatever it says to that. */
  #pieceOf(result: IteratorResult<unknown>): Uint8Array | null {
    try {
      return result.done === true ? null : encoder.encode(eventText(result.value, this.#write))
    } catch (error) {
      Promise.resolve(this.close()).catch(() => {})
      throw error
    }
  }
}

/** One event in the text form, with its closing empty line. */
function eventText(item: unknown, write: WriteJson): string {
  const { data, event, id, retry } = item instanceof ServerEvent ? item : new ServerEvent({ data: item })
  const json = write(data ?? null)
  const lines = [
    ...(event === null ? [] : [`event: ${event}`]),
    ...(id === null ? [] : [`id: ${id}`]),
    ...(retry === null ? [] : [`retry: ${retry}`]),
    ...json.split(/\r\n|\r|\n/).map((line) => `data: ${line}`),
  ]
  return `${lines.join('\n')}\n\n`
}
