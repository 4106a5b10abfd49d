/** Spans of the messages of the MCP endpoint, through a real SDK, compared whole. Source: semantic-conventions-genai,
 *  docs/gen-ai/mcp.md. */
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { trace } from '@opentelemetry/api'
import t, { type Test } from 'tap'
import type { AppConfig } from '../../runtime/capabilities/exports.ts'
import type { AppPlugin } from '../../runtime/contract/application.ts'
import type { AppBundle } from '../../runtime/contract/bundle.ts'
import type { Controller } from '../../runtime/index.ts'
import { gate } from '../http/support/one-route.ts'
import { buildGuarded, type Guarded, openGuarded } from '../mcp/support/guarded.ts'
import { type Era, message } from '../mcp/support/support.ts'
import { measuredMetrics, type Reported, spansUntil, takeSpans } from './sdk.ts'

t.setTimeout(120_000)

const bundle = await buildGuarded()
const own = trace.getTracer('application')

/** Each of its routes does some work of its own, which has a span. */
const working = (built: AppBundle): AppBundle => ({
  ...built,
  routes: built.routes.map((route) => ({
    ...route,
    call: (controller, args) =>
      own.startActiveSpan(`work of ${route.id}`, (span) => {
        span.end()
        return route.call(controller, args)
      }),
  })),
})

const open = (t: Test, config: AppConfig = {}): Promise<Guarded> =>
  openGuarded(t, bundle, { config, change: working })

interface Sent {
  readonly era?: Era
  readonly method?: string
  readonly params?: object
  readonly meta?: object
  readonly token?: string
  /** What the body is, in place of one message. */
  readonly body?: unknown
}

/** Posts a message; resolves with the spans, the work of the authentication left out. */
async function post(
  { app }: Guarded,
  { era = 'legacy', method = 'tools/call', params = {}, meta = {}, token, body }: Sent,
  isTraced = true,
): Promise<{ readonly status: number; readonly spans: readonly Reported[] }> {
  const sent = message(era, method, { ...params })
  const payload = Object(sent.message)
  payload.params._meta = { ...payload.params._meta, ...meta }
  takeSpans()
  const answer = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(era === 'legacy' ? { 'mcp-protocol-version': '2025-11-25' } : {}),
      ...sent.headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    payload: JSON.stringify(body ?? payload),
  })
  const spans = isTraced ? await spansUntil('POST /mcp') : takeSpans()
  return { status: answer.statusCode, spans }
}

const remote = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${remote.traceId}-${remote.spanId}-01`

const common = {
  'network.protocol.name': 'http',
  'network.transport': 'tcp',
  'client.address': '127.0.0.1',
}

const call = (tool: string, more: object = {}) => ({
  'mcp.method.name': 'tools/call',
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': tool,
  'jsonrpc.request.id': '1',
  'mcp.protocol.version': '2025-11-25',
  ...common,
  ...more,
})

const allowed = (route: string) => ({ 'acmcp.decision': 'allowed', 'acmcp.route.id': route })

/** Spans of messages alone. */
const ofMessages = (spans: readonly Reported[]): readonly Reported[] =>
  spans.filter(({ attributes }) => 'mcp.method.name' in attributes)

t.test(
  'spans of MCP: a tool call is a SERVER span with its message as parent and its HTTP request as link',
  async (t) => {
    const guarded = await open(t)
    const token = await guarded.tokenOf('songs:read')
    for (const era of ['legacy', 'modern'] as const) {
      const { spans } = await post(guarded, {
        era,
        token,
        params: { name: 'songs_index', arguments: {} },
        meta: { traceparent, tracestate: 'a=b' },
      })
      const [span] = ofMessages(spans)
      t.strictSame(span, {
        name: 'tools/call songs_index',
        kind: 'SERVER',
        parent: `${remote.traceId}-${remote.spanId}`,
        links: ['POST /mcp'],
        status: 'UNSET',
        attributes: call('songs_index', {
          'mcp.protocol.version': era === 'legacy' ? '2025-11-25' : '2026-07-28',
          'acmcp.decision': 'allowed',
          'acmcp.route.id': 'songs_index',
        }),
      })
      const work = spans.find(({ name }) => name === 'work of songs_index')
      t.equal(work?.parent, 'tools/call songs_index', 'the application works inside it')
    }
    const lines = guarded.lines('tool call')
    t.ok(
      lines.length === 2 && lines.every(({ trace_id }) => trace_id === remote.traceId),
      'its line says the trace',
    )
  },
)

t.test('without a trace of its own a message is part of its HTTP request', async (t) => {
  const guarded = await open(t)
  const token = await guarded.tokenOf('songs:read')
  const { spans } = await post(guarded, { token, params: { name: 'songs_meaning' } })
  t.strictSame(
    spans.slice(-3).map(({ name, parent, links }) => [name, parent, links]),
    [
      ['work of songs_meaning', 'tools/call songs_meaning', []],
      ['tools/call songs_meaning', 'POST /mcp', []],
      ['POST /mcp', null, []],
    ],
  )
})

t.test('through a proxy the span is that of the tool behind it', async (t) => {
  const guarded = await open(t)
  const token = await guarded.tokenOf('songs:read')
  const params = { name: 'call_tool', arguments: { name: 'songs_index', arguments: {} } }
  const [span] = ofMessages((await post(guarded, { token, params })).spans)
  t.strictSame(span, {
    name: 'tools/call songs_index',
    kind: 'SERVER',
    parent: 'POST /mcp',
    links: [],
    status: 'UNSET',
    attributes: call('songs_index', {
      'acmcp.proxy.name': 'call_tool',
      'acmcp.decision': 'allowed',
      'acmcp.route.id': 'songs_index',
    }),
  })
})

t.test('what is refused, fails or does not exist says how', async (t) => {
  const guarded = await open(t)
  const token = await guarded.tokenOf('songs:read')
  await post(guarded, { token, method: 'ping' }) // the credential is known from now on
  const shown = async (sent: Sent) => {
    const { status, spans } = await post(guarded, { token, ...sent })
    const [span] = ofMessages(spans)
    return { http: status, name: span?.name, status: span?.status, attributes: span?.attributes }
  }
  t.strictSame(await shown({ params: { name: 'songs_create', arguments: { title: 'a' } } }), {
    http: 403,
    name: 'tools/call songs_create',
    status: 'ERROR',
    attributes: call('songs_create', {
      'acmcp.decision': '403',
      'acmcp.route.id': 'songs_create',
      'error.type': '403',
    }),
  })
  t.strictSame(await shown({ params: { name: 'songs_index', arguments: { nothing: 1 } } }), {
    http: 200,
    name: 'tools/call songs_index',
    status: 'ERROR',
    attributes: call('songs_index', {
      'acmcp.decision': 'allowed',
      'acmcp.route.id': 'songs_index',
      'error.type': 'tool_error',
    }),
  })
  const unknown = await shown({ params: { name: 'x'.repeat(100) } })
  t.match(unknown.status, /^ERROR: /)
  t.strictSame(
    { ...unknown, status: '' },
    {
      http: 200,
      name: 'tools/call',
      status: '',
      attributes: call('x'.repeat(64), {
        'acmcp.decision': 'allowed',
        'rpc.response.status_code': '-32602',
        'error.type': '-32602',
      }),
    },
  )
  const other = await shown({ method: 'no/such-method' })
  t.strictSame(
    { name: other.name, attributes: other.attributes },
    {
      name: '_OTHER',
      attributes: {
        'mcp.method.name': '_OTHER',
        'jsonrpc.request.id': '1',
        'mcp.protocol.version': '2025-11-25',
        ...common,
        'rpc.response.status_code': '-32601',
        'error.type': '-32601',
      },
    },
  )
})

t.test('a call too many is a 429 of its span, its metric and its line', async (t) => {
  const noon = Date.UTC(2026, 10, 23, 12)
  const limited = (built: AppBundle): AppBundle => ({
    ...built,
    routes: built.routes.map((route) =>
      route.id === 'songs_index' ? { ...route, limit: { calls: 1, windowSeconds: 60 } } : route,
    ),
  })
  const guarded = await openGuarded(t, bundle, {
    change: limited,
    clock: () => noon,
    config: { limits: { toolCallsPerMinute: 3 } },
  })
  const token = await guarded.tokenOf('songs:read')
  const refusedCalls = async (): Promise<unknown> =>
    (await measuredMetrics())
      .get('acmcp.tool.calls')
      ?.points.filter(({ attributes }) => Object(attributes)['acmcp.decision'] === '429')
  t.strictSame(await refusedCalls(), [])
  const calls = []
  for (const name of ['songs_index', 'songs_index', 'songs_meaning', 'songs_meaning']) {
    const { status, spans } = await post(guarded, { token, params: { name } })
    const [span] = ofMessages(spans)
    calls.push({ http: status, status: span?.status, attributes: span?.attributes })
  }
  const [first, ofRoute, , ofAll] = calls
  t.strictSame(first?.attributes, call('songs_index', allowed('songs_index')))
  t.strictSame(
    ofRoute,
    {
      http: 200,
      status: 'ERROR',
      attributes: call('songs_index', {
        'acmcp.decision': '429',
        'acmcp.route.id': 'songs_index',
        'error.type': 'tool_error',
      }),
    },
    'by @limit: the model reads it',
  )
  t.strictSame(
    ofAll,
    {
      http: 429,
      status: 'ERROR: Too many tool calls',
      attributes: call('songs_meaning', {
        'acmcp.decision': '429',
        'rpc.response.status_code': '429',
        'error.type': '429',
      }),
    },
    'by the limit of all calls: the client is told',
  )
  const reported = (tool: string) => ({
    attributes: { 'gen_ai.tool.name': tool, 'acmcp.outcome': 'refused', 'acmcp.decision': '429' },
    count: 1,
  })
  t.strictSame(await refusedCalls(), [reported('songs_index'), reported('songs_meaning')])
})

t.test(
  'spans of MCP: a call whose answer becomes a stream of progress ends its span when it is over',
  async (t) => {
    const { opened, open: letOn } = gate()
    const slow = (built: AppBundle): AppBundle => ({
      ...built,
      routes: built.routes.map((route) => ({
        ...route,
        call: async (controller, args) => {
          const { mcp } = controller as Controller // each of its controllers is one
          mcp?.progress(1, 2, 'half')
          if (mcp !== null && route.id === 'songs_index') await opened
          return route.call(controller, args)
        },
      })),
    })
    const guarded = await openGuarded(t, bundle, { change: (built) => slow(working(built)) })
    const token = await guarded.tokenOf('songs:read')
    await post(guarded, { token, method: 'ping' })
    const { server } = guarded.app.application
    await server.listen({ port: 0, host: '127.0.0.1' })
    const { port } = server.server.address() as AddressInfo // listens on TCP
    const sent = message('legacy', 'tools/call', {
      name: 'songs_index',
      arguments: {},
      _meta: { progressToken: 'p', traceparent },
    })
    const answer = await fetch(`http://localhost:${port}/mcp`, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify(sent.message),
    })
    const events = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    t.match(await events?.read(), { value: /notifications\/progress/ })
    t.strictSame(takeSpans(), [], 'it runs on')
    letOn()
    t.match(await events?.read(), { value: /"result"/ })
    const spans = await spansUntil('POST /mcp')
    t.strictSame(
      spans.map(({ name, parent }) => [name, parent]),
      [
        ['work of songs_index', 'tools/call songs_index'],
        ['tools/call songs_index', `${remote.traceId}-${remote.spanId}`],
        ['POST /mcp', null],
      ],
    )
    t.strictSame(spans[1], {
      name: 'tools/call songs_index',
      kind: 'SERVER',
      parent: `${remote.traceId}-${remote.spanId}`,
      links: ['POST /mcp'],
      status: 'UNSET',
      attributes: call('songs_index', allowed('songs_index')),
    })
  },
)

t.test('without a credential there is no message, and the HTTP span says 401', async (t) => {
  const guarded = await open(t)
  const { status, spans } = await post(guarded, { params: { name: 'songs_index' } })
  const request = spans.at(-1)
  t.strictSame(
    [
      status,
      request?.name,
      request?.status,
      request?.attributes['http.response.status_code'],
      ofMessages(spans),
    ],
    [401, 'POST /mcp', 'UNSET', 401, []],
  )
})

t.test('each message of a batch has a span, also those that its guards refuse', async (t) => {
  const guarded = await open(t)
  const token = await guarded.tokenOf('songs:read')
  await post(guarded, { token, method: 'ping' })
  const item = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
  const body = [item(7, 'songs_index'), { jsonrpc: '2.0', id: 'b', method: 'ping' }]
  const passed = await post(guarded, { token, body })
  t.strictSame(
    ofMessages(passed.spans).map(({ name, attributes }) => [name, attributes['jsonrpc.request.id']]),
    [
      ['tools/call songs_index', '7'],
      ['ping', 'b'],
    ],
  )
  const refused = await post(guarded, { token, body: [item(8, 'songs_create'), item(9, 'songs_index')] })
  t.strictSame(
    ofMessages(refused.spans).map(({ name, attributes }) => [
      name,
      attributes['jsonrpc.request.id'],
      attributes['acmcp.decision'],
    ]),
    [['tools/call songs_create', '8', '403']],
  )
})

t.test('arguments and results are there on request, without what is secret', async (t) => {
  const guarded = await open(t, { telemetry: { toolArguments: true, toolResults: true } })
  const token = await guarded.tokenOf('songs:read')
  const params = { name: 'songs_index', arguments: { token: 'geheim', other: [1] } }
  const failed = ofMessages((await post(guarded, { token, params })).spans)[0]
  t.equal(failed?.attributes['gen_ai.tool.call.arguments'], '{"token":"[FILTERED]","other":[1]}')
  const good = ofMessages((await post(guarded, { token, params: { name: 'songs_index' } })).spans)[0]
  t.equal(good?.attributes['gen_ai.tool.call.result'], '{"songs":["one"]}')
})

t.test('behind plugins hooks and route run inside the span of the call', async (t) => {
  const plugin: AppPlugin = async (fastify) => {
    fastify.addHook('preHandler', async () => own.startSpan('hook').end())
  }
  const guarded = await open(t, { plugins: [plugin] })
  const token = await guarded.tokenOf('songs:read')
  await post(guarded, { token, method: 'ping' })
  const { spans } = await post(guarded, { token, params: { name: 'songs_index' }, meta: { traceparent } })
  t.strictSame(
    spans.map(({ name, parent }) => [name, parent]),
    [
      ['hook', 'POST /mcp'],
      ['hook', 'tools/call songs_index'],
      ['work of songs_index', 'tools/call songs_index'],
      ['tools/call songs_index', `${remote.traceId}-${remote.spanId}`],
      ['POST /mcp', null],
    ],
  )
})

t.test('propagation carries the trace of the message and makes no span', async (t) => {
  const guarded = await open(t, { telemetry: { mode: 'propagation' } })
  const token = await guarded.tokenOf('songs:read')
  const params = { name: 'songs_index' }
  const { spans } = await post(guarded, { token, params, meta: { traceparent } }, false)
  t.strictSame(spans.at(-1), {
    name: 'work of songs_index',
    kind: 'INTERNAL',
    parent: `${remote.traceId}-${remote.spanId}`,
    links: [],
    status: 'UNSET',
    attributes: {},
  })
  t.equal(guarded.lines('tool call')[0]?.trace_id, remote.traceId)
})

t.test('a real client connects, lists and calls', async (t) => {
  const guarded = await open(t)
  const token = await guarded.tokenOf('songs:read')
  const { server } = guarded.app.application
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo // listens on TCP
  takeSpans()
  const client = new Client({ name: 'probe', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://localhost:${port}/mcp`), { requestInit }),
  )
  await client.listTools()
  await client.callTool({ name: 'songs_index', arguments: {} })
  await client.close()
  const names = ofMessages(takeSpans()).map(({ name }) => name)
  t.strictSame(
    ['tools/list', 'tools/call songs_index'].filter((name) => !names.includes(name)),
    [],
  )
  t.ok(names.includes('initialize') || names.includes('server/discover'))
})
