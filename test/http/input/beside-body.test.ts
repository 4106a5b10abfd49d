/** A plain parameter beside `Body<T>` stands in the query: over HTTP, in the document, as a tool's argument and in the typed client. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { serveWithClient } from '../../cli/client/served-client.ts'
import { memoryHost, notesWith } from '../../cli/support/memory-host.ts'

t.setTimeout(120_000)

const { module, root, baseUrl } = await serveWithClient(t, {
  'package.json': '{"name":"shop","version":"1.0.0","type":"module"}',
  'app/config.ts':
    "import { defineApp } from 'acmcp'\nexport const config = defineApp({ mcp: { path: '/mcp' } })\n",
  'app/controllers/orders.ts': `import { ApplicationController, type Body, type Int32, type Named } from 'acmcp'
export interface Order { product: string; notify?: string }
/** Orders. */
export class Orders extends ApplicationController {
  #shop = ''
  /** @filter before */
  here(shop: string): void { this.#shop = shop }
  /**
   * Replaces an order.
   *
   * @put /:id
   */
  replace(id: Int32, order: Body<Order>, notify: boolean, copies: Int32 = 1, tags: string[] = []): unknown[] {
    return [id, order, notify, copies, tags, this.#shop]
  }
  /**
   * Notes a word.
   *
   * @post /words
   */
  note(word: Body<string>, as?: Named<'word', string>): unknown[] { return [word, as ?? null, this.#shop] }
}
`,
})
const app = await openTestApp({ cwd: root })
t.teardown(app.close)
const client = app.client()

const put = async (url: string, type: string, payload: string): Promise<readonly unknown[]> => {
  const { server } = app.application
  const answer = await server.inject({ method: 'PUT', url, headers: { 'content-type': type }, payload })
  return [answer.statusCode, answer.json()]
}

t.test('over HTTP it is read in the query, whatever the body has under its name', async (t) => {
  const order = { product: 'tea', notify: 'no' }
  const taken = [7, order, true, 2, ['a', 'b'], 'north']
  const url = '/orders/7?notify=1&copies=2&tags=a&tags=b&shop=north'
  t.strictSame(await put(url, 'application/json', JSON.stringify(order)), [200, taken])
  const form = 'product=tea&notify=no'
  t.strictSame(await put(url, 'application/x-www-form-urlencoded', form), [200, taken], 'a form')
  const parts = Object.entries(order).map(
    ([name, text]) => `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  )
  const multipart = 'multipart/form-data; boundary=XX'
  t.strictSame(await put(url, multipart, `${parts.join('')}--XX--\r\n`), [200, taken], 'a multipart form')
})

t.test('a field of the body does not stand for it', async (t) => {
  const body = JSON.stringify({ product: 'tea', notify: 'no', shop: 'north' })
  const [status, answer] = await put('/orders/7?shop=north', 'application/json', body)
  t.strictSame([status, Object(answer).parameter], [422, 'notify'])
  const [filtered, refused] = await put('/orders/7?notify=1', 'application/json', body)
  t.strictSame([filtered, Object(refused).parameter], [422, 'shop'], 'nor for that of a filter')
})

t.test('a tool has an argument for each, under names of their own', async (t) => {
  const order = { product: 'tea', notify: 'no' }
  const replaced = await client.tool('orders_replace', {
    id: 7,
    order,
    notify: true,
    copies: 2,
    tags: ['a,b'],
    shop: 'north',
  })
  t.strictSame(replaced.structuredContent, { result: [7, order, true, 2, ['a,b'], 'north'] })
  const noted = await client.tool('orders_note', { word: 'tea', query_word: 'noun', shop: 'south' })
  t.strictSame(noted.structuredContent, { result: ['tea', 'noun', 'south'] })
})

t.test('the document names it in the query, beside the body', async (t) => {
  const { paths } = parse(readFileSync(`${root}/generated/openapi.yml`, 'utf8'))
  const { parameters, requestBody } = paths['/orders/{id}'].put
  t.strictSame(
    parameters.map(({ in: place, name, required }: Record<string, unknown>) => [place, name, required]),
    [
      ['path', 'id', true],
      ['query', 'notify', true],
      ['query', 'copies', undefined],
      ['query', 'tags', undefined],
      ['query', 'shop', true],
    ],
  )
  t.strictSame(requestBody, {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
  })
})

t.test('the typed client sends it in the query', async (t) => {
  const { orders } = module.createClient({ baseUrl })
  const order = { product: 'tea' }
  const replaced = await orders?.replace?.({ id: 7, order, notify: false, tags: ['x,y'], shop: 'north' })
  t.strictSame(replaced?.data, [7, order, false, 1, ['x,y'], 'north'])
  const noted = await orders?.note?.({ word: 'tea', wordInQuery: 'noun', shop: 'south' })
  t.strictSame(noted?.data, ['tea', 'noun', 'south'])
})

t.test('two bodies, and a file beside one, are told at what is too many', async (t) => {
  const parameters = [
    'one: Body<string>, two: Body<string>',
    'one: Body<{ a: string }>, name: string, file: UploadedFile',
  ]
  const told = parameters.flatMap((text) => {
    const method = `/**\n * Takes.\n *\n * @post /\n */\ntake(${text}): void {}`
    const { diagnostics } = compile(memoryHost(notesWith(method, 'type Body, Controller, UploadedFile')))
    return diagnostics.map(({ code, message, at }) => [code, message, at.column])
  })
  t.strictSame(told, [
    ['ACM208', 'take takes two from the body too, which is one Body<T>', 25],
    ['ACM208', 'take takes file from the body too, which is one Body<T>', 46],
  ])
})
