/** Values and texts of the sources that stand in the documents: defaults of every kind, ranges, and links. */
import t from 'tap'
import { parse } from 'yaml'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { short } from '../support/judge.ts'
import { memoryHost } from '../support/memory-host.ts'

const built = (members: string, after = ''): Compilation =>
  compile(
    memoryHost({
      'app/controllers/kinds.ts': `import { Controller, NotFound, type Int32, type Int64 } from 'acmcp'
export enum Level { Low = 1, High = 2 }
export enum Color { Red = 'red' }
/** Kinds. */
export class Kinds extends Controller {
${members}
}
${after}`,
    }),
  )

const operationOf = ({ files, diagnostics }: Compilation): { readonly [name: string]: unknown } => {
  t.strictSame(diagnostics, [])
  return parse(files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? '').paths['/kinds'].get
}

const defaults: readonly (readonly [written: string, shown: unknown])[] = [
  ['a: Int32 = -5', -5],
  ['a: number = 1_000.5', 1000.5],
  ['a: Int32 = 0x10', 16],
  ['a: Int64 = 5n', '5'],
  ['a: Int64 = -9_223_372_036_854_775_808n', '-9223372036854775808'],
  ['a = `plain`', 'plain'],
  ["a: 'x' | 'y' = 'y' as const", 'y'],
  ['a: number = (7) satisfies number', 7],
  ['a: Level = Level.High', 2],
  ['a: Color = Color.Red', 'red'],
  ["a: string[] = ['x', 'y']", ['x', 'y']],
  ['a: number[] = []', []],
  ['a: boolean = false', false],
  ['a: number = 2 * 3', undefined],
  ['a: Date = new Date(0)', undefined],
]

t.test('a default that is written out stands in the documents', async (t) => {
  for (const [written, shown] of defaults) {
    const { parameters } = operationOf(built(`/** Lists.\n * @get / */\nindex(${written}): void {}`))
    t.strictSame(
      (parameters as { readonly schema: { readonly default?: unknown } }[])[0]?.schema.default,
      shown,
      written,
    )
  }
})

t.test('a default that its type does not take is refused, whatever calls the method', async (t) => {
  const refused = (tag: string): readonly string[] =>
    built(`/** Finds some.\n * ${tag} */\nfind(limit: Int32 = 1.5): string { return String(limit) }`)
      .diagnostics.filter(({ severity }) => severity === 'error')
      .map(({ code }) => code)
  for (const tag of ['@get /', '@mcp prompt', '@get /\n * @mcp prompt'])
    t.strictSame(refused(tag), ['ACM211'], tag)
})

const written: readonly (readonly [type: string, tag: string, shown: unknown])[] = [
  ['string | null', '@default null', null],
  ['Date | null', '@default null', null],
  ['Date', '@default 2026-01-31', '2026-01-31'],
  ['Date', '@default 2026-01-31T10:00', '2026-01-31T10:00'],
  ['string', '@default null', 'null'],
  ["'null' | 'a'", '@default null', 'null'],
  ['string', '@default 5', '5'],
  ['string | number', '@default 5', 5],
  ['string | boolean', '@default true', true],
  ['bigint', '@default 5', '5'],
  ['bigint | null', '@default null', null],
  ['1n | 2n', '@default 2', '2'],
  ['URL', '@default mailto:a@b', 'mailto:a@b'],
  ['Set<number>', '@default [1, 1]', [1, 1]],
]

t.test('what is written at a property is judged as its decoder judges it', async (t) => {
  for (const [type, tag, shown] of written) {
    const { model, diagnostics } = built(
      '/** Lists.\n * @get /\n * @param n - of it example=2026-01-31 */\nindex(n: Date): Order { throw new Error(String(n)) }',
      `export interface Order {\n/** ${tag} */\nv?: ${type} }`,
    )
    t.strictSame(diagnostics, [], `${type} ${tag}`)
    const [order] = model.schemas.map(({ schema }) => schema)
    const properties = order?.kind === 'object' ? order.properties : []
    t.match(properties, [{ schema: { keywords: { default: shown } } }], `${type} ${tag}`)
  }
})

const tooLarge: readonly (readonly [sentence: string, members: string, expected: string])[] = [
  ['a default above', '/** Lists.\n * @get / */\nindex(a: Int32 = 3_000_000_000): void {}', 'ACM211 8:7'],
  ['a default below', '/** Lists.\n * @get / */\nindex(a: Int32 = -3_000_000_000): void {}', 'ACM211 8:7'],
  [
    'a default in a list',
    '/** Lists.\n * @get / */\nindex(a: Int32[] = [1, 3_000_000_000]): void {}',
    'ACM211 8:7',
  ],
  [
    'a default of 64 bits',
    '/** Lists.\n * @get / */\nindex(a: Int64 = 9_223_372_036_854_775_808n): void {}',
    'ACM211 8:7',
  ],
  [
    'an example',
    '/** Lists.\n * @get /\n * @param a - it example=3000000000 */\nindex(a: Int32): void {}',
    'ACM219 8:4',
  ],
  [
    'an example of 64 bits',
    '/** Lists.\n * @get /\n * @param a - it example=9223372036854775808 */\nindex(a: Int64): void {}',
    'ACM219 8:4',
  ],
  [
    'an example of a tool',
    '/** Lists.\n * @get /\n * @mcp example {"a":3000000000} */\nindex(a: Int32): void {}',
    'ACM210 8:4',
  ],
]

for (const [sentence, members, expected] of tooLarge) {
  t.test(`${sentence} the range of its type is an error`, async (t) => {
    t.strictSame(built(members).diagnostics.map(short), [expected])
  })
}

t.test('the ends of the ranges are values', async (t) => {
  const ends =
    'index(a: Int32 = 2147483647, b: Int32 = -2147483648, c: Int64 = 9223372036854775807n): void {}'
  t.strictSame(built(`/** Lists.\n * @get / */\n${ends}`).diagnostics, [])
})

t.test('links are written as their text: nobody who reads a document sees the sources', async (t) => {
  const { summary, parameters, responses } = operationOf(
    built(
      `/**
 * Lists {@link Order orders} and {@link Order}, {@linkcode Order.id} and {@linkplain Order|others}.
 *
 * @get /
 * @param a - of {@link https://a.example/b the list} or {@link https://a.example}
 * @returns 200 the {@link Order}
 * @throws {NotFound} 404 no {@link Order such order}
 */
index(a: string): Order { throw new Error(a) }`,
      'export interface Order {\n/** The id of {@link Order an order}. */\nid: string }',
    ),
  )
  t.strictSame(summary, 'Lists orders and Order, `Order.id` and others.')
  t.match(parameters, [{ description: 'of [the list](https://a.example/b) or <https://a.example>' }])
  t.match(responses, { '200': { description: 'the Order' }, '404': { description: 'no such order' } })
})

t.test('the text of a property shows its links too', async (t) => {
  const { model } = built(
    '/** Lists.\n * @get / */\nindex(): Order { throw new Error() }',
    'export interface Order {\n/** The id of {@link Order an order}. */\nid: string }',
  )
  const [order] = model.schemas.map(({ schema }) => schema)
  t.match(order, { properties: [{ doc: { summary: 'The id of an order.' } }] })
})

t.test('a brace that holds no type is an error, not a text', async (t) => {
  const members =
    '/** Lists.\n * @get /\n * @returns {@link Order} the order */\nindex(): void {}\n/** Two.\n * @get /2\n * @returns {Order the order */\ntwo(): void {}'
  t.strictSame(built(members).diagnostics.map(short), ['ACM113 8:4', 'ACM113 12:4'])
})
