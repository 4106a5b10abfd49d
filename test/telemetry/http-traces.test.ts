/** Spans of HTTP requests, through a real SDK, compared whole. Source: semantic-conventions, docs/http/http-spans.md. */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { trace } from '@opentelemetry/api'
import t, { type Test } from 'tap'
import type * as Ws from 'ws'
import type { AppPlugin } from '../../runtime/contract/application.ts'
import type { Route } from '../../runtime/contract/route.ts'
import type { Socket } from '../../runtime/http/websocket/socket.ts'
import { openTestApp, type TestApp } from '../../runtime/testing.ts'
import { gate, Probe } from '../http/support/one-route.ts'
import { spansOf, takeSpans } from './sdk.ts'

// `ws` is a dependency of @fastify/websocket, not of ours
const { WebSocket }: typeof Ws = createRequire(createRequire(import.meta.url).resolve('@fastify/websocket'))(
  'ws',
)

type Act = (probe: Probe, args: readonly unknown[]) => unknown

const own = trace.getTracer('application')
const route = (path: string, call: Act, more: Partial<Route> = {}): Route => ({
  id: `probe_${path.slice(1).split('/')[0]}`,
  verb: 'GET',
  path,
  status: 200,
  statuses: [],
  websocket: false,
  requiresTls: false,
  controller: Probe,
  produces: null,
  filters: [],
  handlers: [],
  create: () => new Probe(),
  call: (probe, args) => call(probe as Probe, args), // made by `create`
  ...more,
})

async function* twoEvents(): AsyncGenerator<object> {
  yield { at: 1 }
  yield { at: 2 }
}

/** Told when a request is there that waits until its client has gone. */
const waiting = { enter: (): void => {} }

const routes: readonly Route[] = [
  route('/things/:id', () =>
    own.startActiveSpan('work', async (span) => {
      await null
      span.end()
      return { done: true }
    }),
  ),
  route('/broken', () => {
    throw new Error('broken')
  }),
  route('/slow', ({ request: { signal } }) => {
    waiting.enter()
    return once(signal, 'abort')
  }),
  route('/events', () => twoEvents()),
  route(
    '/socket',
    (_probe, [socket]) =>
      own.startActiveSpan('talk', (span) => {
        span.end()
        ;(socket as Socket).close()
      }),
    { websocket: true },
  ),
]

interface Opened {
  readonly app: TestApp
  readonly base: string
  readonly port: number
  readonly lines: () => readonly Readonly<Record<string, unknown>>[]
}

async function open(t: Test, config: object = {}): Promise<Opened> {
  const written: string[] = []
  const app = await openTestApp({
    environment: { baseUrl: 'https://shop.example', logLevel: 'info' },
    logStream: { write: (line) => void written.push(line) },
    change: (bundle) => ({
      ...bundle,
      config: { ...Object(bundle.config), mcp: {}, ...config },
      routes,
      codecs: Object.fromEntries(routes.map(({ id }) => [id, { params: [], filters: [], handlers: [] }])),
      catalogue: { ...bundle.catalogue, tools: [], toolboxes: [] },
    }),
  })
  t.teardown(app.close)
  const { server } = app.application
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo // listens on TCP
  takeSpans()
  return { app, base: `http://127.0.0.1:${port}`, port, lines: () => written.map((line) => JSON.parse(line)) }
}

const remote = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${remote.traceId}-${remote.spanId}-01`
const host = { host: 'shop.example', 'user-agent': 'probe/1.0' }

/** What every request over this connection has. */
const common = {
  'url.scheme': 'https',
  'server.address': 'shop.example',
  'server.port': 443,
  'client.address': '127.0.0.1',
  'network.peer.address': '127.0.0.1',
  'network.protocol.version': '1.1',
}

/** Fetches over a connection; the attributes of the span without the port of the client, which must be there. */
async function ask(
  { base }: Pick<Opened, 'base'>,
  path: string,
  {
    headers = {},
    method = 'GET',
    spans = 1,
  }: { headers?: Record<string, string>; method?: string; spans?: number } = {},
) {
  const answer = await fetch(base + path, { method, headers: { ...host, ...headers }, redirect: 'manual' })
  await answer.text()
  const reported = await spansOf(spans)
  return reported.map(
    ({ attributes: { 'network.peer.port': peerPort, 'acmcp.request.id': id, ...attributes }, ...span }) => ({
      ...span,
      hasPeerPort: typeof peerPort === 'number' && /^[0-9a-f]{12}-\w+$/.test(String(id)),
      attributes,
    }),
  )
}

const agent = { 'user_agent.original': 'probe/1.0' }

t.test(
  'spans of HTTP: a request is a SERVER span below its caller, and the application works inside it',
  async (t) => {
    const opened = await open(t)
    t.strictSame(await ask(opened, '/things/7?q=1&token=secret', { headers: { traceparent }, spans: 2 }), [
      {
        name: 'work',
        kind: 'INTERNAL',
        parent: 'GET /things/:id',
        links: [],
        status: 'UNSET',
        hasPeerPort: false,
        attributes: {},
      },
      {
        name: 'GET /things/:id',
        kind: 'SERVER',
        parent: `${remote.traceId}-${remote.spanId}`,
        links: [],
        status: 'UNSET',
        hasPeerPort: true,
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/things/:id',
          'url.path': '/things/7',
          'url.query': 'q=1&token=[FILTERED]',
          ...common,
          ...agent,
          'http.response.status_code': 200,
        },
      },
    ])
    const [line] = opened.lines().filter(({ msg }) => msg === 'response')
    t.equal(line?.trace_id, remote.traceId, 'its line in the log says the trace')
    t.match(line?.span_id, /^[0-9a-f]{16}$/)
  },
)

t.test(
  'what fails, what is not there and what is not known have the attributes of the conventions',
  async (t) => {
    const opened = await open(t)
    const base = { kind: 'SERVER', parent: null, links: [] }
    t.strictSame(
      [
        await ask(opened, '/broken'),
        await ask(opened, '/nowhere'),
        await ask(opened, '/things/7', { method: 'PURGE' }),
      ],
      [
        [
          {
            name: 'GET /broken',
            ...base,
            status: 'ERROR',
            hasPeerPort: true,
            attributes: {
              'http.request.method': 'GET',
              'http.route': '/broken',
              'url.path': '/broken',
              ...common,
              ...agent,
              'http.response.status_code': 500,
              'error.type': '500',
            },
          },
        ],
        [
          {
            name: 'GET',
            ...base,
            status: 'UNSET',
            hasPeerPort: true,
            attributes: {
              'http.request.method': 'GET',
              'url.path': '/nowhere',
              ...common,
              ...agent,
              'http.response.status_code': 404,
            },
          },
        ],
        [
          {
            name: 'HTTP',
            ...base,
            status: 'UNSET',
            hasPeerPort: true,
            attributes: {
              'http.request.method': '_OTHER',
              'http.request.method_original': 'PURGE',
              'url.path': '/things/7',
              ...common,
              ...agent,
              'http.response.status_code': 405,
            },
          },
        ],
      ],
    )
  },
)

t.test('a stream ends its span with its answer, an upgrade when it is accepted', async (t) => {
  const opened = await open(t)
  const [events] = await ask(opened, '/events')
  t.strictSame(
    [events?.name, events?.status, events?.attributes['http.response.status_code']],
    ['GET /events', 'UNSET', 200],
  )
  const socket = new WebSocket(`ws://127.0.0.1:${opened.port}/socket`, {
    headers: host,
    origin: 'https://shop.example',
  })
  await once(socket, 'close')
  const reported = await spansOf(2)
  t.strictSame(
    reported.map(({ name, kind, parent, attributes }) => [
      name,
      kind,
      parent,
      attributes['http.response.status_code'],
    ]),
    [
      ['GET /socket', 'SERVER', null, 101],
      ['talk', 'INTERNAL', 'GET /socket', undefined],
    ],
  )
})

t.test('a client that leaves before the answer is an error of the request', async (t) => {
  const opened = await open(t)
  const leaving = new AbortController()
  const { opened: entered, open: enter } = gate()
  waiting.enter = enter
  const requested = fetch(`${opened.base}/slow`, { signal: leaving.signal, headers: host }).catch(() => null)
  await entered
  leaving.abort()
  await requested
  const [span] = await spansOf(1)
  t.strictSame(
    [span?.name, span?.status, span?.attributes['error.type'], span?.attributes['http.response.status_code']],
    ['GET /slow', 'ERROR', 'RequestAborted', undefined],
  )
})

t.test('hooks of plugins run inside the span', async (t) => {
  const plugin: AppPlugin = async (fastify) => {
    fastify.addHook('onRequest', async () => own.startSpan('hook').end())
  }
  const opened = await open(t, { plugins: [plugin] })
  const reported = await ask(opened, '/things/7', { spans: 3 })
  t.strictSame(
    reported.map(({ name, parent }) => [name, parent]),
    [
      ['hook', 'GET /things/:id'],
      ['work', 'GET /things/:id'],
      ['GET /things/:id', null],
    ],
  )
})

t.test(
  'spans of HTTP: propagation carries the trace of the caller and makes no span; off does nothing',
  async (t) => {
    const carried = await open(t, { telemetry: { mode: 'propagation' } })
    const [work] = await ask(carried, '/things/7', { headers: { traceparent } })
    t.strictSame([work?.name, work?.parent], ['work', `${remote.traceId}-${remote.spanId}`])
    const [line] = carried.lines().filter(({ msg }) => msg === 'response')
    t.strictSame([line?.trace_id, line?.span_id], [remote.traceId, remote.spanId])
    const off = await open(t, { telemetry: { mode: 'off' } })
    const [alone] = await ask(off, '/things/7', { headers: { traceparent } })
    t.strictSame([alone?.name, alone?.parent], ['work', null])
  },
)

t.test(
  'below the span of another instrumentation, its trace and not that of the header counts',
  async (t) => {
    const { app } = await open(t)
    await own.startActiveSpan('outer', async (span) => {
      await app.client().get('/things/7', { ...host, traceparent })
      span.end()
    })
    const reported = await spansOf(3)
    t.strictSame(reported.map(({ name, parent }) => [name, parent]).sort(), [
      ['GET /things/:id', 'outer'],
      ['outer', null],
      ['work', 'GET /things/:id'],
    ])
  },
)
