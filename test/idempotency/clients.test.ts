/** Idempotency keys as MCP clients send them: an argument of the tool. */
// Source: decisions/http.md, Idempotency.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { called, type Reported, reported, type Talk } from '../mcp/questions/refunds.ts'
import { freePort } from '../support/free-port.ts'
import { droppingProxy } from './dropping-proxy.ts'
import { type Opened, openShop } from './shop.ts'

t.setTimeout(240_000) // a busy machine

async function open(t: Test): Promise<Opened> {
  const opened = await openShop()
  t.teardown(() => opened.app.close())
  return opened
}

const eras = ['legacy', 'modern'] as const
const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const textOf = ({ content }: Reported['said']): string => content[0].text

/** Those of the toolbox, by name, with all that is said of them. */
async function toolsOf(talk: Talk): Promise<ReadonlyMap<string, Reported['said']>> {
  const { structuredContent } = await called(talk, 'open_toolbox', { name: 'orders' })
  return new Map(structuredContent.tools.map((tool: { readonly name: string }) => [tool.name, tool]))
}

const keySchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'One value per intended effect, such as a new UUID. Use the same value again when the answer did not come; another value does it again.',
}

t.test('the argument of the tools that take a key', async (t) => {
  const { client, ran } = await open(t)
  for (const era of eras) {
    const tools = await toolsOf({ client, era })
    const schemaOf = (name: string) => tools.get(name).inputSchema
    const [place, change] = [schemaOf('orders_place'), schemaOf('orders_change')]
    t.strictSame([place.properties.idempotencyKey, place.required], [keySchema, ['amount']])
    t.strictSame(
      [change.properties.idempotencyKey, change.required],
      [keySchema, ['id', 'amount', 'idempotencyKey']],
    )
    t.notOk('idempotencyKey' in Object(schemaOf('orders_index').properties))
    const missing = await called({ client, era }, 'orders_change', { id: '1', amount: 1 })
    t.match([missing.isError, textOf(missing)], [true, /idempotencyKey|idempotency key/])
  }
  t.strictSame(await ran(), [])
})

t.test('what is no key is told so that a model can mend it, and nothing runs', async (t) => {
  const { client, ran } = await open(t)
  const wrong = [7, {}, true, ['k'], '', '  ', 'k'.repeat(300), 'a\nb', 'a\0b', 'ключ']
  for (const era of eras)
    for (const idempotencyKey of wrong) {
      const said = await called({ client, era }, 'orders_place', { amount: 1, idempotencyKey })
      const told = [said.isError, textOf(said)]
      t.match(
        told,
        [true, /^400 Bad Request\n[^\n]*1 to 255 printable ASCII/],
        JSON.stringify(idempotencyKey),
      )
    }
  t.strictSame(await ran(), [])
  const none = { amount: 1, idempotencyKey: null }
  for (const era of eras)
    t.notOk((await called({ client, era }, 'orders_place', none)).isError, 'as if it were not sent')
  t.strictSame(await ran(), ['place 1', 'place 1'])
})

t.test('a replay is cut for who asks now: whole, brief or by fields, as the schema says', async (t) => {
  const { client, ran, post } = await open(t)
  const first = await post('/orders', { amount: 1, note: 'n' })
  const whole = { id: 'order-1', amount: 1, at: '1970-01-01T00:00:00.000Z', note: 'n' }
  t.strictSame(first.json(), whole)
  for (const era of eras) {
    const talk: Talk = { client, era }
    const { outputSchema } = (await toolsOf(talk)).get('orders_place')
    const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(outputSchema)
    const answers = [
      [{}, { id: 'order-1' }],
      [{ fields: ['amount', 'note'] }, { id: 'order-1', amount: 1, note: 'n' }],
      [{ fields: ['id', 'amount', 'at', 'note'] }, whole],
    ] as const
    for (const [more, wanted] of answers) {
      const args = { amount: 1, note: 'n', idempotencyKey: 'k', ...more }
      const { structuredContent } = await called(talk, 'orders_place', args)
      t.strictSame(structuredContent, wanted)
      t.ok(isValid(structuredContent), JSON.stringify(isValid.errors))
    }
  }
  t.strictSame(await ran(), ['place 1'])
})

t.test('a question binds no key: who repeats the call that was answered gets its answer', async (t) => {
  const { client, ran, post } = await open(t)
  const talk: Talk = { client }
  const args = { room: 'a', idempotencyKey: 'k' }
  const asked = await called(talk, 'orders_seats', args)
  t.equal(asked.resultType, 'input_required')
  t.equal((await called(talk, 'orders_seats', args)).resultType, 'input_required', 'it asks again')
  const { requestState } = asked
  const inputResponses = { seats: { action: 'accept', content: { count: 2 } } }
  const done = await called(talk, 'orders_seats', args, { requestState, inputResponses })
  t.strictSame(done.structuredContent, { seats: 2 })
  for (const more of [{}, { requestState, inputResponses }])
    t.strictSame((await called(talk, 'orders_seats', args, more)).structuredContent, { seats: 2 })
  const legacy = await called({ client, era: 'legacy' }, 'orders_seats', args)
  t.strictSame(legacy.structuredContent, { seats: 2 }, 'a client that cannot ask gets it too')
  for (const body of [{ room: 'a' }, { room: 'a', seats: { count: 2 } }])
    t.equal((await post('/orders/seats', body)).body, '{"seats":2}', 'over HTTP too')
  t.equal((await post('/orders/seats', { room: 'b' })).statusCode, 422)
  const declined = await called(talk, 'orders_seats', { ...args, idempotencyKey: 'no' })
  const no = { requestState: declined.requestState, inputResponses: { seats: { action: 'decline' } } }
  t.ok((await called(talk, 'orders_seats', { ...args, idempotencyKey: 'no' }, no)).isError)
  t.equal(
    (await called(talk, 'orders_seats', { ...args, idempotencyKey: 'no' })).resultType,
    'input_required',
  )
  t.ok((await called({ client, era: 'legacy' }, 'orders_seats', { ...args, idempotencyKey: 'old' })).isError)
  t.strictSame(await ran(), ['seats a 2'])
})

t.test('two tasks with one key: each has an end, and the effect is there once', async (t) => {
  const { client, ran } = await open(t)
  const talk: Talk = { client, capabilities: tasks }
  const args = { name: 'a', idempotencyKey: 'k' }
  const ids = [await called(talk, 'orders_task', args), await called(talk, 'orders_task', args)].map(
    ({ taskId }) => taskId,
  )
  t.equal(new Set(ids).size, 2)
  const ends = []
  for (const id of ids) ends.push(await endOf(client, id))
  t.strictSame(
    ends.map(({ status }) => status),
    ['completed', 'completed'],
  )
  const [first, second] = ends
  t.strictSame(first.result.structuredContent, { made: 'a' })
  if (second.result.isError === true) t.match(textOf(second.result), /is still running/)
  else t.strictSame(second.result.structuredContent, { made: 'a' })
  t.strictSame((await called({ client }, 'orders_task', args)).structuredContent, { made: 'a' })
  t.strictSame(await ran(), ['task a'])
})

async function endOf(client: Opened['client'], taskId: string): Promise<Reported['said']> {
  for (;;) {
    const named = client.withHeaders({ 'mcp-name': taskId })
    const { said } = await reported({ client: named, capabilities: tasks }, 'tasks/get', { taskId })
    if (said.status !== 'working') return said
    await new Promise(setImmediate)
  }
}

t.test('one key twice in a batch: one of the calls runs', async (t) => {
  const { client, ran } = await open(t)
  const message = (id: number): object => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'orders_place', arguments: { amount: 1, idempotencyKey: 'k' } },
  })
  const send = () =>
    client.request({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' },
      payload: [message(1), message(2)],
    })
  const resultsOf = ({ body }: Awaited<ReturnType<typeof send>>): Reported['said'][] =>
    [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data).result)
  const results = resultsOf(await send())
  t.equal(results.length, 2)
  for (const result of results)
    if (result.isError === true) t.match(textOf(result), /is still running/)
    else t.strictSame(result.structuredContent, { id: 'order-1' })
  t.ok(results.some(({ isError }) => isError !== true))
  const again = resultsOf(await send())
  t.strictSame(
    again.map(({ structuredContent }) => structuredContent),
    [{ id: 'order-1' }, { id: 'order-1' }],
  )
  t.strictSame(await ran(), ['place 1'])
})

interface Caller {
  listTools(): Promise<unknown>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<object>
  close(): Promise<void>
}

type Connect = (endpoint: URL, requestInit: { headers: { authorization: string } }) => Promise<Caller>

const info = { name: 'a real client', version: '1' }

const connectV2 =
  (mode: 'auto' | 'legacy'): Connect =>
  async (endpoint, requestInit) => {
    const client = new Client(info, { versionNegotiation: { mode } })
    await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit }))
    return client
  }

const connectV1: Connect = async (endpoint, requestInit) => {
  const client = new ClientV1(info)
  const transport = new TransportV1(endpoint, { requestInit })
  // exactOptionalPropertyTypes: the class declares `sessionId: string | undefined`
  await client.connect(transport as Parameters<ClientV1['connect']>[0])
  return client
}

const connects: Readonly<Record<string, Connect>> = {
  'v2, 2026-07-28': connectV2('auto'),
  'v2, 2025-11-25': connectV2('legacy'),
  v1: connectV1,
}

for (const [name, connect] of Object.entries(connects))
  t.test(
    `${name}: its connection breaks, it sends the same call again, and one order is there`,
    async (t) => {
      const port = await freePort()
      const opened = await openShop({ environment: { baseUrl: `http://localhost:${port}` } })
      t.teardown(() => opened.app.close())
      await opened.app.application.server.listen({ port, host: 'localhost' })
      const proxy = await droppingProxy(t, port)
      const headers = { authorization: `Bearer ${opened.token}` }
      const client = await connect(new URL(`${proxy.origin}/mcp/orders`), { headers })
      t.teardown(() => client.close())
      await client.listTools() // from now on it judges answers by their schemas
      const call = { name: 'orders_place', arguments: { amount: 5, idempotencyKey: 'one order' } }
      proxy.drop('tools/call', 2)
      await t.rejects(client.callTool(call))
      await t.rejects(client.callTool(call))
      const result = await client.callTool(call)
      t.strictSame(Reflect.get(result, 'structuredContent'), { id: 'order-1' })
      t.equal(proxy.dropped(), 2)
      t.strictSame(await opened.ran(), ['place 5'])
    },
  )
