/** `@mcp brief`: what a tool answers unless more is asked for; for the endpoint, models and reviewers. */
import t from 'tap'
import { diagnosticEntries } from '../../../../cli/capabilities/reference/entries.ts'
import { compile } from '../../../../cli/compiler/compile.ts'
import type { ToolEntry } from '../../../../runtime/contract/mcp.ts'
import { loadCatalogue } from '../../codecs/printed.ts'
import { memoryHost } from '../../support/memory-host.ts'
import { judged } from '../../support/samples.ts'

const types = `
/** An order. */
export interface Order {
  /** Its number. */
  id: string
  status: 'open' | 'sent'
  total: number
  note?: string
  /** @secret */
  token: string
  customer: Customer
}
export interface Customer { id: string; name: string }
export interface Page<T> { items: T[]; total: number; next: string | null }
export interface Refund { kind: 'refund'; id: string; reason: string }
export interface Sale { kind: 'sale'; id: string; total: number }
`

/** A controller whose only method returns that; `takes` are its parameters. */
const compiled = (tag: string, returns: string, { takes = '', more = '' } = {}) =>
  compile(
    memoryHost({
      'app/controllers/orders.ts': `import { Controller } from 'acmcp'
${types}
/** Orders. */
export class Orders extends Controller {
  /**
   * Lists orders.
   *
   * @get /${more}
   * ${tag}
   */
  index(${takes}): ${returns} { throw new Error() }
}
`,
      'app/controllers/file.json': '{ "type": "object", "properties": { "id": { "type": "string" } } }',
    }),
    { lint: false },
  )

function toolOf(...args: Parameters<typeof compiled>): ToolEntry {
  const { catalogue, diagnostics } = compiled(...args)
  const [tool] = loadCatalogue(catalogue).tools
  if (tool === undefined || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics))
  return tool
}

/** The required properties of the schema, and those that are not. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into schemas freely
const certain = ({ required = [], properties }: any) => [required, Object.keys(properties)]

const shown = ['id', 'status', 'total', 'note', 'customer']

t.test('of an object: the tool takes fields, and what is not brief may be absent', async (t) => {
  const tool = toolOf('@mcp brief id status', 'Order')
  t.strictSame(tool.brief, { names: ['id', 'status'], more: ['total', 'note', 'customer'] })
  t.strictSame(tool.inputSchema, {
    type: 'object',
    properties: {
      fields: {
        type: 'array',
        items: { type: 'string', enum: ['total', 'note', 'customer'] },
        description: 'Properties to answer beside id, status.',
      },
    },
    additionalProperties: false,
  })
  t.strictSame(tool.arguments, [], 'and no route reads it')
  t.strictSame(certain(tool.outputSchema), [['id', 'status'], shown])
  t.strictSame(certain(Object(tool.outputSchema).$defs.Customer)[0], ['id', 'name'], 'one level')
})

t.test('of a list: its items; of a page: the items of the page, which stays whole', async (t) => {
  const list = toolOf('@mcp brief id', 'readonly (Order | null)[]')
  t.strictSame(list.brief, { names: ['id'], more: shown.slice(1) })
  const [order, none] = Object(list.outputSchema).items.anyOf
  t.strictSame([certain(order), none], [[['id'], shown], { type: 'null' }])

  const page = toolOf('@mcp brief id total\n   * @mcp paging cursor=at next=next', 'Page<Order>', {
    takes: 'at?: string',
  })
  t.strictSame(page.brief, { names: ['id', 'total'], more: ['status', 'note', 'customer'], items: 'items' })
  t.strictSame(certain(page.outputSchema)[0], ['items', 'total', 'next'])
  t.strictSame(certain(Object(page.outputSchema).properties.items.items), [['id', 'total'], shown])

  const unpaged = toolOf('@mcp brief total', 'Page<Order>', { takes: 'offset = 0, limit = 10' })
  t.strictSame(
    unpaged.brief,
    { names: ['total'], more: ['items', 'next'] },
    'nobody says that it pages: an object',
  )
})

t.test('of a union: names of any member; what no more tells them apart is no rule', async (t) => {
  const tool = toolOf('@mcp brief id total', '(Refund | Sale)[]')
  t.strictSame(tool.brief, { names: ['id', 'total'], more: ['kind', 'reason'] })
  const { items } = Object(tool.outputSchema)
  t.strictSame(Object.keys(items), ['anyOf'])
  t.strictSame(
    items.anyOf.map((member: object) => certain(member)[0]),
    [['id'], ['id', 'total']],
  )
  const tagged = toolOf('@mcp brief kind', 'Refund | Sale')
  t.strictSame(
    Object(tagged.outputSchema).oneOf.map((member: object) => certain(member)[0]),
    [['kind'], ['kind']],
  )
})

t.test('a set may have two that are the same in brief', async (t) => {
  const { outputSchema } = toolOf('@mcp brief id', 'Set<Customer>')
  t.notOk('uniqueItems' in Object(outputSchema))
})

t.test('without it nothing of a tool changes; a type that others answer whole stays', async (t) => {
  const tool = toolOf('', 'Order')
  t.notOk('brief' in tool)
  t.strictSame(tool.inputSchema, { type: 'object', properties: {}, additionalProperties: false })
  t.strictSame(certain(tool.outputSchema)[0], ['id', 'status', 'total', 'customer'])
})

t.test('reviewers read it in mcp.yml; the OpenAPI document is unchanged', async (t) => {
  const text = (tag: string, path: string): string =>
    compiled(tag, 'Order').files.find((file) => file.path === path)?.text ?? ''
  const yml = text('@mcp brief id status', 'generated/mcp.yml')
  t.match(yml, / {8}brief: \[id, status\]\n/)
  t.match(yml, /fields:.*beside id, status\./s)
  t.notMatch(text('', 'generated/mcp.yml'), 'brief')
  const openapi = text('', 'generated/openapi.yml')
  t.match(openapi, 'Order')
  t.equal(text('@mcp brief id status', 'generated/openapi.yml'), openapi)
})

t.test('example calls may have fields', async (t) => {
  const withExample = (example: string) =>
    compiled(`@mcp brief id\n   * @mcp example ${example}`, 'Order').diagnostics.map(({ code }) => code)
  t.strictSame(withExample('{"fields":["total"]}'), [])
  t.strictSame(withExample('{"fields":["totl"]}').length, 1)
})

type Misuse = readonly [tags: Parameters<typeof compiled>, told: readonly string[]]

t.test('each misuse is told at its token', async (t) => {
  const told = (...args: Parameters<typeof compiled>): readonly string[] =>
    compiled(...args).diagnostics.map(
      ({ code, at, message, hint }) => `${at.column} ${code} ${message} ${/Did you.*/.exec(hint)?.[0] ?? ''}`,
    )
  const nothing = 'ACM312 @mcp brief: the answer of orders_index has no properties '
  const cases: readonly Misuse[] = [
    [['@mcp brief', 'Order'], ['6 ACM311 @mcp brief says nothing ']],
    [['@mcp brief id id', 'Order'], ['20 ACM311 @mcp brief says id twice ']],
    [
      ['@mcp brief id stats nothing', 'Order'],
      [
        "20 ACM313 @mcp brief: what orders_index answers has no stats Did you mean 'status'?",
        '26 ACM313 @mcp brief: what orders_index answers has no nothing ',
      ],
    ],
    [
      ['@mcp brief id, total', 'Order'],
      ["17 ACM313 @mcp brief: what orders_index answers has no id, Did you mean 'id'?"],
    ],
    [['@mcp brief id token', 'Order'], ['20 ACM314 @mcp brief: token is @secret, and no tool answers it ']],
    [['@mcp brief id tokn', 'Order'], ['20 ACM313 @mcp brief: what orders_index answers has no tokn ']],
    [
      ['@mcp brief name id', 'Customer[]'],
      ['6 ACM315 @mcp brief names all that orders_index answers, and leaves nothing out '],
    ],
    [
      ['@mcp brief id', 'Order', { takes: 'fields?: string' }],
      [
        '6 ACM316 @mcp brief gives orders_index the argument fields, and it has one of that name (app/controllers/orders.ts:27) ',
      ],
    ],
    ...['string', 'Uint8Array', 'ReadableStream', 'unknown', 'void', 'number[]', 'Record<string, Order>'].map(
      (type): Misuse => [['@mcp brief id', type], [`6 ${nothing}`]],
    ),
    [['@mcp brief id', 'Map<string, Order>'], [`6 ${nothing}`]],
    [['@mcp brief id', 'Order[][]'], [`6 ${nothing}`]],
    [['@mcp brief id\n   * @produces text/yaml', 'Order'], [`6 ${nothing}`]],
    [['@mcp brief id', 'Order | Record<string, string>'], [`6 ${nothing}`]],
  ]
  for (const [args, expected] of cases) t.strictSame(told(...args), expected, JSON.stringify(args))
  t.strictSame(
    compiled('@mcp hide\n   * @mcp brief id', 'Order').diagnostics.map(({ code }) => code),
    ['ACM249'],
  )
})

/** `line:column severity: message`. */
const samples: Readonly<Record<string, string>> = {
  ACM311: '8:4 error: @mcp brief says nothing',
  ACM312: '8:4 error: @mcp brief: the answer of orders_index has no properties',
  ACM313: '8:18 error: @mcp brief: what orders_index answers has no state',
  ACM314: '15:20 error: @mcp brief: token is @secret, and no tool answers it',
  ACM315: '8:4 error: @mcp brief names all that orders_index answers, and leaves nothing out',
  ACM316:
    '9:4 error: @mcp brief gives orders_index the argument fields, and it has one of that name (app/controllers/orders.ts:11)',
}

t.test('the wrong samples of the reference', async (t) => {
  for (const [code, line] of Object.entries(samples)) {
    const wrong = diagnosticEntries()
      .find(({ name }) => name === code)
      ?.samples.find(({ label }) => label === 'wrong')
    const reported = judged(wrong?.text ?? '').filter((diagnostic) => diagnostic.code === code)
    t.strictSame(
      reported.map(({ severity, at, message }) => `${at.line}:${at.column} ${severity}: ${message}`),
      [line],
    )
  }
})
