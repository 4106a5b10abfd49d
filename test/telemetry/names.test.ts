/** The names of telemetry against the conventions, and the events of the pipeline. Source: semantic-conventions;
 *  semantic-conventions-genai, docs/gen-ai/mcp.md; Node.js, `diagnostics_channel`. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import t from 'tap'
import { prometheusName } from '../../runtime/capabilities/telemetry/metrics/exposition.ts'
import { attribute, channel } from '../../runtime/capabilities/telemetry/names.ts'
import { openTestApp } from '../../runtime/testing.ts'
import { allMetrics, counterAttributes } from './all-metrics.ts'

/** Of the conventions of MCP, which moved to a repository of their own, and are newer than the package. */
const moved: ReadonlySet<string> = new Set([
  'mcp.method.name',
  'mcp.protocol.version',
  'mcp.resource.uri',
  'mcp.server.operation.duration',
  'jsonrpc.request.id',
  'rpc.response.status_code',
  'gen_ai.prompt.name',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
])

t.test('every name that is not our own is one of the conventions', async (t) => {
  const known = new Set<unknown>(Object.values(conventions))
  const used = [...Object.values(attribute), ...counterAttributes, ...allMetrics.map(({ name }) => name)]
  t.strictSame(
    used.filter((name) => !name.startsWith('acmcp.') && !known.has(name) && !moved.has(name)),
    [],
  )
  t.equal(new Set(used).size, used.length)
})

t.test(
  'telemetry: the page of the documentation names every metric, attribute of our own and channel',
  async (t) => {
    const page = readFileSync('templates/docs/telemetry.md', 'utf8')
    const named = [
      ...allMetrics.flatMap((definition) => [definition.name, prometheusName(definition)]),
      ...[...Object.values(attribute), ...counterAttributes].filter((name) => name.startsWith('acmcp.')),
      ...Object.values(channel),
    ]
    t.strictSame(
      named.filter((name) => !page.includes(`\`${name}\``)),
      [],
    )
  },
)

interface Heard {
  /** Channel and event: `request:start`. */
  readonly at: string
  readonly message: object
  /** As it was then. */
  readonly was: Readonly<Record<string, unknown>>
}

/** Every event of every channel, until the returned function is called. */
function listenToAll(): { readonly heard: Heard[]; stop(): void } {
  const heard: Heard[] = []
  const names = Object.values(channel).flatMap((name) =>
    ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => `tracing:${name}:${event}`),
  )
  const listen = (message: unknown, name: string | symbol): void => {
    const at = String(name).replace('tracing:acmcp:', '')
    heard.push({ at, message: Object(message), was: JSON.parse(JSON.stringify(message)) })
  }
  for (const name of names) subscribe(name, listen)
  return {
    heard,
    stop() {
      for (const name of names) unsubscribe(name, listen)
    },
  }
}

t.test('events of the pipeline go to who subscribes, whole, and to nobody later', async (t) => {
  const app = await openTestApp()
  t.teardown(app.close)
  const bearer = app.client().withBearer(await app.accessToken())
  const { heard, stop } = listenToAll()
  t.teardown(stop)
  /** What is heard of it; each of its operations ends. */
  const eventsOf = async (send: () => Promise<unknown>): Promise<readonly Heard[]> => {
    heard.length = 0
    await send().catch(() => null)
    while (heard.at(-1)?.at !== 'request:asyncEnd') await new Promise(setImmediate)
    return [...heard]
  }
  /** Start and end of one operation, with its details before and at the end. */
  const operation = (events: readonly Heard[], name: string) => {
    const own = events.filter(({ at }) => at.startsWith(`${name}:`))
    t.strictSame(
      own.map(({ at }) => at.slice(name.length + 1)),
      ['start', 'end', 'asyncStart', 'asyncEnd'],
    )
    t.equal(new Set(own.map(({ message }) => message)).size, 1, 'they have one object')
    const [start, end, asyncStart, asyncEnd] = own.map(({ was }) => was)
    t.strictSame([end, asyncEnd], [start, asyncStart])
    return [start, asyncEnd]
  }
  const requestOf = (
    events: readonly Heard[],
    method: string,
    path: string,
    route: string | null,
    status = 200,
  ) => {
    const requestId = events[0]?.was.requestId
    t.type(requestId, 'string')
    const details = { requestId, method, route, path }
    t.strictSame(operation(events, 'request'), [details, { ...details, status, isComplete: true }])
    t.strictSame([events[0]?.at, events.at(-1)?.at], ['request:start', 'request:asyncEnd'])
    return requestId
  }

  const plain = await eventsOf(() => app.client().get('/nowhere?token=geheim'))
  requestOf(plain, 'GET', '/nowhere', null, 404)
  t.equal(plain.length, 4)

  const toolsList = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const mcp = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  const list = await eventsOf(() =>
    bearer.request({ method: 'POST', url: '/mcp', headers: mcp, payload: toolsList }),
  )
  const listing = { requestId: requestOf(list, 'POST', '/mcp', '/mcp'), id: '1', method: 'tools/list' }
  t.strictSame(operation(list, 'message'), [listing, { ...listing, status: 200 }])
  t.equal(list.length, 8)

  const calls = []
  for (const args of [{ secret: 'geheim' }, {}]) {
    const events = await eventsOf(() => bearer.tool('notes_index', args))
    const requestId = requestOf(events, 'POST', '/mcp', '/mcp')
    const [start, end] = operation(events, 'tool-call')
    t.equal(events.length, 8)
    t.strictSame(start, { requestId, id: '1', method: 'tools/call', tool: 'notes_index' })
    const { user, client, grant, ...known } = Object(end)
    t.match([user, client, grant], [/^dev:/, /./, /./])
    calls.push({ ...known, requestId: 'its own' })
  }
  const call = {
    ...{ requestId: 'its own', id: '1', method: 'tools/call', tool: 'notes_index', proxy: null },
    ...{ route: 'notes_index', toolbox: 'notes', era: 'legacy', decision: 'allowed' },
  }
  t.strictSame(calls, [
    { ...call, status: 400, isError: true, outcome: 'tool_error' },
    { ...call, status: 200, isError: false, outcome: 'ok' },
  ])

  heard.length = 0
  stop()
  await bearer.tool('notes_index')
  t.strictSame(heard, [])
})
