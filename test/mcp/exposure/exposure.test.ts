/** What `mcp.readOnly` and `mcp.expose` leave out is for nobody at the endpoint, as if it were not in the sources.
 *  Source: decisions/mcp.md, Narrowed by settings. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import type { AppConfig } from '../../../runtime/capabilities/exports.ts'
import type { TestApp, TestClient } from '../../../runtime/testing.ts'
import { acmcpHere } from '../../cli/support/here.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { type Era, message } from '../support/support.ts'
import { builtBoxes, builtStore, openStore, watchRuns } from './store.ts'

t.setTimeout(240_000) // a busy machine

const eras: readonly Era[] = ['legacy', 'modern']
const whole = await builtStore()

type Left = Parameters<typeof builtStore>[0]
const settings: readonly { readonly mcp: NonNullable<AppConfig['mcp']>; readonly left: Left }[] = [
  { mcp: { readOnly: true }, left: ['writes'] },
  { mcp: { expose: 'marked' }, left: ['unmarked'] },
  { mcp: { readOnly: true, expose: 'marked' }, left: ['writes', 'unmarked'] },
  { mcp: { readOnly: true, listed: 'all' }, left: ['writes'] },
]

interface Asked {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly url?: string
}

const tools = ['index', 'search', 'create', 'remove', 'seen', 'show', 'count', 'rebuild', 'refund', 'topics']
const names = [...tools.map((name) => `orders_${name}`), 'boxes_move', 'orders_delete', 'orders_remov']
const args = { text: 'a', product: 'a', id: '1', reason: 'a', topic: 'a' }
const argsOf = (name: string): object =>
  Object.fromEntries(Object.entries(args).filter(([argument]) => wanted.get(name)?.includes(argument)))
const wanted = new Map([
  ['orders_search', ['text']],
  ['orders_create', ['product']],
  ['orders_remove', ['id']],
  ['orders_seen', ['id']],
  ['orders_show', ['id']],
  ['orders_refund', ['reason']],
  ['orders_topics', ['topic']],
  ['boxes_move', ['id']],
])

const call = (name: string, given: object): Asked => ({
  method: 'tools/call',
  params: { name, arguments: given },
})
const completed = (ref: object, name: string): Asked => ({
  method: 'completion/complete',
  params: { ref, argument: { name, value: 'x' } },
})

/** Everything that one can ask of what there is, and of what a setting leaves out. */
const everything: readonly Asked[] = [
  ...['/mcp', '/mcp?toolboxes=all', '/mcp/orders', '/mcp/boxes'].map((url) => ({
    method: 'tools/list',
    url,
  })),
  ...['prompts/list', 'resources/list', 'resources/templates/list', 'skills/list', 'server/discover'].map(
    (method) => ({ method }),
  ),
  ...names.map((name) => call(name, argsOf(name))),
  ...['call_tool', 'call_read_only'].flatMap((proxy) =>
    names.map((name) => call(proxy, { name, arguments: argsOf(name) })),
  ),
  call('list_toolboxes', {}),
  ...['orders', 'boxes'].map((name) => call('open_toolbox', { name })),
  ...['remove order', 'move a box', 'place', 'search'].map((query) => call('find_tools', { query })),
  ...['orders_greeting', 'orders_refund'].map((name) => ({
    method: 'prompts/get',
    params: { name, arguments: name === 'orders_refund' ? { reason: 'a' } : { name: 'Ada' } },
  })),
  ...['orders://1', 'orders://1/seen', 'skill://orders/SKILL.md', 'skill://boxes/SKILL.md'].map((uri) => ({
    method: 'resources/read',
    params: { uri },
  })),
  ...['name', 'topic'].map((name) => completed({ type: 'ref/prompt', name: 'orders_greeting' }, name)),
  completed({ type: 'ref/prompt', name: 'orders_refund' }, 'reason'),
  completed({ type: 'ref/resource', uri: 'orders://{id}/seen' }, 'id'),
]

interface Answered {
  readonly status: number
  readonly body: string
}

const tasksExtension = { 'io.modelcontextprotocol/tasks': {} }

/** The answer as it came, without the id of a task, which is drawn. */
async function ask(
  client: TestClient,
  era: Era,
  { method, params = {}, url = '/mcp' }: Asked,
): Promise<Answered> {
  const sent = message(era, method, params)
  const uri = typeof params.uri === 'string' ? { 'mcp-name': params.uri } : {}
  const { status, body } = taken(
    await post(client, withTasks(sent.message), { url, headers: { ...sent.headers, ...uri } }),
  )
  return { status, body: body.replace(/"taskId":"[^"]*"/, '"taskId":""') }
}

const taken = ({
  statusCode: status,
  body,
}: {
  readonly statusCode: number
  readonly body: string
}): Answered => ({
  status,
  body,
})

/** Of a client that knows tasks. */
const withTasks = (sent: unknown): string =>
  JSON.stringify(sent).replace(
    '"io.modelcontextprotocol/clientCapabilities":{}',
    `"io.modelcontextprotocol/clientCapabilities":${JSON.stringify({ extensions: tasksExtension })}`,
  )

const post = (client: TestClient, payload: string, { url = '/mcp', headers = {} }) =>
  client.request({
    method: 'POST',
    url,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    payload,
  })

const begun = JSON.stringify(
  message('legacy', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  }).message,
)

/** As each kind of caller. */
async function callers(app: TestApp): Promise<ReadonlyMap<string, TestClient>> {
  const signedIn = app.client()
  await signedIn.signIn()
  return new Map([
    ['nobody', app.client()],
    ['a key', app.client().withHeaders({ 'x-api-key': 'k' })],
    ['a session', signedIn],
    ['a token', app.client().withBearer(await app.accessToken(undefined, { scope: 'orders:write' }))],
    ['a token of no scope', app.client().withBearer(await app.accessToken())],
  ])
}

/** What `mcp.readOnly` lists it as. */
const proxyThatReads = (text: string): string =>
  text.replace(
    /"description":"Calls any tool, also one that writes\."(.*?)"annotations":\{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false/,
    '"description":"Calls any tool."$1"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true',
  )

for (const { mcp, left } of settings) {
  t.test(`what ${JSON.stringify(mcp)} leaves out is as if it were not built`, async (t) => {
    const narrowed = await openStore(t, whole, { mcp })
    const { listed = 'permitted' } = mcp
    const without = await openStore(t, await builtStore(left), { mcp: { listed } })
    const [here, there] = [await callers(narrowed), await callers(without)]
    for (const [who, client] of here) {
      const other = there.get(who)
      if (other === undefined) throw new Error('both have the same callers')
      for (const era of eras) {
        for (const asked of everything) {
          const runs = watchRuns()
          const found = await ask(client, era, asked)
          const own = [...runs]
          runs.length = 0
          const expected = await ask(other, era, asked)
          const body = mcp.readOnly === true ? proxyThatReads(expected.body) : expected.body
          t.strictSame(
            [found, own],
            [{ ...expected, body }, runs],
            `${who}, ${era}: ${JSON.stringify(asked)}`,
          )
        }
      }
      const batch = JSON.stringify(
        names.map((name) => message('legacy', 'tools/call', { name, arguments: argsOf(name) }).message),
      )
      for (const [payload, headers] of [
        [begun, {}],
        [batch, { 'mcp-protocol-version': '2025-03-26' }],
      ] as const) {
        const [found, expected] = [
          await post(client, payload, { headers }),
          await post(other, payload, { headers }),
        ]
        t.strictSame(
          [found.statusCode, found.body],
          [expected.statusCode, expected.body],
          `${who}: ${payload}`,
        )
      }
      const [page, otherPage] = [client, other].map((asking) => asking.get('/mcp', { accept: 'text/html' }))
      t.equal(
        String((await page)?.body).replace('Calls any tool.', 'Calls any tool, also one that writes.'),
        (await otherPage)?.body,
        `${who}: the page`,
      )
    }
  })
}

const data = ({ body }: Answered) => JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body)

const namesIn = (listed: readonly { readonly name: string }[]): readonly string[] =>
  listed.map(({ name }) => name)

const proxies = ['list_toolboxes', 'open_toolbox', 'find_tools', 'call_read_only', 'call_tool']

t.test('mcp.readOnly: what is left, and each listed tool says that it reads', async (t) => {
  const client = (await openStore(t, whole, { mcp: { readOnly: true } })).client()
  for (const era of eras) {
    const { tools } = data(await ask(client, era, { method: 'tools/list' })).result
    t.strictSame(namesIn(tools), ['orders_index', ...proxies])
    const all = data(await ask(client, era, { method: 'tools/list', url: '/mcp?toolboxes=all' })).result
    t.strictSame(namesIn(all.tools), [
      'orders_index',
      'orders_search',
      'orders_show',
      'orders_count',
      'orders_look',
    ])
    for (const { annotations, name } of [...tools, ...all.tools])
      t.equal(annotations.readOnlyHint, true, name)
    const { prompts } = data(await ask(client, era, { method: 'prompts/list' })).result
    t.strictSame(namesIn(prompts), ['orders_greeting'])
    const { resourceTemplates } = data(await ask(client, era, { method: 'resources/templates/list' })).result
    t.strictSame(namesIn(resourceTemplates), ['orders_show'])
    const { resources } = data(await ask(client, era, { method: 'resources/list' })).result
    t.strictSame(namesIn(resources), ['orders'])
    const topics = await ask(client, era, completed({ type: 'ref/prompt', name: 'orders_greeting' }, 'topic'))
    t.strictSame(data(topics).result.completion, { values: [], total: 0, hasMore: false })
    const names = await ask(client, era, completed({ type: 'ref/prompt', name: 'orders_greeting' }, 'name'))
    t.strictSame(data(names).result.completion, { values: ['xa'], total: 1, hasMore: false })
    const runs = watchRuns()
    const refused = data(await ask(client, era, call('orders_create', { product: 'a' }))).error
    t.strictSame(refused, {
      code: -32602,
      message: 'unknown tool "orders_create", did you mean: orders_count',
    })
    const proxied = data(
      await ask(client, era, call('call_tool', { name: 'boxes_move', arguments: { id: '1' } })),
    )
    t.strictSame(
      [proxied.result.isError, proxied.result.content],
      [true, [{ type: 'text', text: 'unknown tool "boxes_move"' }]],
    )
    t.strictSame(runs, [])
  }
})

t.test('mcp.readOnly: where nothing reads, nothing is offered', async (t) => {
  const cwd = await builtBoxes()
  const client = (await openStore(t, cwd, { mcp: { readOnly: true } })).client()
  const { capabilities, instructions } = data(taken(await post(client, begun, {}))).result
  t.strictSame([capabilities, instructions], [{ tools: { listChanged: true } }, undefined])
  for (const era of eras) {
    const { tools } = data(await ask(client, era, { method: 'tools/list' })).result
    t.strictSame(namesIn(tools), proxies)
    const { structuredContent } = data(await ask(client, era, call('list_toolboxes', {}))).result
    t.strictSame(structuredContent, { toolboxes: [] })
  }
})

t.test(
  "mcp.expose: 'marked' makes tools of what has @mcp show, and leaves prompts and resources",
  async (t) => {
    const client = (await openStore(t, whole, { mcp: { expose: 'marked' } })).client()
    for (const era of eras) {
      const all = data(await ask(client, era, { method: 'tools/list', url: '/mcp?toolboxes=all' })).result
      t.strictSame(namesIn(all.tools), ['orders_index', 'orders_remove', 'orders_count'])
      const { prompts } = data(await ask(client, era, { method: 'prompts/list' })).result
      t.strictSame(namesIn(prompts), ['orders_refund', 'orders_greeting'])
      const { resourceTemplates } = data(
        await ask(client, era, { method: 'resources/templates/list' }),
      ).result
      t.strictSame(namesIn(resourceTemplates), ['orders_seen', 'orders_show'])
    }
  },
)

async function begin(client: TestClient, name: string): Promise<string> {
  const { headers, message: sent } = message('modern', 'tools/call', { name, arguments: {} })
  return data(taken(await post(client, withTasks(sent), { headers: { ...headers } }))).result.taskId
}

async function about(client: TestClient, method: string, taskId: string) {
  const { headers, message: sent } = message('modern', method, { taskId })
  return data(taken(await post(client, withTasks(sent), { headers: { ...headers, 'mcp-name': taskId } })))
}

t.test('a task of a tool that a setting leaves out is a task of a tool that is gone', async (t) => {
  const databaseUrl = `sqlite:${temporaryFolder()}/tasks.db`
  const before = (await openStore(t, whole, { databaseUrl })).client()
  const after = (await openStore(t, whole, { databaseUrl, mcp: { readOnly: true } })).client()
  watchRuns()
  const [kept, gone] = [await begin(before, 'orders_count'), await begin(before, 'orders_rebuild')]
  t.equal((await about(before, 'tasks/get', gone)).result.resultType, 'complete')
  t.equal((await about(after, 'tasks/get', kept)).result.resultType, 'complete')
  t.strictSame((await about(after, 'tasks/get', gone)).error, { code: -32602, message: 'Task not found' })
})

t.test('mcp.readOnly: the status address of a task is asked only if its route reads', async (t) => {
  const databaseUrl = `sqlite:${temporaryFolder()}/status.db`
  const before = (await openStore(t, whole, { databaseUrl })).client()
  const after = (await openStore(t, whole, { databaseUrl, mcp: { readOnly: true } })).client()
  const runs = watchRuns()
  const [first, second] = [await begin(before, 'orders_look'), await begin(before, 'orders_look')]
  t.equal((await about(before, 'tasks/get', first)).result.status, 'completed')
  t.strictSame(runs, ['seen'])
  const { status, error } = (await about(after, 'tasks/get', second)).result
  t.strictSame([status, error.message], ['failed', 'its status address is served no more'])
  const answered = data(await ask(after, 'modern', call('orders_look', {}))).result
  t.strictSame(answered.content, [{ type: 'text', text: '202 Accepted' }], 'and none is begun')
  t.strictSame(runs, ['seen'])
})

t.test('nothing changes over HTTP', async (t) => {
  const plain = (await openStore(t, whole)).client()
  const narrow = (await openStore(t, whole, { mcp: { readOnly: true, expose: 'marked' } })).client()
  const requests = [
    ['GET', '/orders'],
    ['GET', '/orders/1'],
    ['GET', '/orders/1/seen'],
    ['POST', '/orders', '{"product":"a"}'],
    ['POST', '/orders/search', '{"text":"a"}'],
    ['POST', '/orders/refund', '{"reason":"a"}'],
    ['POST', '/orders/topics', '{"topic":"a"}'],
    ['POST', '/orders/rebuild', '{}'],
    ['DELETE', '/orders/1'],
    ['PUT', '/boxes/1'],
  ] as const
  for (const [method, url, payload] of requests) {
    const send = async (client: TestClient) => {
      const json = payload === undefined ? {} : { payload, headers: { 'content-type': 'application/json' } }
      const { statusCode, body, headers: answered } = await client.request({ method, url, ...json })
      const { date: _date, ...own } = answered
      return { statusCode, body, own }
    }
    const runs = watchRuns()
    const expected = await send(plain)
    const once = [...runs]
    t.equal(once.length, url === '/orders/1' && method === 'DELETE' ? 0 : 1, `${method} ${url} ran`)
    t.strictSame(await send(narrow), expected, `${method} ${url}`)
    t.strictSame(runs, [...once, ...once])
  }
})

t.test('acmcp tools, prompts, resources and routes tell what the endpoint has', async (t) => {
  const cwd = await builtStore([], "readOnly: true, expose: 'marked'")
  const client = (await openStore(t, cwd)).client()
  for (const [command, method] of [
    ['tools', 'tools/list'],
    ['prompts', 'prompts/list'],
  ] as const) {
    const { [command]: listed } = data(await ask(client, 'modern', { method })).result
    t.strictSame(JSON.parse((await acmcpHere(cwd, {}, command, '--json')).stdout), { [command]: listed })
  }
  const { stdout } = await acmcpHere(cwd, { BASE_URL: 'http://localhost:3000' }, 'resources', '--json')
  const { resourceTemplates } = data(
    await ask(client, 'legacy', { method: 'resources/templates/list' }),
  ).result
  t.strictSame(JSON.parse(stdout).resourceTemplates, resourceTemplates)
  const routes: readonly { readonly tool: string | null }[] = JSON.parse(
    (await acmcpHere(cwd, {}, 'routes', '--json')).stdout,
  ).routes
  t.strictSame(
    routes.flatMap(({ tool }) => tool ?? []),
    ['orders_index', 'orders_count'],
  )
  t.equal(routes.length, 14)
})

t.test('mcp.yml has the whole, with what is marked', async (t) => {
  const reviewed = parse(readFileSync(join(whole, 'generated/mcp.yml'), 'utf8'))
  const tools: readonly { readonly name: string; readonly shown?: true }[] = reviewed.toolboxes.flatMap(
    ({ tools }: { readonly tools: readonly object[] }) => tools,
  )
  t.strictSame(
    tools.flatMap(({ name, shown }) => (shown === true ? [name] : [])),
    ['orders_index', 'orders_remove', 'orders_count'],
  )
  t.equal(tools.length, 12)
})
