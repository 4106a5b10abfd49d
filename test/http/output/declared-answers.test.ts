/** Answers by their declared type: what no type declares does not leave, at any entrance. Source: decisions/http.md, Answers by type. */
import t from 'tap'
import { openTestApp, type TestApp, type TestClient } from '../../../runtime/testing.ts'
import { builtFolder } from '../../support/linked.ts'
import { wideApp } from './support/wide-app.ts'

const folder = await builtFolder(wideApp)

const open = async (config: object = {}, options: object = {}): Promise<TestApp> => {
  const app = await openTestApp({
    cwd: folder,
    change: (bundle) => ({ ...bundle, config: { ...(bundle.config as object), ...config } }),
    ...options,
  })
  t.teardown(app.close)
  return app
}

const app = await open()
const client = app.client().withBearer(await app.accessToken())

const owner = { id: 'u1', name: 'Ann' }
const order = (id: number): object => ({
  id,
  placed: '1970-01-01T00:00:00.000Z',
  total: '7',
  owner,
  lines: [{ sku: 'a', count: 1 }],
  tags: ['x'],
})

/** By route: what leaves, the same over HTTP and in a tool call. */
const expected: Readonly<Record<string, unknown>> = {
  order: order(1),
  page: { items: [order(1), order(2)], next: null },
  mixed: {
    pair: [owner, 'x'],
    byName: { ann: owner },
    all: [owner],
    record: { ann: owner },
    anything: { kept: { as: 'it is', passwordHash: 'canary' } },
  },
  names: { u1: 'Ann' },
  tags: ['x'],
  views: { all: owner, brief: { id: 'u1' } },
  payments: [{ kind: 'card', last4: '4242' }, { kind: 'bank', iban: 'DE00' }, { kind: 'card' }],
  shapes: [{ name: 'c', radius: 2 }, { name: 'b', radius: 2, width: 3 }, { name: 'n' }, null],
  shared: { of: { ...owner, sku: 'a', count: 1 }, x: 1, y: 2 },
  pattern: { 'x-a': '1' },
  tree: { label: 'a', children: [{ label: 'b', children: [] }] },
  both: { ...owner, total: 1 },
  invoice: { number: 'i1', lines: [{ sku: 'a', count: 1 }] },
  row: owner,
  open: { id: 'o', more: 'declared by the index' },
  rendered: owner,
  lie: { name: {}, lines: {}, owner: [{}] },
  bare: { one: {}, text: 'x', any: { name: 'whole' } },
  lost: { error: 'lost', hint: 'look elsewhere' },
  closed: { error: 'closed', hint: 'wait' },
}

const textOf = async (name: string, from: TestClient): Promise<unknown> => {
  const { content } = await from.tool(`answers_${name}`)
  const text = content.find(({ type }) => type === 'text')?.text ?? ''
  return JSON.parse(text.replace(/^\d{3} [^{]*/, '')) // an error begins with its status
}

for (const [name, value] of Object.entries(expected)) {
  t.test(`${name}: over HTTP and in a tool call what its type declares leaves`, async (t) => {
    t.strictSame((await client.get(`/answers/${name}`)).json(), value)
    t.strictSame(await textOf(name, client), value)
  })
}

t.test('YAML, rendered YAML and a responder of the application get the declared part', async (t) => {
  const yaml = await client.get('/answers/tree', { accept: 'application/yaml' })
  t.equal(yaml.body, 'label: a\nchildren:\n  - label: b\n    children: []\n')
  t.equal((await client.get('/answers/rendered-yaml')).body, 'id: u1\nname: Ann\n')
  t.equal((await client.get('/answers/both', { accept: 'text/csv' })).body, 'id,name,total')
  const classOf = async (name: string): Promise<string> =>
    (await client.get(`/answers/${name}`, { accept: 'text/x-class' })).body
  t.strictSame(
    [await classOf('point'), await classOf('invoice')],
    ['Point', 'Object'],
    'a copy where it must be',
  )
})

t.test('events, and what declares nothing', async (t) => {
  t.equal((await client.get('/answers/events')).body, 'data: {"id":"u1","name":"Ann"}\n\n')
  const kinds = 'event: owner\ndata: {"id":"u1","name":"Ann"}\n\nevent: line\ndata: {"sku":"a","count":1}\n\n'
  t.equal((await client.get('/answers/kinds')).body, kinds)
  t.strictSame((await client.get('/answers/untyped')).json(), { any: 'thing' })
})

const mcpResult = async (method: string, params: object) => {
  const answer = await client.request({
    method: 'POST',
    url: app.application.mcpPath,
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    payload: { jsonrpc: '2.0', id: 1, method, params },
  })
  return answer.json().result
}

t.test('a resource is read by its type, and a prompt has what its messages declare', async (t) => {
  const { contents } = await mcpResult('resources/read', { uri: `${app.baseUrl}/answers/order` })
  t.strictSame(JSON.parse(contents[0].text), order(1))
  const { messages } = await mcpResult('prompts/get', { name: 'answers_asking' })
  t.strictSame(messages, [{ role: 'user', content: { type: 'text', text: 'Who is it?' } }])
})

t.test('answers: whole lets everything leave', async (t) => {
  const whole = await open({ answers: 'whole' })
  const { passwordHash } = (await whole.client().get('/answers/both')).json()
  t.equal(passwordHash, 'canary')
})

t.test(
  'in development the first differences of a route are logged, by name and never by value',
  async (t) => {
    const lines: string[] = []
    const logStream = { write: (line: string): void => void lines.push(line) }
    const told = await open({}, { logStream, environment: { production: false, logLevel: 'warn' } })
    await told.client().get('/answers/both')
    await told.client().get('/answers/both')
    await told.client().get('/answers/lacking')
    await told.client().get('/answers/lie')
    const said = lines.map((line) => JSON.parse(line)).filter(({ path }) => path !== undefined)
    t.strictSame(
      said.map(({ route, path, msg }) => [route, path, msg]),
      [
        ['answers_both', 'passwordHash', 'left out of the answer: its type does not declare it'],
        ['answers_lacking', 'name', 'the answer lacks what its type promises'],
        ['answers_lie', 'name', 'the answer is not of its type here'],
        ['answers_lie', 'name.canary', 'left out of the answer: its type does not declare it'],
        ['answers_lie', 'lines', 'the answer is not of its type here'],
        ['answers_lie', 'lines.canary', 'left out of the answer: its type does not declare it'],
        ['answers_lie', 'owner', 'the answer is not of its type here'],
        ['answers_lie', 'owner[].canary', 'left out of the answer: its type does not declare it'],
      ],
    )
    t.notMatch(lines.join(''), /:1\}|"canary"/)
  },
)
