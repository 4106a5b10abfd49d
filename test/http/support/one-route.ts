/** The example's application with routes of the test in place of its own. */
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Test } from 'tap'
import type { AppBundle } from '../../../runtime/contract/bundle.ts'
import type { HttpResponse } from '../../../runtime/contract/http.ts'
import type { ParamDecoder, Route, RouteFilter, RouteHandler } from '../../../runtime/contract/route.ts'
import { Controller } from '../../../runtime/http/pipeline/controller.ts'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'

export class Probe extends Controller {}

export interface OneRoute {
  readonly verb?: Route['verb']
  readonly produces?: string
  readonly params?: readonly ParamDecoder[]
  readonly filters?: readonly RouteFilter[]
  readonly handlers?: readonly RouteHandler[]
  /** What the application configures. */
  readonly config?: object
  /** Receives the lines of the log, from `info` on, in production; there are none without. */
  readonly logged?: (line: string) => void
  call(probe: Probe, ...args: readonly unknown[]): unknown // a method: the arguments may be typed
}

/** An application, closed at the end of the test, whose only route is `/probe`. */
export async function openProbe(t: Test, route: OneRoute): Promise<TestApp> {
  const { logged } = route
  const log = logged && {
    environment: { logLevel: 'info' as const, production: true },
    logStream: { write: logged },
  }
  const app = await openTestApp({ change: (bundle) => bundleOf(bundle, route), ...log })
  t.teardown(app.close)
  return app
}

function bundleOf(bundle: AppBundle, oneRoute: OneRoute): AppBundle {
  const { filters = [], handlers = [], params = [] } = oneRoute
  const route: Route = {
    id: 'probe_run',
    verb: oneRoute.verb ?? 'GET',
    path: '/probe',
    status: 200,
    statuses: [],
    websocket: false,
    requiresTls: false,
    controller: Probe,
    produces: oneRoute.produces ?? null,
    filters,
    handlers,
    create: () => new Probe(),
    call: (probe: Probe, args) => oneRoute.call(probe, ...args),
  }
  const codec = { params, filters: filters.map(() => []), handlers: handlers.map(() => []) }
  const config = { ...(bundle.config as object), mcp: {}, ...oneRoute.config } // the example's, plus the test's
  return {
    ...bundle,
    config,
    routes: [route],
    codecs: { probe_run: codec },
    catalogue: { ...bundle.catalogue, tools: [], toolboxes: [] },
  }
}

/** An exception handler that tells the class and the message. */
export const report = (error: RouteHandler['error'], status: number): RouteHandler => ({
  error,
  match: null,
  status,
  contentType: null,
  depth: 0,
  call: (_probe, raised: Error) => ({ error: raised.message }),
})

/** A socket to the application, which listens from now on. */
export async function dial(t: Test, app: TestApp): Promise<Socket> {
  const { server } = app.application
  if (!server.server.listening) await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo // listens on TCP
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}) // a reset is one way to be hung up on
  t.teardown(() => socket.destroy())
  return socket
}

/** Everything until the other side closes. */
export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return Buffer.concat(chunks).toString()
}

/** What was logged as an error since the call; the application's log is silent in tests. */
export function errorsOf(t: Test, app: TestApp): readonly string[] {
  const { log } = app.application.server
  const lines: string[] = []
  const before = log.error
  log.error = (fields: { err?: Error }, message?: string): void => {
    lines.push(`${message}: ${fields.err?.message}`)
  }
  t.teardown(() => {
    log.error = before
  })
  return lines
}

/** A promise and what settles it. */
export interface Gate {
  readonly opened: Promise<void>
  readonly open: () => void
}

export function gate(): Gate {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** A streamed body as a whole. */
export async function textOf({ body }: Pick<HttpResponse, 'body'>): Promise<string> {
  return body instanceof ReadableStream ? new Response(body).text() : String(body)
}
