/** Constraint tags: in the documents, in the decoders that the build prints, and judged where they are written. */
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../support/built-app.ts'
import { type Case, judge, method, short } from '../support/judge.ts'
import { memoryHost } from '../support/memory-host.ts'

const files = {
  'app/controllers/orders.ts': `import { Controller, type Body, type Int32, type Named } from 'acmcp'

/**
 * @minimum 1
 * @maximum 100
 */
type Limit = Int32

/** @pattern ^[a-z]+$ */
type Slug = string

/**
 * @maxItems 2
 * @uniqueItems
 */
export type Tags = string[]

/**
 * An order.
 *
 * @title Order
 * @example {"name":"mug","price":3.5,"tags":["a"]}
 */
export interface NewOrder {
  /**
   * What is bought.
   *
   * @minLength 2
   * @maxLength 4
   * @example mug
   * @example tee
   */
  name: string
  /**
   * @exclusiveMinimum 0
   * @multipleOf 0.1
   * @deprecated use cents
   */
  price: number
  tags: Tags
  slug?: Slug | null
  /**
   * @format email
   * @default nobody@example.org
   */
  mail?: string
}

/** Some orders of a shop. */
export class Orders extends Controller {
  /**
   * Lists.
   *
   * @get /
   * @param limit - how many example=5
   * @param word - what to look for example="mug 1"
   */
  index(limit: Limit = 20, page?: Named<'p', Limit | null>, /** @maxLength 5 */ word?: string): unknown { return { limit, page, word } }

  /**
   * Adds.
   *
   * @post /
   */
  create(order: Body<NewOrder>): NewOrder { return order }
}
`,
}

t.test('constraints stand in the schemas, with examples, defaults and titles', async (t) => {
  const { files: made, diagnostics } = compile(memoryHost(files))
  t.strictSame(diagnostics, [])
  const document = parse(made.find(({ path }) => path === 'generated/openapi.yml')?.text ?? '')
  t.strictSame(document.components.schemas, {
    NewOrder: {
      type: 'object',
      properties: {
        name: {
          type: 'string',
          minLength: 2,
          maxLength: 4,
          examples: ['mug', 'tee'],
          description: 'What is bought.',
        },
        price: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.1, deprecated: true },
        tags: { $ref: '#/components/schemas/Tags' },
        slug: { anyOf: [{ type: 'string' }, { type: 'null' }], pattern: '^[a-z]+$' },
        mail: { type: 'string', format: 'email', default: 'nobody@example.org' },
      },
      required: ['name', 'price', 'tags'],
      title: 'Order',
      examples: [{ name: 'mug', price: 3.5, tags: ['a'] }],
      description: 'An order.',
    },
    Tags: { type: 'array', items: { type: 'string' }, maxItems: 2, uniqueItems: true },
  })
  t.strictSame(document.paths['/orders'].get.parameters, [
    {
      name: 'limit',
      in: 'query',
      description: 'how many',
      schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, examples: [5], default: 20 },
    },
    {
      name: 'p',
      in: 'query',
      schema: { anyOf: [{ type: 'integer', format: 'int32' }, { type: 'null' }], minimum: 1, maximum: 100 },
    },
    {
      name: 'word',
      in: 'query',
      description: 'what to look for',
      schema: { type: 'string', maxLength: 5, examples: ['mug 1'] },
    },
  ])
})

t.test('the printed decoders keep them', async (t) => {
  const root = folderOf(t, files)
  t.strictSame((await built(root)).stderr, '')
  const app = await openTestApp({ cwd: root })
  t.teardown(app.close)
  const { codecs } = await import(pathToFileURL(`${root}/.acmcp/app.mjs`).href)
  const [limit, page, word] = codecs.orders_index.params
  const [order] = codecs.orders_create.params
  const json = (
    decoder: { codec: { fromJson(value: unknown, path: string): unknown } },
    value: unknown,
  ): string => {
    try {
      decoder.codec.fromJson(value, '')
      return 'taken'
    } catch (error) {
      const { parameter, restriction } = error as { parameter: string; restriction: string } // what decoders throw
      return `${parameter}: ${restriction}`
    }
  }
  t.strictSame(
    [0, 1, 100, 101].map((value) => json(limit, value)),
    [': Int32', 'taken', 'taken', ': Int32'],
  )
  t.strictSame(
    [json(page, null), json(page, 0), json(word, '12345'), json(word, '123456')],
    ['taken', ': Int32 | null', 'taken', ': string'],
  )
  const good = { name: 'mugs', price: 0.3, tags: ['a', 'b'], slug: null }
  const tried = [
    good,
    { ...good, name: 'm' },
    { ...good, name: 'mugss' },
    { ...good, name: '😀😀😀😀' },
    { ...good, price: 0 },
    { ...good, price: 0.25 },
    { ...good, tags: ['a', 'b', 'c'] },
    { ...good, tags: ['a', 'a'] },
    { ...good, slug: 'ab' },
    { ...good, slug: 'A' },
    { ...good, mail: 'nobody' },
  ]
  t.strictSame(
    tried.map((value) => json(order, value)),
    [
      'taken',
      'name: string',
      'name: string',
      'taken',
      'price: Float64',
      'price: Float64',
      'tags: string[]',
      'tags: string[]',
      'taken',
      'slug: string | null',
      'mail: Email',
    ],
  )
})

const take = (type: string): string => method('@post /', `show(a: {\nv: ${type} }): void { void a }`)
const cases: readonly Case[] = [
  {
    sentence: 'a bound that is no number',
    members: take('number').replace('v:', '/** @minimum one */ v:'),
    expected: ['ACM136 14:5'],
  },
  {
    sentence: 'a pattern that is no expression',
    members: take('string').replace('v:', '/** @pattern [ */ v:'),
    expected: ['ACM136 14:5'],
  },
  {
    sentence: 'a length of a number',
    members: take('number').replace('v:', '/** @minLength 1 */ v:'),
    expected: ['ACM137 14:5'],
  },
  {
    sentence: 'a bound of a text',
    members: take('string').replace('v:', '/** @minimum 1 */ v:'),
    expected: ['ACM137 14:5'],
  },
  {
    sentence: 'a default that breaks its own bound',
    members: take('number').replace('v:', '/** @minimum 2\n* @default 1 */ v?:'),
    expected: ['ACM219 14:5'],
  },
  {
    sentence: 'an example of another type',
    members: take('boolean').replace('v:', '/** @example maybe */ v:'),
    expected: ['ACM219 14:5'],
  },
  {
    sentence: 'an example of a parameter that does not fit',
    members: method('@get /\n@param n - a number example=x', 'show(n: number): void { void n }'),
    expected: ['ACM219 12:4'],
  },
  {
    sentence: 'a constraint on a method',
    members: method('@get /\n@maxLength 3'),
    expected: ['ACM112 12:4'],
  },
  {
    sentence: 'a constraint that TypeScript attaches to nothing',
    members: method('@post /', 'show(a: { /** @minimum 1 */ v: number }): void { void a }'),
    expected: ['ACM112 13:15'],
  },
  {
    sentence: 'a code sample is no example: it',
    members: take('number').replace('v:', '/** @example\n* ```ts\n* one()\n* ```\n*/ v:'),
    expected: [],
  },
]
const judged = judge(cases)

for (const [index, { sentence, expected }] of cases.entries()) {
  t.test(`${sentence} is what the build says`, async (t) => {
    t.strictSame(judged[index]?.map(short), expected)
  })
}
