/** A client that writes bytes, for what no HTTP client would send. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../../runtime/testing.ts'

/** One connection; `text` is everything that the server has sent. */
export interface RawClient {
  readonly socket: Socket
  text(): string
  write(text: string): void
  /** Resolves when the server's text matches. */
  until(pattern: RegExp): Promise<string>
  /** Resolves with everything when the server has closed the connection. */
  closed(): Promise<string>
}

export async function rawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {}) // a reset after the answer is an end like any other
  await once(socket, 'connect')
  return {
    socket,
    text: () => received,
    write: (text) => void socket.write(text, 'latin1'),
    until: async (pattern) => {
      while (!pattern.test(received)) await once(socket, 'data')
      return received
    },
    closed: async () => {
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
      return received
    },
  }
}

/** Sends `text` and resolves with everything that comes back until the server closes the connection. */
export async function answerTo(port: number, text: string): Promise<string> {
  const client = await rawClient(port)
  client.write(text)
  return client.closed()
}

export interface Answer {
  readonly status: number
  readonly body: unknown
}

/** Status and JSON body of the last answer in `text`. */
export function lastAnswer(text: string): Answer {
  const at = text.lastIndexOf('HTTP/1.1 ')
  const body = text.slice(text.indexOf('\r\n\r\n', at) + 4)
  return { status: Number(text.slice(at + 9, at + 12)), body: body === '' ? null : JSON.parse(body) }
}

type Act = (controller: Controller) => unknown

export interface Acts extends TestAppOptions {
  /** Every route's action; without it the example's own. */
  readonly call?: Act
  /** An after filter of every route. */
  readonly after?: Act
  /** The handler of `RangeError`. */
  readonly rescue?: Act
}

/** The example with these settings and these acts for all its routes, listening; off loopback, so that any `Host` will do. */
export async function listening(
  config: object,
  { call, after, rescue, ...options }: Acts = {},
): Promise<{ readonly app: TestApp; readonly port: number }> {
  const app = await openTestApp({
    ...options,
    environment: { baseUrl: 'http://app.example', ...options.environment },
    change: (loaded) => {
      const bundle = options.change?.(loaded) ?? loaded
      return {
        ...bundle,
        config: { ...(bundle.config as object), ...config }, // a plain object
        ...(call === undefined ? {} : acting(bundle, { call, after, rescue })),
      }
    },
  })
  const address = new URL(await app.application.server.listen({ port: 0, host: '127.0.0.1' }))
  return { app, port: Number(address.port) }
}

interface Parts {
  readonly call: Act
  readonly after: Act | undefined
  readonly rescue: Act | undefined
}

function acting(bundle: AppBundle, { call, after, rescue }: Parts): Pick<AppBundle, 'routes' | 'codecs'> {
  const by = (act: Act) => (controller: object) => act(controller as Controller) // made by the example's routes
  const handler = { error: RangeError, match: null, status: 200, contentType: null, depth: 0 }
  const filters = after === undefined ? [] : [{ when: 'after' as const, name: 'after', call: by(after) }]
  const handlers = rescue === undefined ? [] : [{ ...handler, call: by(rescue) }]
  const codec = { params: [], filters: filters.map(() => []), handlers: handlers.map(() => []) }
  return {
    routes: bundle.routes.map((route) => ({ ...route, filters, handlers, call: by(call) })),
    codecs: Object.fromEntries(Object.keys(bundle.codecs).map((id) => [id, codec])),
  }
}
