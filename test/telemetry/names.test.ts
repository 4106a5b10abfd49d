/** The names of telemetry against the conventions, and the events of the pipeline. Source: issue 17, 1; semantic-conventions;
 *  semantic-conventions-genai, docs/gen-ai/mcp.md; Node.js, `diagnostics_channel`. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import t from 'tap'
import { prometheusName } from '../../runtime/telemetry/metrics/exposition.ts'
import { attribute, channel, metric } from '../../runtime/telemetry/names.ts'
import { openTestApp } from '../../runtime/testing.ts'

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

t.test('issue 17, 1: every name that is not our own is one of the conventions', async (t) => {
  const known = new Set<unknown>(Object.values(conventions))
  const used = [...Object.values(attribute), ...Object.values(metric).map(({ name }) => name)]
  t.strictSame(
    used.filter((name) => !name.startsWith('acmcp.') && !known.has(name) && !moved.has(name)),
    [],
  )
  t.equal(new Set(used).size, used.length)
})

t.test(
  'issue 17, 1: the page of the documentation names every metric, attribute of our own and channel',
  async (t) => {
    const page = readFileSync('templates/docs/telemetry.md', 'utf8')
    const named = [
      ...Object.values(metric).flatMap((one) => [one.name, prometheusName(one)]),
      ...Object.values(attribute).filter((name) => name.startsWith('acmcp.')),
      ...Object.values(channel),
    ]
    t.strictSame(
      named.filter((name) => !page.includes(`\`${name}\``)),
      [],
    )
  },
)

t.test(
  'issue 17, 1: events of requests and tool calls go to who subscribes, without secrets, and to nobody later',
  async (t) => {
    const app = await openTestApp()
    t.teardown(app.close)
    const bearer = app.client().withBearer(await app.accessToken())
    const heard: unknown[] = []
    const names = Object.values(channel).flatMap((name) =>
      ['start', 'asyncEnd'].map((event) => `tracing:${name}:${event}`),
    )
    const listen = (message: unknown, name: string | symbol): void => {
      heard.push([name, JSON.parse(JSON.stringify(message))])
    }
    for (const name of names) subscribe(name, listen)
    await bearer.tool('notes_index', { secret: 'geheim' })
    while (heard.length < 4) await new Promise(setImmediate)
    for (const name of names) unsubscribe(name, listen)
    await bearer.tool('notes_index')
    const requestId = Object(heard).flat()[1].requestId
    const request = { requestId, method: 'POST', route: '/mcp', path: '/mcp' }
    const call = { requestId, id: '1', method: 'tools/call', tool: 'notes_index' }
    const [, , third] = heard as { user?: string; client?: string; grant?: string }[][]
    const { user, client, grant } = third?.[1] ?? {}
    t.match([user, client, grant], [/^dev:/, /./, /./])
    t.strictSame(heard, [
      ['tracing:acmcp:request:start', request],
      ['tracing:acmcp:tool-call:start', call],
      [
        'tracing:acmcp:tool-call:asyncEnd',
        {
          ...call,
          ...{ proxy: null, route: 'notes_index', toolbox: 'notes', user, client, grant, era: 'legacy' },
          ...{ status: 400, isError: true, decision: 'allowed', outcome: 'tool_error' },
        },
      ],
      ['tracing:acmcp:request:asyncEnd', { ...request, status: 200, isComplete: true }],
    ])
  },
)
