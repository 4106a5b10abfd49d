/** What is written of types and names and must not be lost: rules of what is overridden or mapped, texts of enum members, names beyond
 *  ASCII, keys of components. */
import t from 'tap'
import { parse } from 'yaml'
import { compile } from '../../../../cli/compiler/compile.ts'
import { short } from '../../support/judge.ts'
import { memoryHost } from '../../support/memory-host.ts'
import { withClient } from '../../support/requested-client.ts'

const controller = (name: string, members: string, types = ''): readonly [string, string] => [
  `app/controllers/${name.toLowerCase()}.ts`,
  `import { Controller, type Body, type Int32 } from 'acmcp'\n${types}\n/** ${name}. */\nexport class ${name} extends Controller {\n${members}\n}\n`,
]

const right = compile(
  memoryHost(
    Object.fromEntries([
      controller(
        'Rules',
        `/** Adds.\n * @post / */
add(order: Body<Again>, mine: Mine<Base>, made: Made): Narrow { throw new Error() }`,
        `export interface Base {
  /** How many.
   * @minimum 1
   * @example 3 */
  count: number
  /** @maxLength 5 */
  code: string
}
export interface Again extends Base { count: Int32; same: Base['code'] }
export interface Narrow extends Base { code: 'a' | 'b' }
/** @minimum 0 */
export type Age = number
export interface Made {
  wide: { [K in 'count' as \`my_\${K}\`]: Base[K] }
  made: { [K in 'a' | 'b']: Age }
  few: Partial<Record<'a', Base['count']>>
  forms: { [K in keyof Base]: string }
}
export type Mine<T> = { [K in keyof T as \`my_\${string & K}\`]: T[K] }`,
      ),
      controller(
        'Words',
        `/** Finds.
 * @get /
 * @param größe - how large it is
 * @param 名前 - its name
 * @param colour - its colour */
find(größe: number, 名前: string, colour: Colour): Länge { throw new Error(String(größe) + 名前 + colour) }`,
        `export enum Colour {
  /** Like fire. */
  Red = 'red',
  Green = 'green',
  /** Like the sea,
   * or the sky. */
  Blue = 'blue',
}
export interface Länge { of: $Dollar; sea: Colour }
export interface $Dollar { 名: 名前 }
export type 名前 = { next: 名前 | null }`,
      ),
    ]),
  ),
  withClient,
)
const textOf = (name: string): string =>
  right.files.find(({ path }) => path === `generated/${name}`)?.text ?? ''
const { components, paths } = parse(textOf('openapi.yml'))

t.test('rules go along to what overrides a property, renames it or takes its type', async (t) => {
  t.strictSame(right.diagnostics.map(short), [])
  const { Again, Narrow } = components.schemas
  t.match(Again.properties, { count: { minimum: 1 }, code: { maxLength: 5 }, same: { maxLength: 5 } })
  t.notMatch(Again.properties.count, { examples: [3] }, 'no value does')
  t.match(Narrow.properties, { code: { enum: ['a', 'b'], maxLength: undefined } })
  const { wide, made, few, forms } = components.schemas.Made.properties
  t.strictSame(wide.properties, {
    my_count: { type: 'number', minimum: 1, examples: [3], description: 'How many.' },
  })
  t.match(made.properties, { a: { minimum: 0 }, b: { minimum: 0 } })
  t.match(few.properties, { a: { minimum: 1 } })
  t.strictSame(forms.properties.code, { type: 'string' }, 'what is said of the value is no rule of another')
  const mine = components.schemas.MineOfBase.properties
  t.match(mine, { my_count: { minimum: 1 }, my_code: { maxLength: 5 } })
})

t.test('doc comments of enum members are in the description', async (t) => {
  const said = '- `red`: Like fire.\n- `blue`: Like the sea, or the sky.'
  t.match(components.schemas.Colour, { enum: ['red', 'green', 'blue'], description: said })
  t.match(JSON.stringify(parse(textOf('mcp.yml'))), JSON.stringify(said).slice(1, -1), 'for models too')
})

t.test('names beyond ASCII are whole', async (t) => {
  const { parameters } = paths['/words'].get
  t.match(parameters, [
    { name: 'größe', description: 'how large it is' },
    { name: '名前', description: 'its name' },
    { name: 'colour', description: 'its colour' },
  ])
})

t.test('the key of a component is one of OpenAPI, whatever its type is called', async (t) => {
  const names = Object.keys(components.schemas)
  t.strictSame(
    names.filter((name) => !/^[a-zA-Z0-9.\-_]+$/.test(name)),
    [],
  )
  t.ok(
    ['Lange', '_Dollar', 'U540DU524D'].every((name) => names.includes(name)),
    names.join(),
  )
  t.match(textOf('client.ts'), 'export interface Lange')
})

t.test('what is lost is told', async (t) => {
  const { diagnostics } = compile(
    memoryHost(
      Object.fromEntries([
        controller(
          'Lost',
          `/** Adds.\n * @post / */
add(order: Body<Box<Age>>): void { void order }
/** More.
 * @post /more */
more(all: Body<{ one: Above; other: Usual; lists: Lists<Row> }>): void { void all }
/** A stream.
 * @get /lines
 * @produces application/x-ndjson */
async *lines(): AsyncGenerator<{ id: number }> { yield { id: 1 } }
/** Texts.
 * @get /texts
 * @produces application/x-ndjson */
async *texts(): AsyncGenerator<string> { yield '' }
/** @get /bad%zz */
bad(): string { return '' }
/** @get /%ff */
worse(): string { return '' }
/** @get /a%2fb */
slash(): string { return '' }
/** @get /50%25/a%3Bb */
semicolon(): string { return '' }
/** @get /%2A */
star(): string { return '' }
/** @get /%2e%2E/up */
up(): string { return '' }`,
          `/** @minimum 0 */\nexport type Age = number\nexport interface Box<T> { value: T }
export interface Above extends Box<Age> { more: Age }
export interface Usual<T = Age> { value: T }
export interface Row {
  /** @minimum 0 */
  count: number
}
export type Lists<T> = { [K in keyof T]: T[K][] }
export class Line { /** @minimum 0 */ count = 1 }`,
        ),
      ]),
    ),
  )
  t.strictSame(
    diagnostics.map(({ code, at, message }) => `${code} ${at.line}:${at.column} ${message}`),
    [
      'ACM181 5:36 the tags of Age are lost in Box: TypeScript makes another type of it',
      'ACM181 6:28 the tags of Age are lost in Usual: TypeScript makes another type of it',
      'ACM181 11:42 the tags of count are lost in Lists: TypeScript makes another type of it',
      'ACM112 12:25 @minimum in this comment has no effect',
      'ACM181 17:21 the tags of Age are lost in Box: TypeScript makes another type of it',
      'ACM113 23:4 @produces: the items of the stream are sent as they are, and application/x-ndjson has no form for these',
      "ACM113 29:5 @get: '/bad%zz' has '%zz', which encodes nothing",
      "ACM113 31:5 @get: '/%ff' encodes what is no text of UTF-8",
      "ACM113 33:5 @get: '/a%2fb' has '%2f', and no router compares an encoded '/'",
      "ACM113 35:5 @get: '/50%25/a%3Bb' has '%3B', and no router compares an encoded ';'",
      "ACM113 37:5 @get: '/%2A' has '%2A', and no router compares an encoded '*'",
      "ACM113 39:5 @get: '/%2e%2E/up' has the segment '%2e%2E', which clients take out",
    ],
  )
})
