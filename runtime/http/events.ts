/** Server-Sent Events. Source: WHATWG HTML, section 9.2 (server-sent events). */
import { type ByteSource, byteStream } from './byte-stream.ts'
import { toJsonText } from './json-text.ts'

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

/** The items as an event stream, each as JSON, with comments in between so that nobody takes the connection for dead. */
export function eventStream(
  items: AsyncIterable<unknown>,
  keepAlive: KeepAlive = keepAliveDefault,
): ReadableStream<Uint8Array> {
  const iterator = items[Symbol.asyncIterator]()
  const wait = new Wait()
  let pending: Promise<IteratorResult<unknown>> | null = null
  let waitMs = keepAlive.firstMs
  const next: ByteSource['next'] = async () => {
    pending ??= Promise.resolve(iterator.next())
    const result = await wait.for(pending, waitMs)
    waitMs = keepAlive.everyMs
    if (result === null) return comment
    pending = null
    return result.done === true ? null : encoder.encode(eventText(result.value))
  }
  const close = async (): Promise<void> => {
    wait.stop()
    await iterator.return?.()
  }
  return byteStream({ next, close })
}

class Wait {
  #timer: NodeJS.Timeout | undefined

  /** What `work` gives, or null when it takes longer than `ms`. */
  for<T>(work: Promise<T>, ms: number): Promise<T | null> {
    const late = new Promise<null>((resolve) => {
      this.#timer = setTimeout(resolve, ms, null)
    })
    return Promise.race([work, late]).finally(() => this.stop())
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

/** One event in the text form, with its closing empty line. */
export function eventText(item: unknown): string {
  const { data, event, id, retry } = item instanceof ServerEvent ? item : new ServerEvent({ data: item })
  const json = toJsonText(data ?? null)
  const lines = [
    ...(event === null ? [] : [`event: ${event}`]),
    ...(id === null ? [] : [`id: ${id}`]),
    ...(retry === null ? [] : [`retry: ${retry}`]),
    ...json.split(/\r\n|\r|\n/).map((line) => `data: ${line}`),
  ]
  return `${lines.join('\n')}\n\n`
}
