/** Clients with one connection. */
import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Answered {
  /** Whether the connection was there already. */
  readonly isKept: boolean
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** One connection that is kept, to one worker therefore; another one when the server ends it. */
export class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #baseUrl: string
  #isKept = false

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl.replace('localhost', '127.0.0.1')
  }

  async ask(
    path: string,
    body: unknown = null,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const response = await this.open(path, body, headers)
    const { statusCode: status = 0, headers: answered } = response
    return { isKept: this.#isKept, status, headers: answered, body: await text(response) }
  }

  /** The answer, whose body is still to come. */
  open(path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
    const isPost = body !== null
    return new Promise((resolve, reject) => {
      const sent = request(`${this.#baseUrl}${path}`, {
        agent: this.#agent,
        method: isPost ? 'POST' : 'GET',
        headers: {
          host: new URL(this.#baseUrl.replace('127.0.0.1', 'localhost')).host,
          ...(isPost ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
      })
      sent.on('socket', () => {
        this.#isKept = sent.reusedSocket
      })
      sent.on('response', resolve).on('error', reject)
      sent.end(isPost ? JSON.stringify(body) : undefined)
    })
  }

  async pid(): Promise<number> {
    return Number((await this.ask('/api/pid')).body)
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** A connection on which nothing has been sent. */
export async function dialed(baseUrl: string): Promise<Socket> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}
