/** Types → schemas: what TypeScript's own types come to in the document, by the checker. One compilation for all. */
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../cli/compiler/compile.ts'
import { memoryHost } from '../support/memory-host.ts'

const declarations = `
export interface Order { id: number; name: string; at: Date }
export interface Page<T> { items: T[]; next: string | null }
export type Tree = { value: number; left?: Tree }
export type Cat = { kind: 'cat'; lives: number }
export type Dog = { kind: 'dog'; good: boolean }
export type Pet = Cat | Dog
export type OrderId = string & { readonly __brand: 'OrderId' }
export type DeepPartial<T> = { [K in keyof T]?: T[K] extends Date ? T[K] : T[K] extends object ? DeepPartial<T[K]> : T[K] }
interface ColumnType<S, I = S, U = S> { readonly __select__: S; readonly __insert__: I; readonly __update__: U }
type SelectType<T> = T extends ColumnType<infer S, infer _I, infer _U> ? S : T
type Selectable<R> = { [K in keyof R]: SelectType<R[K]> }
interface Row { id: ColumnType<number, number | undefined>; made: ColumnType<Date, string, never> }
export type RowOut = Selectable<Row>
declare class ZodType<O> { readonly _output: O }
type infer_<T extends ZodType<unknown>> = T['_output']
declare const schema: ZodType<{ a: string; b?: number | undefined }>
export type Parsed = infer_<typeof schema>
/** Few fields. */
export type Small = Pick<Order, 'id'>
/** @pattern ^[a-z]+$ */
type Slug = string
export class Box {
  #x = 1
  static s = 2
  protected p = 1
  constructor(readonly size: number, private secret: string) {}
  get area(): number { return this.#x }
  method(): string { return this.secret }
}
export class BigBox extends Box { readonly big: true = true }
async function later(): Promise<{ z: bigint }> { return { z: 1n } }
export enum Level { Low, High }
`

const text = { type: 'string' }
const number = { type: 'number' }
const object = (properties: object, required: readonly string[] = Object.keys(properties)): object => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
})
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` })
const date = { type: 'string', format: 'date-time' }
const order = object({ id: number, name: text, at: date })

/** `null` = a build error that names the path. */
const table: readonly (readonly [type: string, schema: object | null])[] = [
  ['string', text],
  ['number', number],
  ['boolean', { type: 'boolean' }],
  ['true', { type: 'boolean', const: true }],
  ['null', { type: 'null' }],
  ['unknown', {}],
  ["'a'", { type: 'string', const: 'a' }],
  ["'a' | 'b' | 3", { enum: ['a', 'b', 3] }],
  ['string | number', { anyOf: [text, number] }],
  ['string | null', { anyOf: [text, { type: 'null' }] }],
  ['boolean | string', { anyOf: [text, { type: 'boolean' }] }],
  ['Level', ref('Level')],
  ['bigint', { type: 'string', pattern: '^-?[0-9]+$' }],
  ['Date', date],
  [
    'Uint8Array',
    {
      type: 'string',
      contentEncoding: 'base64',
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?$',
    },
  ],
  ['URL', { type: 'string', format: 'uri' }],
  ['Set<string>', { type: 'array', items: text }],
  ['1n | 2n', { type: 'string', enum: ['1', '2'] }],
  ['-1n', { type: 'string', enum: ['-1'] }],
  ["'a' | 1n | Date", { anyOf: [{ type: 'string', const: 'a' }, date, { type: 'string', enum: ['1'] }] }],
  ['{ a?: void; b: number | void }', object({ a: { not: {} }, b: number }, [])],
  ['Map<string, Date>', { type: 'object', additionalProperties: date }],
  ['ReadonlyMap<string, number>', { type: 'object', additionalProperties: number }],
  ['Map<number, string>', null],
  ['WeakMap<object, string>', null],
  ['readonly string[]', { type: 'array', items: text }],
  ['(string | null)[]', { type: 'array', items: { anyOf: [text, { type: 'null' }] } }],
  [
    '[string, number?]',
    { type: 'array', prefixItems: [text, { anyOf: [number, { type: 'null' }] }], minItems: 1, maxItems: 2 },
  ],
  ['[string, ...number[]]', { type: 'array', prefixItems: [text], items: number, minItems: 1 }],
  ['[...number[], string]', null],
  ['Record<string, number>', { type: 'object', additionalProperties: number }],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the type is one
    'Record<`x-${string}`, number>',
    { type: 'object', additionalProperties: number, propertyNames: { pattern: '^x-[\\s\\S]*$' } },
  ],
  ["Record<'a' | 'b', number>", object({ a: number, b: number })],
  [
    '{ [name: string]: number; fixed: number }',
    { ...object({ fixed: number }), additionalProperties: number },
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the type is one
  ['`v.${bigint}`', { type: 'string', pattern: '^v\\.-?(?:0|[1-9]\\d*)$' }],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the type is one
  ["`a-${'x' | 'y'}`", { type: 'string', enum: ['a-x', 'a-y'] }],
  ['Lowercase<string>', { type: 'string', pattern: '^\\P{CWL}*$' }],
  ['OrderId', text],
  ['Order', ref('Order')],
  ['Tree', ref('Tree')],
  ['Pet', ref('Pet')],
  ['Page<Order>', ref('PageOfOrder')],
  ['Page<string>[]', { type: 'array', items: ref('PageOfString') }],
  ['DeepPartial<Order>', ref('DeepPartialOfOrder')],
  ['Box', ref('Box')],
  ['BigBox', ref('BigBox')],
  ['RowOut', ref('SelectableOfRow')],
  ['Parsed', ref('Parsed')],
  ['Small | null', { anyOf: [ref('Small'), { type: 'null' }] }],
  ['Small[]', { type: 'array', items: ref('Small') }],
  ['Slug', { type: 'string', pattern: '^[a-z]+$' }],
  ['Promise<Slug[]>', { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } }],
  ['object & { a: string }', object({ a: text })],
  ["Pick<Order, 'id'>", object({ id: number })],
  ["Omit<Order, 'at'>", object({ id: number, name: text })],
  ['Partial<Order>', object({ id: number, name: text, at: date }, [])],
  ['Required<Partial<Order>>', order],
  ['Readonly<Order>', order],
  ['NonNullable<string | null>', text],
  ["Exclude<'a' | 'b' | 'c', 'a'>", { type: 'string', enum: ['b', 'c'] }],
  ["Extract<'a' | 'b', 'a'>", { type: 'string', const: 'a' }],
  ['Awaited<ReturnType<typeof later>>', object({ z: { type: 'string', pattern: '^-?[0-9]+$' } })],
  ['keyof Order', { type: 'string', enum: ['at', 'id', 'name'] }],
  ["Order['name']", text],
  [
    'Readonly<{ a: 1 }> & { b: 2 }',
    object({ a: { type: 'number', const: 1 }, b: { type: 'number', const: 2 } }),
  ],
  ["{ kind: 'x' } & { kind: 'y'; b: 1 }", null],
  [
    '{ a?: string | undefined; b: string | null; c?: string | null }',
    object({ a: text, b: { anyOf: [text, { type: 'null' }] }, c: { anyOf: [text, { type: 'null' }] } }, [
      'b',
    ]),
  ],
  ['() => void', null],
  ['{ run(): void; size: number }[]', null],
  ['symbol', null],
  [
    'object',
    {
      anyOf: [
        { type: 'object', additionalProperties: {} },
        { type: 'array', items: {} },
      ],
    },
  ],
  ['Error', null],
  ['Promise<string>[]', null],
]

const members = table.map(
  ([type], index) => `/**\n * S.\n *\n * @get /${index}\n */\nm${index}(): ${type} { return null as never }`,
)
const { diagnostics, model, files } = compile(
  memoryHost({
    'app/controllers/kinds.ts': `import { Controller } from 'acmcp'\n/** Kinds. */\nexport class Kinds extends Controller {\n${members.filter((_text, index) => table[index]?.[1] !== null).join('\n')}\n}\n${declarations}`,
  }),
)
const refused = compile(
  memoryHost({
    'app/controllers/kinds.ts': `import { Controller } from 'acmcp'\n/** Kinds. */\nexport class Kinds extends Controller {\n${members.filter((_text, index) => table[index]?.[1] === null).join('\n')}\n}\n${declarations}`,
  }),
)
const { paths, components } = parse(
  files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? 'paths: {}',
)

for (const [index, [type, schema]] of table.entries()) {
  t.test(`${type} ${schema === null ? 'is refused with its path' : 'has its schema'}`, async (t) => {
    if (schema === null) {
      const found = refused.diagnostics.filter(({ message }) => message.startsWith(`Kinds.m${index}()`))
      t.strictSame([...new Set(found.map(({ code }) => code))], ['ACM120'])
    } else {
      t.strictSame(paths[`/kinds/${index}`].get.responses['200'].content['application/json'].schema, schema)
    }
  })
}

t.test('nothing else is reported, and component names are free of internals', async (t) => {
  t.strictSame(diagnostics, [])
  t.strictSame(
    model.schemas.map(({ name }) => name),
    [
      'BigBox',
      'Box',
      'Cat',
      'DeepPartialOfOrder',
      'Dog',
      'Level',
      'Order',
      'PageOfOrder',
      'PageOfString',
      'Parsed',
      'Pet',
      'SelectableOfRow',
      'Small',
      'Tree',
    ],
  )
})

t.test('components: public data only, recursion, discriminators, brands dropped', async (t) => {
  t.strictSame(components.schemas, {
    BigBox: object({ big: { type: 'boolean', const: true }, size: number }),
    Box: object({ size: number }),
    Cat: object({ kind: { type: 'string', const: 'cat' }, lives: number }),
    DeepPartialOfOrder: object({ id: number, name: text, at: date }, []),
    Dog: object({ kind: { type: 'string', const: 'dog' }, good: { type: 'boolean' } }),
    Level: { type: 'number', enum: [0, 1] },
    Order: order,
    PageOfOrder: object({
      items: { type: 'array', items: ref('Order') },
      next: { anyOf: [text, { type: 'null' }] },
    }),
    PageOfString: object({
      items: { type: 'array', items: text },
      next: { anyOf: [text, { type: 'null' }] },
    }),
    Parsed: object({ a: text, b: number }, ['a']),
    Pet: {
      oneOf: [ref('Cat'), ref('Dog')],
      discriminator: {
        propertyName: 'kind',
        mapping: { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' },
      },
    },
    SelectableOfRow: object({ id: number, made: date }),
    Small: { ...object({ id: number }), description: 'Few fields.' },
    Tree: object({ value: number, left: ref('Tree') }, ['value']),
  })
})
