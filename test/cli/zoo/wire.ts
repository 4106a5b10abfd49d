/** Requests without a socket. The same request of one cell is answered once: the typed client's mostly is that of somebody without one. */
import type { TestApp } from '../../../runtime/testing.ts'
import type { Exchange } from './served.ts'

export interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** What methods got. */
  readonly received: readonly unknown[]
}

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: string | Buffer
}

export class Wire {
  readonly #app: TestApp
  readonly #exchange: Exchange
  readonly #known = new Map<string, Sent>()
  /** What came of the last request. */
  last: Sent = { status: 0, headers: {}, body: Buffer.alloc(0), received: [] }

  constructor(app: TestApp, exchange: Exchange) {
    this.#app = app
    this.#exchange = exchange
  }

  forget(): void {
    this.#known.clear()
  }

  async send(asked: Asked): Promise<Sent> {
    const { method, url, headers, payload = '' } = asked
    const text = JSON.stringify([method, url, headers['content-type'], headers['x-v'], payload])
    const known = typeof payload === 'string' ? this.#known.get(text) : undefined
    this.last = known ?? (await this.#inject(asked))
    if (known === undefined) this.#keep(text, this.last)
    return this.last
  }

  #keep(text: string, sent: Sent): void {
    if (this.#known.size > 1000) this.forget()
    this.#known.set(text, sent)
  }

  async #inject({ method, url, headers, payload }: Asked): Promise<Sent> {
    this.#exchange.received.length = 0
    const answer = await this.#app.application.server.inject({
      ...{ method: method as 'GET', url, headers }, // or another
      ...(payload === undefined ? {} : { payload }),
    })
    return {
      status: answer.statusCode,
      headers: answer.headers as Readonly<Record<string, string>>, // one line each
      body: answer.rawPayload,
      received: [...this.#exchange.received],
    }
  }

  /** For the typed client. */
  readonly fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const asked = await askedBy(url.slice(this.#app.baseUrl.length), init)
    const { status, headers, body } = await this.send(asked)
    const isEmpty = status === 204 || status === 304
    return new Response(isEmpty ? null : new Uint8Array(body), { status, headers })
  }
}

/** A form of files is written by the platform. */
async function askedBy(url: string, { method = 'GET', headers, body }: RequestInit): Promise<Asked> {
  const own = Object.fromEntries(new Headers(headers))
  if (body === undefined || body === null) return { method, url, headers: own }
  if (typeof body === 'string') return { method, url, headers: own, payload: body }
  const whole = new Response(body)
  const type = own['content-type'] ?? whole.headers.get('content-type')
  const payload = Buffer.from(await whole.arrayBuffer())
  return { method, url, headers: { ...own, ...(type === null ? {} : { 'content-type': type }) }, payload }
}
