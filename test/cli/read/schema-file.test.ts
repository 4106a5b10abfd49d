/** `@schema ./file.json`: the application's own JSON Schema in the documents, in the tools and in the decoders. */
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { acmcp, folderOf, typeErrors } from '../support/built-app.ts'
import { type Case, judge, method, short } from '../support/judge.ts'
import { memoryHost } from '../support/memory-host.ts'

t.setTimeout(240_000)

const orderSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Order',
  type: 'object',
  $defs: {
    line: {
      $anchor: 'line',
      type: 'object',
      properties: { sku: { type: 'string', minLength: 2 } },
      required: ['sku'],
    },
  },
  properties: {
    lines: { type: 'array', items: { $ref: '#/$defs/line' }, minItems: 1 },
    gift: { type: 'boolean' },
    message: { type: 'string' },
  },
  required: ['lines'],
  if: { properties: { gift: { const: true } }, required: ['gift'] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['message'] },
  additionalProperties: false,
}
const files = {
  'app/schemas/order.json': JSON.stringify(orderSchema),
  'app/schemas/postal-code.json': '{"type":"string","pattern":"^[0-9]{4}$"}',
  'app/controllers/orders.ts': `import { Controller, type Body } from 'acmcp'

/** @schema ../schemas/order.json */
export interface Order { lines: { sku: string }[]; gift?: boolean; message?: string }

export interface Shop {
  /** @schema ../schemas/postal-code.json */
  code: string
  last?: Order
}

/** Some orders of a shop. */
export class Orders extends Controller {
  /**
   * Places an order, and answers it.
   *
   * @post /
   */
  create(order: Body<Order>): Order { return order }

  /**
   * Moves the shop to another place.
   *
   * @put /shop
   */
  move(shop: Body<Shop>): Shop { return shop }

  /**
   * Finds shops at a place.
   *
   * @get /
   * @param code - where to look
   */
  index(/** @schema ../schemas/postal-code.json */ code: string): string[] { return [code] }
}
`,
}
const { $schema: _dialect, ...component } = orderSchema

t.test(
  'the documents hold the file word for word; its own references are addressed from where it stands',
  async (t) => {
    const { files: made, diagnostics, catalogue } = compile(memoryHost(files))
    t.strictSame(diagnostics, [])
    const document = parse(made.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '')
    t.strictSame(document.components.schemas, {
      Order: {
        ...component,
        properties: {
          ...component.properties,
          lines: { type: 'array', items: { $ref: '#/components/schemas/Order/$defs/line' }, minItems: 1 },
        },
      },
      PostalCode: { type: 'string', pattern: '^[0-9]{4}$' },
      Shop: {
        type: 'object',
        properties: {
          code: { $ref: '#/components/schemas/PostalCode' },
          last: { $ref: '#/components/schemas/Order' },
        },
        required: ['code'],
      },
    })
    const [create, move] = loadCatalogue(catalogue).tools
    t.strictSame(create.inputSchema, orderSchema, 'a body alone: the tool takes the file itself')
    t.strictSame(
      create.arguments,
      ['lines', 'gift', 'message'].map((name) => ({ argument: name, from: 'field', name })),
    )
    t.strictSame(move.inputSchema.$defs.Order.properties.lines.items, { $ref: '#/$defs/Order/$defs/line' })
  },
)

t.test(
  'the decoders keep the file, with the failing path; the route table compiles',
  { timeout: 120_000 },
  async (t) => {
    const root = folderOf(t, files)
    t.strictSame(acmcp(root, 'build').stderr, '')
    t.equal(typeErrors(root), '')
    const { codecs } = await import(pathToFileURL(`${root}/.acmcp/app.mjs`).href)
    const judged = (id: string, value: unknown): string => {
      try {
        codecs[id].params[0].codec.fromJson(value, '')
        return 'taken'
      } catch (error) {
        const { parameter } = error as { parameter: string } // what decoders throw
        return `wrong at '${parameter}'`
      }
    }
    const order = { lines: [{ sku: 'mug' }] }
    t.strictSame(
      [
        judged('orders_create', order),
        judged('orders_create', { ...order, gift: true, message: 'hi' }),
        judged('orders_create', { ...order, gift: true }) === 'taken',
        judged('orders_create', { lines: [{ sku: 'm' }] }),
        judged('orders_create', { ...order, more: 1 }) === 'taken',
        judged('orders_move', { code: '8000', last: order }),
        judged('orders_move', { code: '800' }),
      ],
      ['taken', 'taken', false, "wrong at 'lines.0.sku'", false, 'taken', "wrong at 'code'"],
    )
    t.equal(codecs.orders_index.params[0].codec.fromText(['8000'], ''), '8000')
  },
)

let made = 0
const of = (path: string): Pick<Case, 'members' | 'after'> => toCase(path, `Mine${made++}`)
const toCase = (path: string, name: string): Pick<Case, 'members' | 'after'> => ({
  members: method('@post /', `show(body: Body<${name}>): void { void body }`),
  after: `/** @schema ${path} */\nexport interface ${name} { a: string }`,
})
const cases: readonly Case[] = [
  { sentence: 'a file that does not exist', ...of('./none.json'), expected: ['ACM142 15:5'] },
  { sentence: 'a path that is not relative', ...of('/etc/passwd'), expected: ['ACM142 15:5'] },
  { sentence: 'a file that holds no JSON', ...of('./broken.json'), expected: ['ACM142 15:5'] },
  { sentence: 'a file that holds a list', ...of('./list.json'), expected: ['ACM142 15:5'] },
  { sentence: 'an older dialect', ...of('./old.json'), expected: ['ACM142 15:5'] },
  { sentence: 'a reference to another file', ...of('./far.json'), expected: ['ACM142 15:5'] },
  { sentence: 'a reference to nothing', ...of('./lost.json'), expected: ['ACM142 15:5'] },
  {
    sentence: 'a file with a reference to an anchor of its own is fine: it',
    ...of('./anchor.json'),
    expected: [],
  },
  {
    sentence: 'a schema that comes to itself again at the same value',
    ...of('./loop.json'),
    expected: ['ACM142 15:5'],
  },
  { sentence: 'a keyword of an older dialect', ...of('./older.json'), expected: ['ACM142 15:5'] },
  { sentence: 'a list where a schema must be', ...of('./items.json'), expected: ['ACM142 15:5'] },
  { sentence: 'a pattern that is no regular expression', ...of('./pattern.json'), expected: ['ACM142 15:5'] },
  { sentence: 'a reference below an $id of its own', ...of('./id.json'), expected: ['ACM142 15:5'] },
  { sentence: 'a keyword that nobody knows is fine: it', ...of('./note.json'), expected: [] },
  {
    sentence: 'an alias of a text, whose tag would be lost',
    members: method('@get /'),
    after: '/** @schema ./anchor.json */\nexport type Name = string',
    expected: ['ACM143 15:5'],
  },
  {
    sentence: 'a schema of a method',
    members: method('@get /\n@schema ./anchor.json'),
    expected: ['ACM112 12:4'],
  },
]
const judged = judge(cases, {
  'app/controllers/broken.json': '{',
  'app/controllers/list.json': '[]',
  'app/controllers/old.json': '{"$schema":"http://json-schema.org/draft-07/schema#"}',
  'app/controllers/far.json': '{"$ref":"./other.json"}',
  'app/controllers/lost.json': '{"$ref":"#/$defs/none"}',
  'app/controllers/loop.json':
    '{"anyOf":[{"type":"string"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#"}]}}}',
  'app/controllers/older.json': '{"dependencies":{"a":["b"]}}',
  'app/controllers/items.json': '{"items":[{"type":"string"}]}',
  'app/controllers/pattern.json': '{"properties":{"a":{"pattern":"("}}}',
  'app/controllers/id.json':
    '{"$defs":{"a":{"$id":"other","items":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}',
  'app/controllers/note.json': '{"x-note":{"items":[1]},"properties":{"dependencies":{"type":"string"}}}',
  'app/controllers/anchor.json': '{"$defs":{"a":{"$anchor":"x","type":"string"}},"$ref":"#x"}',
})

for (const [index, { sentence, expected }] of cases.entries()) {
  t.test(`${sentence} is what the build says`, async (t) => {
    t.strictSame(judged[index]?.map(short), expected)
  })
}
