/** A client that writes bytes, for what no HTTP client would send. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Controller } from '../../runtime/http/controller.ts'
import { openTestApp, type TestApp, type TestAppOptions } from '../../runtime/testing.ts'

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

/** The example with these settings and one action for all its routes, listening. */
export async function listening(
  config: object,
  options: TestAppOptions & { readonly call?: (controller: Controller) => unknown } = {},
): Promise<{ readonly app: TestApp; readonly port: number }> {
  const { call, ...rest } = options
  const app = await openTestApp({
    ...rest,
    change: (bundle) => ({
      ...bundle,
      config: { ...(bundle.config as object), ...config }, // a plain object
      routes: bundle.routes.map((route) =>
        call === undefined
          ? route
          : { ...route, filters: [], call: (controller) => call(controller as Controller) },
      ),
      codecs: call === undefined ? bundle.codecs : withoutParameters(bundle.codecs),
    }),
  })
  const address = new URL(await app.application.server.listen({ port: 0, host: '127.0.0.1' }))
  return { app, port: Number(address.port) }
}

type Codecs = Parameters<NonNullable<TestAppOptions['change']>>[0]['codecs']

const withoutParameters = (codecs: Codecs): Codecs =>
  Object.fromEntries(Object.entries(codecs).map(([id, codec]) => [id, { ...codec, params: [], filters: [] }]))
