/** `Checked<typeof schema>` with zod, valibot and arktype as they are installed: their rules are run on what was read, over HTTP and
 *  for tools alike, and the method gets what they make of it. Source: language.md, Parameters. */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf, typeErrors } from '../../cli/support/built-app.ts'

t.setTimeout(240_000)

const orders = `import { ApplicationController, type Body, type Checked, Conflict, type Cookie, type Header, type Named } from 'acmcp'
import { visitRules as visit } from '@acme/shared'
import { z } from 'zod'
import type { ticket as arkTicket } from '../model/ark.ts'
import * as rules from '../model/rules.ts'
import type { visits } from '../model/visits.ts'
import { newOrder, page as pageSize } from '../model/rules.ts'

export const broken = z.string().refine(() => { throw new Conflict('of the application') })
export const taken = z.string().refine(async (name) => name !== 'ada', 'is taken')
const quiet = z.string().nullable().transform((text) => text ?? 'nothing')
export { quiet as loud }
export type Note = Checked<typeof quiet>

/** Some orders of a shop. */
export class Orders extends ApplicationController {
  /** @filter before only=page */
  shop(shop: Header<'X-Shop', Checked<typeof rules.shop>>): void { this.added = shop }
  private added = 0

  /**
   * Adds an order.
   *
   * @post /
   */
  create(order: Body<Checked<typeof newOrder>>): unknown { return { order, is: order.at instanceof Date } }

  /**
   * Adds a visit.
   *
   * @post /visits
   */
  visit(given: Body<Checked<typeof visit>>): unknown { return given }

  /**
   * Adds a ticket.
   *
   * @post /tickets
   * @param ticket - a ticket
   */
  ticket(ticket: Checked<typeof arkTicket>, note: Note, other?: Checked<typeof taken>): unknown {
    return [ticket, note, other ?? null]
  }

  /**
   * Reads a page.
   *
   * @get /page
   * @mcp hide
   */
  page(
    size: Checked<typeof pageSize>,
    jump: Checked<typeof rules.jump>,
    any: Checked<typeof rules.anything>,
    at: Checked<typeof rules.day> = new Date(0),
    words: Named<'w', Checked<typeof rules.words>> = ['none'],
    most?: Checked<typeof rules.coerced>,
    user?: Cookie<'user', Checked<typeof rules.shop>>,
  ): unknown {
    const added: number = this.added + size
    return [added, at, words, most ?? null, user ?? null, jump, any ?? null]
  }

  /**
   * Adds what takes nothing.
   *
   * @post /loose
   */
  loose(given: Body<Checked<typeof rules.loose>>): unknown { return given }

  /**
   * Adds what holds itself.
   *
   * @post /nodes
   */
  nodes(given: Body<Checked<typeof rules.tree>>): unknown { return given }

  /**
   * Adds what is anything.
   *
   * @post /any
   * @param also - what a schema of another library takes
   */
  any(given: Body<Checked<typeof rules.any>>, also: Checked<typeof visits>): unknown { return [given, also] }

  /**
   * Reads what takes nothing.
   *
   * @get /absent
   */
  absent(
    caught: Checked<typeof rules.caught>,
    word: Checked<typeof rules.word>,
    jump?: Checked<typeof rules.jump>,
    tried?: Checked<typeof rules.tried>,
    filled?: Checked<typeof rules.filled>,
    made?: Checked<typeof rules.made>,
    text?: Checked<typeof rules.text>,
    most?: Checked<typeof rules.coerced>,
    same?: Checked<typeof rules.word>,
    own: Checked<typeof rules.jump> = 9,
  ): unknown {
    return { caught, word, jump, tried, filled, made, text, most, same, own }
  }

  /**
   * Fails by itself.
   *
   * @post /broken
   * @param name - a name
   */
  broken(name: Checked<typeof broken>): string { return name }

  /**
   * Takes a name.
   *
   * @post /names
   * @param name - a name
   * @param age - an age
   */
  rename(name: Checked<typeof taken>, age: number): string { return name + age }
}
`

const root = folderOf(t, {
  'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config = defineApp({ mcp: { path: '/mcp' } })\n`,
  'app/model/ark.ts': `import { type } from 'arktype'
export const ticket = type({ title: '2 <= string <= 20', 'seats?': '(number > 0)[]' })
`,
  'app/model/rules.ts': `import { z } from 'zod'
const line = z.object({ sku: z.string().min(2), count: z.number().int().min(1) })
export const newOrder = z
  .object({
    at: z.iso.datetime().transform((text) => new Date(text)),
    lines: z.array(line).min(1),
    gift: z.boolean().default(false),
  })
  .refine(({ lines }) => new Set(lines.map(({ sku }) => sku)).size === lines.length, {
    path: ['lines'],
    message: 'must name each item once',
  })
const digits = z.string().regex(/^\\d+$/, 'must be digits').transform(Number)
export const page = digits.default(20)
export const shop = digits
export const day = z.date().min(new Date(0), 'must be after 1969')
export const words = z.array(z.string().max(3)).max(2)
export const coerced = z.coerce.number().max(9)
export const jump = z.coerce.number().default(1)
export const anything = z.unknown()
export const caught = z.coerce.number().int().catch(4)
export const word = z.string().min(2).catch('none')
export const tried = z.preprocess((value) => (value === 'x' ? undefined : value), z.string().min(2))
export const filled = z.preprocess((value) => value ?? 'filled', z.string())
export const made = z.unknown().transform((value) => value ?? 'made')
export const text = z.coerce.string()
const line2 = z.object({ sku: word, size: filled.nullable() })
export const loose = z.object({
  word,
  filled,
  made: word.transform((text) => text.length).readonly(),
  line: line2.optional(),
  lines: z.array(line2),
  either: z.union([z.object({ a: word }), z.object({ b: word, c: z.number() })]),
  any: z.unknown(),
})
export const node = z.object({
  word,
  size: z.number(),
  get nodes() { return z.array(node) },
  get next() { return z.optional(node) },
  get map(): z.ZodOptional<z.ZodMap<z.ZodString, z.ZodNullable<typeof node>>> {
    return z.map(z.string(), node.nullable()).optional()
  },
})
export const leaf = z.object({ word, get leaves(): z.ZodCatch<z.ZodSet<typeof leaf>> { return z.set(leaf).catch(new Set()) } })
export const tree = z.object({ node: node.nullable(), leaf: z.nullable(leaf) })
export const any = z.object({
  a: z.any(),
  list: z.array(z.any()),
  record: z.record(z.string(), z.any()),
  tuple: z.tuple([z.any(), z.number()]),
  either: z.union([z.any(), z.string()]).nullable(),
  optional: z.any().optional(),
  set: z.set(z.object({ word })),
  map: z.map(z.string(), z.object({ word, a: z.any() })),
})
`,
  'app/model/visits.ts': `import * as v from 'valibot'
export const visits = v.object({ a: v.any(), days: v.set(v.string()) })
`,
  'app/controllers/orders.ts': orders,
})
const shared = folderOf(t, {
  'package.json':
    '{"name":"@acme/shared","version":"1.0.0","license":"MIT","type":"module","exports":"./index.ts"}',
  'index.ts': `import * as v from 'valibot'
const visit = v.pipe(
  v.object({ from: v.pipe(v.string(), v.isoDate()), nights: v.optional(v.number(), 1) }),
  v.check(({ nights }) => nights < 30, 'at most 29 nights'),
)
export { visit as visitRules }
`,
})
const link = (folder: string, name: string, target = join(process.cwd(), 'node_modules', name)): void =>
  symlinkSync(target, join(folder, 'node_modules', name))
for (const name of ['zod', 'arktype', '@ark', 'valibot']) link(root, name)
link(shared, 'valibot')
mkdirSync(join(root, 'node_modules/@acme'))
link(root, '@acme/shared', shared)

const { status, stderr } = await built(root, 'client')
if (status !== 0) throw new Error(stderr)
const app = await openTestApp({ cwd: root })
t.teardown(app.close)

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: object | string
}

/** The status and the answer. */
async function ask(at: string, { headers = {}, payload }: Sent = {}): Promise<readonly [number, unknown]> {
  const [method = '', url = ''] = at.split(' ')
  const answer = await app.application.server.inject({
    method: method === 'POST' ? 'POST' : 'GET',
    url: `/orders${url}`,
    headers,
    ...(payload === undefined ? {} : { payload }),
  })
  return [answer.statusCode, answer.json()]
}

const order = { at: '2024-01-01T00:00:00Z', lines: [{ sku: 'aa', count: 1 }] }
const wrongOrder = { at: '2024', lines: [{ sku: 'a', count: 0.5 }] }
const refusal = [
  ['at', 'Invalid ISO datetime'],
  ['lines.0.sku', 'Too small: expected string to have >=2 characters'],
  ['lines.0.count', 'Invalid input: expected int, received number'],
]
/** `inside`: the argument that is the body where the values stand in it. */
const refused = (
  failures: readonly (readonly string[])[],
  inside: string | null = null,
): readonly [number, unknown] => [
  400,
  {
    error: failures
      .map(
        ([at, why]) =>
          `invalid parameter value for '${at}'${inside === null ? '' : ` in the body '${inside}'`}: ${why}`,
      )
      .join('; '),
    parameter: failures[0]?.[0],
    restriction: failures[0]?.[1],
  },
]

t.test(
  'what is built compiles with the types of the schemas, and the table imports them by name',
  async (t) => {
    t.equal(stderr, '')
    const table = readFileSync(join(root, 'generated/routes.ts'), 'utf8')
    t.strictSame(
      table.split('\n').filter((line) => line.startsWith('import ') && !line.includes("'acmcp'")),
      [
        "import { Orders, broken, loud, taken } from '../app/controllers/orders.ts'",
        "import { ticket } from '../app/model/ark.ts'",
        "import { any, anything, caught, coerced, day, filled, jump, loose, made, newOrder, page, shop, text, tree, tried, word, words } from '../app/model/rules.ts'",
        "import { visits } from '../app/model/visits.ts'",
        "import { visitRules } from '@acme/shared'",
      ],
    )
    t.strictSame(
      [...table.matchAll(/checks: (\[.*?\]), call/g)].map(([, checks]) => checks),
      [
        '[{ schema: shop }]',
        '[{ schema: newOrder }]',
        '[{ schema: visitRules }]',
        '[{ schema: ticket }, { schema: loud, takesAbsent: true }, { schema: taken }]',
        '[{ schema: page, takesAbsent: true }, { schema: jump, takesAbsent: true }, { schema: anything, takesAbsent: true }, { schema: day }, { schema: words }, { schema: coerced }, { schema: shop }]',
        '[{ schema: loose }]',
        '[{ schema: tree }]',
        '[{ schema: any }, { schema: visits }]',
        "[{ schema: caught, takesAbsent: true }, { schema: word, takesAbsent: true }, { schema: jump, takesAbsent: 'unless refused' }, { schema: tried, takesAbsent: 'unless refused' }, { schema: filled, takesAbsent: 'unless refused' }, { schema: made, takesAbsent: 'unless refused' }, { schema: text }, { schema: coerced }, { schema: word, takesAbsent: 'unless refused' }, { schema: jump }]",
        '[{ schema: broken }]',
        '[{ schema: taken }, null]',
      ],
    )
    t.equal(typeErrors(root), '')
  },
)

t.test('documents and tools show what goes in', async (t) => {
  const { paths } = parse(readFileSync(join(root, 'generated/openapi.yml'), 'utf8'))
  const { schema } = paths['/orders'].post.requestBody.content['application/json']
  const text = { type: 'string' }
  const line = {
    type: 'object',
    properties: { sku: text, count: { type: 'number' } },
    required: ['sku', 'count'],
  }
  const input = {
    type: 'object',
    properties: { at: text, lines: { type: 'array', items: line }, gift: { type: 'boolean' } },
    required: ['at', 'lines'],
  }
  t.same(schema, input)
  const { content } = await app.client().tool('orders_create', {})
  const closed = (schema: object): object => ({ ...schema, additionalProperties: false })
  const { at, gift } = input.properties
  const taken = closed({ ...input, properties: { at, lines: { type: 'array', items: closed(line) }, gift } })
  const shown = /^Input schema of orders_create: (.*)$/m.exec(content[0]?.text ?? '')?.[1] ?? '{}'
  t.same(JSON.parse(shown).properties, { order: taken })
  const client = readFileSync(join(root, 'generated/client.ts'), 'utf8')
  t.match(client, /gift\?: boolean/)
  const query = paths['/orders/page'].get.parameters
    .filter((parameter: { readonly in: string }) => parameter.in === 'query')
    .map((parameter: { readonly name: string; readonly required?: boolean; readonly schema: object }) => [
      parameter.name,
      parameter.required ?? false,
      parameter.schema,
    ])
  t.same(query, [
    ['size', false, text],
    ['jump', false, text],
    ['any', false, text],
    ['at', false, { type: 'string', format: 'date-time' }],
    ['w', false, { type: 'array', items: text, default: ['none'] }],
    ['most', false, text],
  ])
})

t.test('the method gets what the schema makes of the value', async (t) => {
  const at = '2024-01-01T00:00:00.000Z'
  t.strictSame(await ask('POST /', { payload: order }), [
    200,
    { order: { ...order, at, gift: false }, is: true },
  ])
  t.strictSame(await ask('POST /visits', { payload: { from: '2024-01-01' } }), [
    200,
    { from: '2024-01-01', nights: 1 },
  ])
  const ticket = { title: 'ab', seats: [1] }
  t.strictSame(await ask('POST /tickets', { payload: { ticket, note: 'x', other: 'bob' } }), [
    200,
    [ticket, 'x', 'bob'],
  ])
  const headers = { 'x-shop': '3', cookie: 'user=5' }
  t.strictSame(await ask('GET /page?size=4&at=1980-01-01&w=a,b&most=5', { headers }), [
    200,
    [7, '1980-01-01T00:00:00.000Z', ['a', 'b'], 5, 5, 1, null],
  ])
})

t.test('a form is read as the input type says, then checked', async (t) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = new URLSearchParams({ ticket: '{"title":"ab"}', note: 'x' }).toString()
  t.strictSame(await ask('POST /tickets', { headers, payload: form }), [200, [{ title: 'ab' }, 'x', null]])
  const visit = 'from=2024-01-01&nights=40'
  t.strictSame(
    await ask('POST /visits', { headers, payload: visit }),
    refused([['given', 'at most 29 nights']]),
  )
})

t.test(
  'a schema sees an absent value where its input type takes that; otherwise the method has its own',
  async (t) => {
    const headers = { 'x-shop': '3' }
    t.strictSame(await ask('GET /page', { headers }), [
      200,
      [23, '1970-01-01T00:00:00.000Z', ['none'], null, null, 1, null],
    ])
    const ticket = { title: 'ab' }
    t.strictSame(await ask('POST /tickets', { payload: { ticket } }), [200, [ticket, 'nothing', null]])
    t.strictSame(await ask('POST /names', { payload: { age: 1 } }), [
      422,
      { error: "missing required parameter 'name'", parameter: 'name', restriction: 'string' },
    ])
  },
)

t.test(
  'what a schema of zod takes absent, its types say or not, is asked for and documented as optional',
  async (t) => {
    const asked = { caught: 4, word: 'none', jump: 1, filled: 'filled', made: 'made', same: 'none', own: 9 }
    t.strictSame(await ask('GET /absent'), [200, asked])
    t.strictSame(await ask('GET /absent?tried=x&caught=x&word=&jump=3&text=t&own=2'), [
      400,
      {
        error: "invalid parameter value for 'tried': Invalid input: expected string, received undefined",
        parameter: 'tried',
        restriction: 'Invalid input: expected string, received undefined',
      },
    ])
    const object = { lines: [{ sku: 'ab', size: null }, {}], either: { c: 1 }, any: 1 }
    const filled = { word: 'none', filled: 'filled', made: 4 }
    const lines = [
      { sku: 'ab', size: null },
      { sku: 'none', size: 'filled' },
    ]
    const whole = { ...filled, lines, either: { a: 'none' }, any: 1 }
    t.strictSame(await ask('POST /loose', { payload: object }), [200, whole])
    t.strictSame(
      (await app.client().tool('orders_loose', { given: { ...object, word: null, filled: null } })).content,
      [{ type: 'text', text: JSON.stringify(whole) }],
    )
    const { paths } = parse(readFileSync(join(root, 'generated/openapi.yml'), 'utf8'))
    t.strictSame(
      paths['/orders/absent'].get.parameters
        .filter((parameter: { readonly in: string; readonly required?: boolean }) => parameter.in === 'query')
        .filter((parameter: { readonly required?: boolean }) => parameter.required === true),
      [],
    )
    const { schema } = paths['/orders/loose'].post.requestBody.content['application/json']
    t.strictSame(
      [schema.required, schema.properties.lines.items.required],
      [['lines', 'either', 'any'], undefined],
    )
  },
)

t.test('what a schema takes absent is so in what holds itself, in maps and in sets', async (t) => {
  const leaf = { leaves: [{}, { word: 'ab' }] }
  const node = { size: 1, nodes: [{ size: 2, nodes: [] }], map: { a: { size: 3, nodes: [] }, b: null } }
  const payload = { node: { ...node, next: node }, leaf }
  const none = { word: 'none' }
  const inner = { ...none, size: 2, nodes: [] }
  const full = { ...none, size: 1, nodes: [inner], map: { a: { ...inner, size: 3 }, b: null } }
  const leaves = [
    { ...none, leaves: [] },
    { word: 'ab', leaves: [] },
  ]
  const whole = { node: { ...full, next: full }, leaf: { ...none, leaves } }
  t.strictSame(await ask('POST /nodes', { payload }), [200, whole])
  t.strictSame(await ask('POST /nodes', { payload: { node: { size: 1 }, leaf: null } }), [
    422,
    {
      error: "missing required parameter 'node.nodes' in the body 'given'",
      parameter: 'node.nodes',
      restriction: 'OrdersNodesGivenNode[]',
    },
  ])
  const { components } = parse(readFileSync(join(root, 'generated/openapi.yml'), 'utf8'))
  t.strictSame(
    Object.entries<{ readonly required?: readonly string[] }>(components.schemas)
      .filter(([name]) => name.startsWith('Orders'))
      .map(([name, { required = [] }]) => [name, required]),
    [
      ['OrdersNodesGivenLeaf', []],
      ['OrdersNodesGivenNode', ['size', 'nodes']],
    ],
  )
})

t.test('an any that a schema of a library says is any JSON', async (t) => {
  const given = { a: [1], list: [{ b: null }], record: { c: 'd' }, tuple: ['e', 1], either: { f: 1 } }
  const also = { a: { h: 1 }, days: ['2024-01-01'] }
  const word = { word: 'none' }
  const whole = [{ ...given, set: [word], map: { g: { ...word, a: 1 } } }, also]
  const payload = { ...given, set: [{}], map: { g: { a: 1 } } }
  const query = new URLSearchParams({ also: JSON.stringify(also) }).toString()
  t.strictSame(await ask(`POST /any?${query}`, { payload }), [200, whole])
  t.strictSame((await app.client().tool('orders_any', { given: payload, also })).content, [
    { type: 'text', text: JSON.stringify(whole) },
  ])
})

t.test('issues of every library are told at their place, with what else is wrong', async (t) => {
  t.strictSame(await ask('POST /', { payload: wrongOrder }), refused(refusal, 'order'))
  t.strictSame(
    await ask('POST /', { payload: { ...order, lines: [...order.lines, ...order.lines] } }),
    refused([['lines', 'must name each item once']], 'order'),
  )
  t.strictSame(
    await ask('POST /tickets', { payload: { ticket: { title: 'a', seats: [1, -1] }, other: 'ada' } }),
    refused([
      ['ticket.title', 'title must be at least length 2 (was 1)'],
      ['ticket.seats.1', 'seats[1] must be positive (was -1)'],
      ['other', 'is taken'],
    ]),
  )
  t.strictSame(await ask('POST /names', { payload: { name: 'ada', age: 'x' } }), [
    400,
    {
      error:
        "invalid parameter value for 'name': is taken; invalid parameter value for 'age': expected Float64, got text",
      parameter: 'name',
      restriction: 'is taken',
    },
  ])
  t.strictSame(await ask('GET /page', { headers: { 'x-shop': 'x' } }), [
    400,
    {
      error: "invalid header value for 'X-Shop': must be digits",
      parameter: 'X-Shop',
      restriction: 'must be digits',
    },
  ])
})

t.test('a value of another type is refused before the rules are run', async (t) => {
  t.strictSame(await ask('POST /', { payload: { ...wrongOrder, at: 1 } }), [
    400,
    {
      error: "invalid parameter value for 'at' in the body 'order': expected string, got 1",
      parameter: 'at',
      restriction: 'string',
    },
  ])
})

t.test('a tool call is refused in the same words', async (t) => {
  const { isError, content } = await app.client().tool('orders_create', { order: wrongOrder })
  t.equal(isError, true)
  t.strictSame(content[0]?.text?.split('\n').slice(0, 2), [
    '400 Bad Request',
    JSON.stringify(refused(refusal, 'order')[1]),
  ])
  t.strictSame((await app.client().tool('orders_visit', { given: { from: '2024-01-01' } })).content, [
    { type: 'text', text: '{"from":"2024-01-01","nights":1}' },
  ])
})

t.test('flat arguments are told where they belong, and no short name for any', async (t) => {
  const refusalOf = async (name: string, args: Readonly<Record<string, unknown>>) =>
    (await app.client().tool(name, args)).content[0]?.text?.split('\n').slice(1, -1)
  t.strictSame(await refusalOf('orders_create', { at: 'x', lines: [], ordr: {} }), [
    'unknown argument "at", did you mean: order.at',
    'unknown argument "lines", did you mean: order.lines',
    'unknown argument "ordr", did you mean: order',
  ])
  t.strictSame(await refusalOf('orders_loose', { a: 1, filled: 1 }), [
    'unknown argument "a"',
    'unknown argument "filled", did you mean: given.filled',
  ])
})

t.test('what a rule throws is an exception of the application', async (t) => {
  t.strictSame(await ask('POST /broken', { payload: { name: 'a' } }), [409, { error: 'of the application' }])
})
