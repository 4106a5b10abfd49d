/** The example's endpoint from outside: what is hidden stays hidden by every way in, and arguments are judged by the route. */
import t from 'tap'
import { openTestApp } from '../../../runtime/testing.ts'
import { type Era, message, rpc, type Sent } from '../support/support.ts'

const app = await openTestApp()
t.teardown(() => app.close())
const client = app.client().withBearer(await app.accessToken())

async function ask({ url = '/mcp', headers = {}, message: payload }: Sent) {
  const { statusCode, body } = await client.request({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      host: 'localhost',
      ...headers,
    },
    payload: JSON.stringify(payload),
  })
  return { status: statusCode, headers: {}, text: body }
}

const call = async (era: Era, name: string, args: object = {}) =>
  rpc(await ask(message(era, 'tools/call', { name, arguments: args })))

const eras = ['legacy', 'modern'] as const

t.test('spec, What the service does 5: a hidden controller is reached by no way in', async (t) => {
  t.equal((await client.get('/health')).statusCode, 200, 'it is there over HTTP')
  const unknown = 'unknown tool "health_show"'
  for (const era of eras) {
    t.match((await call(era, 'health_show')).error, { code: -32602, message: unknown })
    for (const proxy of ['call_tool', 'call_read_only']) {
      const { result } = await call(era, proxy, { name: 'health_show' })
      t.match(result, { isError: true, content: [{ text: unknown }] }, proxy)
    }
    const opened = (await call(era, 'open_toolbox', { name: 'health' })).result
    t.match(opened, { isError: true, content: [{ text: 'unknown toolbox "health"' }] })
    t.equal((await ask({ ...message(era, 'tools/list'), url: '/mcp/health' })).status, 404)
    const said = [
      await ask(message(era, 'tools/list')),
      await ask({ ...message(era, 'tools/list'), url: '/mcp?toolboxes=all' }),
      await ask(message(era, 'tools/call', { name: 'list_toolboxes' })),
      await ask(message(era, 'tools/call', { name: 'health_shw' })),
      await ask(message(era, era === 'modern' ? 'server/discover' : 'initialize', initialize)),
    ]
    for (const { text } of said) t.notMatch(text, 'health_show')
  }
})

const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '0' },
}

t.test(
  'spec, What the service does 5: a root tool is listed at the top level, others in their toolbox',
  async (t) => {
    const { result } = rpc(await ask(message('modern', 'tools/list')))
    const names = result.tools.map(({ name }: { name: string }) => name)
    t.strictSame(names, [
      'users_current',
      'list_toolboxes',
      'open_toolbox',
      'find_tools',
      'call_read_only',
      'call_tool',
    ])
    const { toolboxes } = (await call('modern', 'list_toolboxes')).result.structuredContent
    t.strictSame(
      toolboxes.map(({ name, tools }: { name: string; tools: number }) => [name, tools]),
      [['notes', 2]],
    )
  },
)

t.test(
  'decisions, easy to miss: arguments are judged by the route, after its filters, and told with the schema',
  async (t) => {
    const { inputSchema } = rpc(
      await ask({ ...message('modern', 'tools/list'), url: '/mcp/notes' }),
    ).result.tools.find(({ name }: { name: string }) => name === 'notes_create')
    const schema = `\nInput schema of notes_create: ${JSON.stringify(inputSchema)}`
    for (const era of eras) {
      for (const [name, wrap] of [
        ['notes_create', (args: object) => args],
        ['call_tool', (args: object) => ({ name: 'notes_create', arguments: args })],
      ] as const) {
        const missing = (await call(era, name, wrap({}))).result
        const over = await client.json('/api/notes', {})
        t.equal(over.statusCode, 422)
        t.strictSame(
          [missing.isError, missing.content[0].text],
          [true, `422 Unprocessable Entity\n${over.body}${schema}`],
          'as over HTTP',
        )
        const wrong = (await call(era, name, wrap({ text: { deep: 1 } }))).result
        t.match(wrong.content[0].text, /^400 Bad Request\n\{.*"parameter":"text"/)
      }
    }
    const stranger = message('modern', 'tools/call', { name: 'notes_create', arguments: {} })
    const { status } = await ask({ ...stranger, headers: { ...stranger.headers, authorization: 'Bearer x' } })
    t.equal(status, 401, 'who is not signed in learns nothing of the arguments')
  },
)
