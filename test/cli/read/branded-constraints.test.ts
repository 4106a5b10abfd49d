/** Constraint tags of an application's own brands hold for the primitive: on the type, on a property or parameter of it, inside lists. */
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { built, folderOf } from '../support/built-app.ts'
import { judge, method, short } from '../support/judge.ts'
import { memoryHost } from '../support/memory-host.ts'

t.setTimeout(120_000)

const files = {
  'app/config.ts':
    "import { defineApp } from 'acmcp'\nexport const config = defineApp({ mcp: { path: '/mcp' } })\n",
  'app/brands.ts': `declare const brand: unique symbol
/** Of a primitive. */
export type Brand<Of, Name extends string> = Of & { readonly [brand]: Name }
/**
 * @minimum 1
 * @maximum 9
 */
export type Pieces = Brand<number, 'Pieces'>
`,
  'app/controllers/orders.ts': `import { ApplicationController, type Body } from 'acmcp'
import type { Brand, Pieces } from '../brands.ts'

/** @pattern ^o-[0-9]+$ */
export type OrderId = string & { readonly __brand: 'OrderId' }
export type Code = Brand<string, 'Code'>
export interface Order {
  id: OrderId
  /** @minLength 2 */
  code: Code
  /** @format email */
  mail: Code | null
  pieces: Pieces
  /** @exclusiveMinimum 0 */
  price: number & { readonly __brand: 'Price' }
  others: OrderId[]
  counts: Record<string, Pieces>
}

/** Orders. */
export class Orders extends ApplicationController {
  /**
   * Shows one.
   *
   * @get /:id
   * @param id - which
   */
  show(id: OrderId, /** @maxLength 3 */ code: Code | null, pieces?: Pieces): unknown { return [id, code, pieces] }
  /**
   * Adds one.
   *
   * @post /
   * @param order - all of it
   */
  create(order: Body<Order>): Order { return order }
}
`,
}

const id = { type: 'string', pattern: '^o-[0-9]+$' }
const pieces = { type: 'number', minimum: 1, maximum: 9 }

t.test('they stand in the schemas', async (t) => {
  const { files: made, diagnostics } = compile(memoryHost(files))
  t.strictSame(diagnostics.map(short), [])
  const document = parse(made.find(({ path }) => path === 'generated/openapi.yml')?.text ?? '')
  t.strictSame(document.components.schemas.Order.properties, {
    id,
    code: { type: 'string', minLength: 2 },
    mail: { anyOf: [{ type: 'string' }, { type: 'null' }], format: 'email' },
    pieces,
    price: { type: 'number', exclusiveMinimum: 0 },
    others: { type: 'array', items: id },
    counts: { type: 'object', additionalProperties: pieces },
  })
  t.strictSame(
    document.paths['/orders/{id}'].get.parameters.map(({ schema }: { schema: object }) => schema),
    [id, { anyOf: [{ type: 'string' }, { type: 'null' }], maxLength: 3 }, pieces],
  )
})

t.test('types of acmcp stay what they are in NonNullable and below brands of the application', async (t) => {
  const { files: made, diagnostics } = compile(
    memoryHost({
      ...files,
      'app/controllers/orders.ts': `import { type Body, Controller, type Int32, type Int64, type Uuid } from 'acmcp'
interface Given { at?: Int32; link?: Uuid | null }
export type Definite = { [K in keyof Given]-?: NonNullable<Given[K]> }
export interface Order extends Definite {
  age: Int32 & { readonly __brand: 'Age' }
  id: NonNullable<Uuid | null>
  many: NonNullable<Int64>[]
  plain: NonNullable<string>
}
/** Orders. */
export class Orders extends Controller {
  /**
   * Adds one.
   *
   * @post /
   * @param order - all of it
   */
  create(order: Body<Order>): void { void order }
}
`,
    }),
  )
  t.strictSame(diagnostics.map(short), [])
  const document = parse(made.find(({ path }) => path === 'generated/openapi.yml')?.text ?? '')
  t.strictSame(document.components.schemas.Order.properties, {
    age: { type: 'integer', format: 'int32' },
    id: { type: 'string', format: 'uuid' },
    many: { type: 'array', items: { type: 'string', format: 'int64', pattern: '^-?[0-9]+$' } },
    plain: { type: 'string' },
    at: { type: 'integer', format: 'int32' },
    link: { type: 'string', format: 'uuid' },
  })
})

t.test('requests and tool calls are judged by them', async (t) => {
  const root = folderOf(t, files)
  t.strictSame((await built(root)).stderr.includes('error'), false)
  const app = await openTestApp({ cwd: root })
  t.teardown(app.close)
  const good = {
    id: 'o-1',
    code: 'ab',
    mail: null,
    pieces: 1,
    price: 0.5,
    others: ['o-2'],
    counts: { a: 9 },
  }
  const wrong = [
    { id: '1' },
    { code: 'a' },
    { pieces: 0 },
    { price: 0 },
    { others: ['o-2', 'p'] },
    { counts: { a: 10 } },
  ]
  const places = ['id', 'code', 'pieces', 'price', 'others.1', 'counts.a']
  const client = app.client()
  const answers = await Promise.all(
    [{}, ...wrong].map((change) => client.json('/orders', { ...good, ...change })),
  )
  t.strictSame(
    answers.map(({ statusCode }) => statusCode),
    [200, 400, 400, 400, 400, 400, 400],
  )
  const called = await Promise.all(
    wrong.map((change) => client.tool('orders_create', { order: { ...good, ...change } })),
  )
  t.strictSame(
    called.map(({ isError, content }, index) => [
      isError,
      content[0]?.text?.includes(places[index] ?? '') === true,
    ]),
    places.map(() => [true, true]),
  )
  const shown = await Promise.all(
    ['/orders/o-1?code=abc', '/orders/1', '/orders/o-1?code=abcd'].map((url) => client.get(url)),
  )
  t.strictSame(
    shown.map(({ statusCode }) => statusCode),
    [200, 400, 400],
  )
})

t.test('what says nothing about the primitive is still refused', async (t) => {
  const take = (type: string): string =>
    method('@post /', `show(a: {\n/** @minimum 1 */ v: ${type} }): void { void a }`)
  const judged = judge(
    ['string', 'number'].map((primitive) => ({
      sentence: primitive,
      members: take(`${primitive} & { readonly __brand: 'a' }`),
      expected: [],
    })),
  )
  t.strictSame(
    judged.map((found) => found.map(short)),
    [['ACM137 14:5'], []],
  )
})
