/** Requests without a socket: Node's own messages, on connections that take what is written and send nothing. What Node's parser and the
 *  kernel would do is left out, alike for everybody. */
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'

/** What is sent again and again. */
export interface Sent {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Null: it is a GET. */
  readonly body: string | null
  /** With an idempotency key, of another caller each time: those that one has are counted. */
  readonly isKeyed?: boolean
}

/** Requests that are under way at one time. */
const connections = 16

class Connection extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 40_000
  /** Null where nobody reads what is written. */
  written: string[] | null = null

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, done: () => void): void {
    this.written?.push(chunk.toString())
    done()
  }

  override _writev(chunks: readonly { readonly chunk: Uint8Array }[], done: () => void): void {
    for (const { chunk } of chunks) this.written?.push(chunk.toString())
    done()
  }
}

interface Parsed extends IncomingMessage {
  /** As Node's parser tells a message its headers (lib/_http_incoming.js). */
  _addHeaderLines(rawHeaders: readonly string[], count: number): void
}

/** Sends requests to a server that is ready. */
export class Dispatch {
  readonly #server: FastifyInstance['server']
  #keys = 0
  readonly #connections = Array.from({ length: connections }, () => new Connection())

  constructor({ server }: FastifyInstance) {
    this.#server = server
  }

  /** The body of one answer, chunks included. Rejects unless it is a success. */
  answer(sent: Sent): Promise<string> {
    const connection = new Connection()
    connection.written = []
    return new Promise((resolve, reject) => {
      this.#send(sent, connection, (status) => {
        const text = connection.written?.join('') ?? ''
        if (status >= 200 && status < 300) resolve(text.slice(text.indexOf('\r\n\r\n') + 4))
        else reject(new Error(text))
      })
    })
  }

  /** Sends so many, 16 at a time. Makes no promise for each, so that those of the server can be counted. */
  send(sent: Sent, count: number): Promise<void> {
    let [begun, ended] = [0, 0]
    return new Promise((resolve, reject) => {
      const next = (connection: Connection): void => {
        if (begun === count) return
        begun += 1
        this.#send(sent, connection, (status) => {
          if (status < 200 || status >= 300)
            return reject(new Error(`${sent.path} was answered with ${status}`))
          ended += 1
          if (ended === count) resolve()
          else setImmediate(next, connection)
        })
      }
      for (const connection of this.#connections) setImmediate(next, connection)
    })
  }

  /** As lib/_http_server.js does for a request that came in one piece. */
  #send(
    { path, headers, body, isKeyed }: Sent,
    connection: Connection,
    ended: (status: number) => void,
  ): void {
    const socket = connection as unknown as Socket // what Node and the server ask of one
    const message = new IncomingMessage(socket) as Parsed // its prototype has it
    const bytes = Buffer.from(body ?? '')
    const lines = ['host', '127.0.0.1', 'connection', 'keep-alive', 'content-length', String(bytes.length)]
    const raw = [...(body === null ? lines.slice(0, 4) : lines), ...Object.entries(headers).flat()]
    if (isKeyed) raw.push('idempotency-key', 'key', 'x-api-key', `caller ${this.#keys++}`)
    message._addHeaderLines(raw, raw.length)
    Object.assign(message, { method: body === null ? 'GET' : 'POST', url: path })
    Object.assign(message, { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 })
    const response = new ServerResponse(message)
    response.shouldKeepAlive = true
    response.assignSocket(socket)
    response.on('finish', () => {
      response.detachSocket(socket)
      response.emit('close')
      ended(response.statusCode)
    })
    this.#server.emit('request', message, response)
    if (body !== null) message.push(bytes)
    message.complete = true
    message.push(null)
  }
}
