/** `/metrics`, scraped over HTTP and read by a parser of its own; the same by the meter of a real SDK. Source: Prometheus, Exposition
 *  formats, text-based format. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import t, { type Test } from 'tap'
import { BootError } from '../../runtime/boot/boot-error.ts'
import type { Environment } from '../../runtime/boot/environment.ts'
import { expositionText, prometheusName } from '../../runtime/capabilities/telemetry/metrics/exposition.ts'
import { MetricRegistry, mergeSnapshots } from '../../runtime/capabilities/telemetry/metrics/registry.ts'
import { type MetricDefinition, metric } from '../../runtime/capabilities/telemetry/names.ts'
import { openTestApp, type TestApp } from '../../runtime/testing.ts'
import { allMetrics } from './all-metrics.ts'
import { parseExposition, valuesOf } from './exposition.ts'
import { measuredMetrics } from './sdk.ts'

const token = '0123456789abcdef0123456789abcdef'

async function open(t: Test, metrics: Environment['metrics'], config: object = {}): Promise<TestApp> {
  const app = await openTestApp({
    environment: { metrics },
    change: (bundle) => ({ ...bundle, config: { ...Object(bundle.config), ...config } }),
  })
  t.teardown(app.close)
  return app
}

const scrape = async (app: TestApp, sent = token) => {
  const { statusCode, headers, body } = await app
    .client()
    .get('/metrics', { authorization: `Bearer ${sent}` })
  return { statusCode, headers, body }
}

/** Some of everything: requests, tool calls that are allowed, fail and do not exist. */
async function work(app: TestApp): Promise<void> {
  const client = app.client()
  await client.get('/health')
  await client.get('/nowhere/1')
  await client.get('/nowhere/2')
  const bearer = client.withBearer(await app.accessToken())
  await bearer.tool('notes_index')
  await bearer.tool('call_tool', { name: 'notes_index', arguments: {} })
  await bearer.tool('notes_create', { nothing: 1 })
  for (const name of ['no_1', 'no_2']) await bearer.tool(name).catch(() => null)
  await client.tool('notes_index').catch(() => null)
}

t.test('/metrics on the port of the application is there for who has the token', async (t) => {
  const app = await open(t, { port: null, host: '127.0.0.1', token })
  await work(app)
  const good = await scrape(app)
  t.strictSame(
    [good.statusCode, good.headers['content-type'], good.headers['cache-control']],
    [200, 'text/plain; version=0.0.4; charset=utf-8', 'no-store'],
  )
  const refused = await scrape(app, `${token.slice(0, -1)}0`)
  t.strictSame([refused.statusCode, refused.body, refused.headers['www-authenticate']], [401, '', 'Bearer'])
  t.equal((await app.client().get('/metrics')).statusCode, 401)

  const families = parseExposition(good.body)
  t.strictSame(valuesOf(families.get('acmcp_tool_calls_total')), {
    'gen_ai_tool_name=notes_index acmcp_outcome=ok acmcp_decision=allowed': 2,
    'gen_ai_tool_name=notes_create acmcp_outcome=tool_error acmcp_decision=allowed': 1,
    'gen_ai_tool_name=_OTHER acmcp_outcome=error acmcp_decision=allowed': 2,
  })
  const requests = valuesOf(families.get('http_server_request_duration_seconds'), '_count')
  const of404 =
    'http_request_method=GET url_scheme=http http_response_status_code=404 network_protocol_version=1.1'
  t.equal(requests[of404], 2, 'paths that nobody knows are one series')
  t.equal(
    requests[
      'http_request_method=POST url_scheme=http http_route=/mcp http_response_status_code=401 network_protocol_version=1.1'
    ],
    1,
  )
  const buckets = families
    .get('http_server_request_duration_seconds')
    ?.samples.filter(
      ({ name, labels }) => name.endsWith('_bucket') && labels.http_response_status_code === '404',
    )
  t.strictSame(
    buckets?.map(({ labels }) => labels.le),
    [
      '0.005',
      '0.01',
      '0.025',
      '0.05',
      '0.075',
      '0.1',
      '0.25',
      '0.5',
      '0.75',
      '1',
      '2.5',
      '5',
      '7.5',
      '10',
      '+Inf',
    ],
  )
  t.ok(
    buckets?.every(({ value }, index) => value >= (buckets[index - 1]?.value ?? 0)),
    'they count what is below them',
  )
  t.equal(buckets?.at(-1)?.value, 2)
  t.strictSame(valuesOf(families.get('acmcp_auth_cache_lookups_total')), {
    'acmcp_lookup_result=miss': 1,
    'acmcp_lookup_result=hit': 4,
  })
  t.strictSame(valuesOf(families.get('acmcp_streams_open')), {
    'acmcp_stream_kind=mcp': 0,
    'acmcp_stream_kind=websocket': 0,
  })
  t.ok(
    Object.keys(valuesOf(families.get('acmcp_store_verb_duration_seconds'), '_count')).includes(
      'acmcp_store_verb=saveClient',
    ),
  )
  const known = new Set(allMetrics.map(prometheusName))
  t.strictSame(
    [...families.keys()].filter((name) => !known.has(name)),
    [],
  )
})

t.test('without port and token there is no /metrics', async (t) => {
  const app = await open(t, null)
  t.equal((await scrape(app)).statusCode, 404)
})

t.test('/metrics has a port of its own, with its token or on loopback without', async (t) => {
  const app = await open(t, { port: 0, host: '127.0.0.1', token: null })
  t.equal((await scrape(app)).statusCode, 404, 'it is not on the port of the application')
  const { ownPort: own } = app.application.watching
  if (own === null) throw new Error('there is no port of its own')
  await app.client().get('/health')
  const { address, close } = await own.listen()
  t.teardown(close)
  const answer = await fetch(`${address}/metrics`)
  t.strictSame(
    [answer.status, answer.headers.get('content-type')],
    [200, 'text/plain; version=0.0.4; charset=utf-8'],
  )
  t.ok(parseExposition(await answer.text()).has('http_server_request_duration_seconds'))
  t.strictSame(
    [
      (await fetch(address)).status,
      (await fetch(`${address}/metrics`, { method: 'POST' })).status,
      (await fetch(`${address}/metrics`, { method: 'HEAD' })).status,
    ],
    [404, 405, 200],
  )
  const { port } = new URL(address)
  const requested = async (host: string): Promise<number | undefined> => {
    const sent = request({ port, host: '127.0.0.1', path: '/metrics', headers: { host } }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage] // its one argument
    response.resume()
    return response.statusCode
  }
  t.strictSame(
    await Promise.all(
      [
        'localhost',
        `127.0.0.1:${port}`,
        '[::1]',
        'evil.example',
        `evil.example:${port}`,
        '127.0.0.1.evil.example',
      ].map(requested),
    ),
    [200, 200, 200, 403, 403, 403],
    'a page that had its name rebound to this machine reads nothing',
  )
  const other = await open(t, { port: 0, host: '127.0.0.1', token })
  const locked = await other.application.watching.ownPort?.listen()
  if (locked === undefined) throw new Error('there is no port of its own')
  t.teardown(locked.close)
  t.equal((await fetch(`${locked.address}/metrics`)).status, 401)
})

t.test('an application that has /metrics itself is told to set a port', async (t) => {
  const opened = openTestApp({
    environment: { metrics: { port: null, host: '127.0.0.1', token } },
    change: (bundle) => ({
      ...bundle,
      routes: bundle.routes.map((route, index) => (index === 0 ? { ...route, path: '/metrics' } : route)),
    }),
  })
  await t.rejects(
    opened,
    new BootError('METRICS_TOKEN: the application has /metrics itself: set METRICS_PORT too'),
  )
})

t.test('several processes are read as one', async (t) => {
  const [a, b] = [new MetricRegistry(), new MetricRegistry()]
  for (const [registry, count] of [
    [a, 1],
    [b, 2],
  ] as const) {
    registry.add(
      metric.toolCalls,
      { 'gen_ai.tool.name': 'x"\\\n', 'acmcp.outcome': 'ok', 'acmcp.decision': 'allowed' },
      count,
    )
    registry.record(metric.storeDuration, { 'acmcp.store.verb': 'findUser', 'error.type': null }, count)
    registry.onRead((set) => {
      set(metric.delayMax, {}, count)
      set(metric.openStreams, { 'acmcp.stream.kind': 'mcp' }, count)
    })
  }
  const sent = JSON.parse(JSON.stringify([a.snapshot(), b.snapshot()])) // as between processes
  const families = parseExposition(expositionText(mergeSnapshots(sent)))
  t.strictSame(
    [...families].map(([name, family]) => [name, valuesOf(family)]),
    [
      ['acmcp_store_verb_duration_seconds', valuesOf(families.get('acmcp_store_verb_duration_seconds'))],
      ['acmcp_streams_open', { 'acmcp_stream_kind=mcp': 3 }],
      ['acmcp_tool_calls_total', { 'gen_ai_tool_name=x"\\\n acmcp_outcome=ok acmcp_decision=allowed': 3 }],
      ['nodejs_eventloop_delay_max_seconds', { '': 2 }],
    ],
  )
  t.strictSame(valuesOf(families.get('acmcp_store_verb_duration_seconds'), '_sum'), {
    'acmcp_store_verb=findUser': 3,
  })
})

t.test('a metric has 2,000 series at most', async (t) => {
  const registry = new MetricRegistry()
  for (let at = 0; at < 2100; at += 1) registry.add(metric.toolCalls, { 'gen_ai.tool.name': `tool ${at}` }, 1)
  const [{ series } = { series: [] }] = registry.snapshot()
  t.equal(series.length, 2001)
  t.strictSame(series.at(-1), { attributes: { 'otel.metric.overflow': 'true' }, value: 100, counts: null })
})

t.test(
  'metrics of an SDK: the meter of an SDK is told the same, in the units and buckets of the conventions',
  async (t) => {
    const app = await open(t, null)
    await work(app)
    const reported = await measuredMetrics()
    const wrong = allMetrics
      .filter(({ name }) => !name.startsWith('db.')) // there is no pool on SQLite
      .filter(({ name }) => !['acmcp.approvals', 'acmcp.idempotency.repeated'].includes(name)) // nothing here has one
      .filter((definition: MetricDefinition) => {
        const found = reported.get(definition.name)
        const bounds = definition.kind === 'histogram' ? [...definition.buckets] : null
        return found?.unit !== definition.unit || JSON.stringify(found.bounds) !== JSON.stringify(bounds)
      })
    t.strictSame(wrong, [])
    const calls = reported.get('mcp.server.operation.duration')?.points.map(({ attributes }) => attributes)
    const operation = {
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'mcp.protocol.version': '2025-11-25',
      'network.protocol.name': 'http',
      'network.transport': 'tcp',
    }
    for (const expected of [
      { ...operation, 'gen_ai.tool.name': 'notes_index' },
      { ...operation, 'gen_ai.tool.name': 'notes_create', 'error.type': 'tool_error' },
      {
        ...operation,
        'gen_ai.tool.name': '_OTHER',
        'error.type': '-32602',
        'rpc.response.status_code': '-32602',
      },
    ])
      t.ok(
        calls?.some((call) => JSON.stringify(sorted(call)) === JSON.stringify(sorted(expected))),
        JSON.stringify(expected),
      )
  },
)

const sorted = (attributes: object): object =>
  Object.fromEntries(Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1)))
