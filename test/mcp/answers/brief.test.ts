/** A stranger's application whose tools answer in brief: what models get, and what everybody else gets. */
import { createHmac } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import { loadBundle } from '../../../runtime/boot/bundle.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { auditAt, jwtSecret, sessionSecret, start } from '../../audit/support/vault.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { builtFolder } from '../../support/linked.ts'
import { callTool, failureOf, openShop, type Shop } from '../support/shop.ts'
import { json, message } from '../support/support.ts'
import { buildJobs, clientOf, heldWork, openInstances, until } from '../tasks/jobs.ts'
import { answered } from './answering.ts'

const orders = `import { Controller, type Body, type Int32, type Rendered } from 'acmcp'

export interface Line { sku: string; amount: Int32 }
export interface Order {
  id: Int32
  status: string
  text: string
  lines: Line[]
  /** @secret */
  token?: string
}
export interface Refund { kind: 'refund'; id: Int32; reason: string }
export interface Sale { kind: 'sale'; id: Int32; total: Int32 }

export interface Filter { [name: string]: unknown }

const all: readonly Order[] = Array.from({ length: 60 }, (_, id) => ({
  id, status: 'open', text: 'words '.repeat(20), lines: [{ sku: 'a', amount: id }],
}))

/**
 * Orders.
 *
 * @base /orders
 */
export class Orders extends Controller {
  /** @filter before only=guarded */
  closed(): Rendered { return this.render({ json: { closed: 'until noon' } }) }

  /**
   * Lists orders.
   *
   * @get /
   * @mcp brief id status
   * @mcp resource uri=orders://all
   */
  index(): Order[] { return all.slice(0, 2) }

  /**
   * Shows an order.
   *
   * @get /one/:id
   * @mcp root
   * @mcp brief id lines
   * @param id - which
   */
  show(id: Int32): Order { return { ...all[0]!, id } }

  /**
   * Pages through orders.
   *
   * @get /pages
   * @mcp brief id
   * @mcp budget 1000
   * @mcp paging page=page limit=perPage
   * @param page - from 1 on
   * @param perPage - how many
   */
  pages(page: Int32 = 1, perPage: Int32 = 10): { items: Order[]; total: Int32; note: { text: string } } {
    return { items: all.slice((page - 1) * perPage, page * perPage), total: all.length, note: { text: 'whole' } }
  }

  /**
   * Lists orders, and says in a header where the next are.
   *
   * @get /linked
   * @mcp brief id
   * @param from - the first
   */
  linked(from: Int32 = 0): Order[] {
    this.response.set('link', \`</orders/linked?from=\${from + 2}>; rel="next"\`)
    return all.slice(from, from + 2)
  }

  /**
   * Lists what was paid, and paid back.
   *
   * @get /money
   * @mcp brief id total
   */
  money(): (Refund | Sale)[] { return [{ kind: 'refund', id: 1, reason: 'late' }, { kind: 'sale', id: 2, total: 3 }] }

  /**
   * Says what it was sent.
   *
   * @post /search
   * @mcp brief seen
   * @audit strict
   */
  search(filter: Body<Filter>): { seen: string; more: Int32 } { return { seen: JSON.stringify(filter), more: 1 } }

  /**
   * Is closed.
   *
   * @get /guarded
   * @mcp brief id
   */
  guarded(): Order { return all[0]! }
}
`

const bundle = await loadBundle(
  await builtFolder({
    'package.json': '{"name":"orders","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config = defineApp({ mcp: { path: '/mcp', serverName: 'Orders' } })\n`,
    'app/controllers/orders.ts': orders,
  }),
)

const hooked = async (app: { addHook(name: string, hook: () => Promise<void>): void }): Promise<void> => {
  app.addHook('onRequest', async () => {})
}
const ways = [
  [{}, 'modern'],
  [{}, 'legacy'],
  [{ plugins: [hooked] }, 'modern'],
] as const

const line = (id: number): object => ({ sku: 'a', amount: id })
const text = 'words '.repeat(20)

t.test('tools answer in brief, and with more when it is asked for; HTTP answers all', async (t) => {
  for (const [config, era] of ways) {
    const shop = await openShop(t, bundle, { config })
    const answerOf = async (name: string, args: object = {}): Promise<unknown> => {
      const { content, structuredContent } = (await callTool(shop, name, args, { era })).answer.result
      const value = JSON.parse(content[0].text)
      const wrapped = era === 'legacy' && Array.isArray(value) ? { result: value } : value
      t.strictSame(structuredContent, wrapped, 'text and structured content are the same')
      return value
    }
    t.strictSame(
      await answerOf('orders_index'),
      [0, 1].map((id) => ({ id, status: 'open' })),
    )
    t.strictSame(
      await answerOf('orders_index', { fields: ['lines', 'id'] }),
      [0, 1].map((id) => ({ id, status: 'open', lines: [line(id)] })),
    )
    t.strictSame(await answerOf('orders_index', { fields: null }), await answerOf('orders_index'))
    t.strictSame(await answerOf('orders_show', { id: 7 }), { id: 7, lines: [line(0)] })
    t.strictSame(await answerOf('orders_show', { id: 7, fields: ['text'] }), {
      id: 7,
      text,
      lines: [line(0)],
    })
    t.strictSame(await answerOf('orders_pages', { page: 2, perPage: 2 }), {
      items: [{ id: 2 }, { id: 3 }],
      total: 60,
      note: { text: 'whole' },
    })
    t.strictSame(await answerOf('orders_money'), [{ id: 1 }, { id: 2, total: 3 }])
    t.strictSame(
      await answerOf('call_tool', { name: 'orders_money', arguments: { fields: ['reason'] } }),
      [
        { id: 1, reason: 'late' },
        { id: 2, total: 3 },
      ],
      'by the proxy',
    )
    t.strictSame(await answerOf('orders_guarded', { fields: [7] }), { closed: 'until noon' }, 'no order')
    const http = await shop.app.client().get('/orders?fields=text')
    t.strictSame(http.json()[1], { id: 1, status: 'open', text, lines: [line(1)] })
  }
})

/** Arguments that a tool asks for, or with which all of its answer fits. */
const needed: Readonly<Record<string, object>> = {
  orders_show: { id: 1 },
  orders_pages: { perPage: 3 },
  orders_search: { filter: {} },
}

t.test('an answer in brief, or with more, has the type that its tool promises', async (t) => {
  const shop = await openShop(t, bundle)
  const ajv = new Ajv2020({ strict: false })
  for (const { name, brief, outputSchema } of bundle.catalogue.tools) {
    if (brief === undefined || outputSchema === null || name === 'orders_guarded') continue
    const valid = ajv.compile(outputSchema)
    const args = needed[name] ?? {}
    for (const fields of [[], brief.more.slice(0, 1), brief.more]) {
      const { answer } = await callTool(shop, name, { ...args, fields })
      t.ok(valid(answer.result.structuredContent), `${name} ${fields} ${JSON.stringify(valid.errors)}`)
    }
  }
})

t.test('what is no JSON, no success, or no item stays as it is, by the SDK alone too', async (t) => {
  const tool = { brief: { names: ['id'], more: ['text'] }, outputSchema: null }
  const one = (value: object, headers = {}) => ({
    ...json(200, value),
    headers: { ...json(200, {}).headers, ...headers },
  })
  const textOf = async (outcome: Parameters<typeof answered>[0]): Promise<string> =>
    (await answered(outcome, { tool })).content[0].text
  t.equal(await textOf(one({ id: 1, text: 'a' })), '{"id":1}')
  t.equal(await textOf(one({ id: 1, text: 'a' }, { 'content-type': 'application/hal+json' })), '{"id":1}')
  t.equal(await textOf(one([{ text: 'a' }, null, 7, [{ text: 'b' }]])), '[{},null,7,[{"text":"b"}]]')
  t.equal(await textOf(one(JSON.parse('{"__proto__":1,"id":2}'))), '{"id":2}')
  t.equal(await textOf(one({ done: true })), '{"done":true}')
  t.equal(await textOf({ ...one({}), body: Buffer.from('{"id":1,"text":"a"}') }), '{"id":1}')
  const hal = one({}, { 'content-type': 'application/hal+json' })
  t.equal(await textOf({ ...hal, body: 'no { JSON' }), 'no { JSON')
  t.equal(await textOf(one({ text: 'a', id: 1 }, { 'content-type': 'text/plain' })), '{"text":"a","id":1}')
  t.equal(await textOf(json(409, { text: 'a', id: 1 })), '409 Conflict\n{"text":"a","id":1}')
})

t.test('a wrong name is an error with the nearest, and no secret is one that can be asked for', async (t) => {
  const sentences: readonly (readonly [unknown, readonly string[]])[] = [
    [['txt'], ['unknown property "txt", did you mean: text']],
    [['statu', 'text'], ['unknown property "statu", did you mean: status']],
    [['token'], ['unknown property "token"']],
    [['text', 7], ["'fields' must be a list of names"]],
    [
      ['aaaaa', 'bbbbb', 'ccccc', 'ddddd', 'eeeee'],
      ['unknown property "aaaaa"', 'unknown property "bbbbb"', 'unknown property "ccccc"', 'and more'],
    ],
    ['text', ["'fields' must be a list of names"]],
  ]
  const schema = JSON.stringify(
    bundle.catalogue.tools.find(({ name }) => name === 'orders_index')?.inputSchema,
  )
  for (const [config, era] of ways) {
    const shop = await openShop(t, bundle, { config })
    for (const [fields, expected] of sentences) {
      const told = ['400 Bad Request', ...expected, `Input schema of orders_index: ${schema}`].join('\n')
      t.equal(failureOf(await callTool(shop, 'orders_index', { fields }, { era })), told)
    }
  }
})

const sent = async ({ app }: Shop, body: object, name?: string) => {
  const response = await app.client().request({
    method: 'POST',
    url: '/mcp',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(name === undefined
        ? { 'mcp-protocol-version': '2025-03-26' }
        : { ...message('modern', 'resources/read').headers, 'mcp-name': name }),
    },
    payload: JSON.stringify(body),
  })
  return [...response.body.matchAll(/^(?:data: )?(\{.*\})$/gm)].map(
    ([, json = '']) => JSON.parse(json).result,
  )
}

t.test('batches are in brief; a resource is whole', async (t) => {
  const shop = await openShop(t, bundle)
  const calls = ['orders_index', 'orders_money'].map((name, id) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } },
  }))
  const answers = await sent(shop, calls)
  t.strictSame(
    answers.map(({ content }) => content[0].text),
    ['[{"id":0,"status":"open"},{"id":1,"status":"open"}]', '[{"id":1},{"id":2,"total":3}]'],
  )
  const uri = 'orders://all'
  const [result] = await sent(shop, message('modern', 'resources/read', { uri }).message as object, uri)
  t.strictSame(JSON.parse(result.contents[0].text)[0], { id: 0, status: 'open', text, lines: [line(0)] })
})

t.test(
  'what is left is within the budget, and the next page is asked for with the same fields',
  async (t) => {
    const shop = await openShop(t, bundle)
    const contentOf = async (name: string, args: object) =>
      (await callTool(shop, name, args)).answer.result.content
    const [page, next] = await contentOf('orders_pages', { perPage: 50 })
    t.equal(JSON.parse(page.text).items.length, 50, 'in brief it needs no cut')
    t.equal(next.text, 'There may be more: call orders_pages with {"perPage":50,"page":2}.')
    const [cut, rest] = await contentOf('orders_pages', { perPage: 50, fields: ['text'] })
    t.ok(cut.text.length <= 1000)
    t.strictSame(Object.keys(JSON.parse(cut.text).items[0]), ['id', 'text'])
    t.match(
      rest.text,
      /^The call was done, .*ask for less by 'perPage'.*orders_pages with .*"fields":\["text"\],"page":2\}\.$/,
    )
    const [, linked] = await contentOf('orders_linked', { fields: ['status'] })
    t.equal(
      linked.text,
      'For the next page call orders_linked with {"fields":["status"],"from":2}.',
      'by the header too',
    )
  },
)

t.test('the route never sees fields; the trail has the arguments as sent', async (t) => {
  const url = `sqlite:${temporaryFolder()}/trail.db`
  const app = await openTestApp({
    clock: () => start,
    environment: { databaseUrl: url, jwtSecrets: [jwtSecret], sessionSecrets: [sessionSecret] },
    change: () => bundle,
  })
  const args = { filter: { word: 'x', other: 1 }, fields: ['more'] }
  const { answer } = await callTool({ app }, 'orders_search', args)
  t.strictSame(answer.result.structuredContent, { seen: '{"word":"x","other":1}', more: 1 })
  await app.close()
  const key = createHmac('sha256', sessionSecret).update('acmcp audit arguments v1\n').digest()
  const digest = createHmac('sha256', key)
    .update('{"fields":["more"],"filter":{"other":1,"word":"x"}}')
    .digest('hex')
  t.strictSame(
    (await auditAt(url)).map(({ tool, argumentsDigest }) => [tool, argumentsDigest]),
    [['orders_search', digest]],
  )
})

t.test('find_tools tells what may be asked for', async (t) => {
  const shop = await openShop(t, bundle)
  const { answer } = await callTool(shop, 'find_tools', { query: 'paid back' })
  const [tool] = answer.result.structuredContent.tools
  t.strictSame(
    [tool.name, tool.inputSchema.properties.fields.items.enum],
    ['orders_money', ['kind', 'reason']],
  )
})

t.test('what a task comes to is in brief', async (t) => {
  const jobs = await buildJobs()
  for (const [args, value] of [
    [{}, { name: 'tea' }],
    [{ fields: ['note'] }, { name: 'tea', note: 'n' }],
  ] as const) {
    const databaseUrl = `sqlite:${temporaryFolder()}/jobs.db`
    const opened = await openInstances(t, jobs, { databaseUrl, count: 1 })
    const [here] = opened.all
    if (here === undefined) throw new Error('there is one')
    const client = clientOf(here, await opened.tokenOf('dev:ada'))
    const held = heldWork()
    const { said } = await client.call('jobs_stock', args)
    await held.begun(0)
    held.finish(0, 'tea')
    t.match(await until(client, said.taskId, 'completed'), {
      result: { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value },
    })
  }
})
