/** An application whose tools take one type of each structure, in each place of an argument. */
import type { Files } from '../support/memory-host.ts'

const types: readonly string[] = [
  ...[
    'string',
    'number',
    'boolean',
    'bigint',
    'Date',
    'unknown',
    "'a' | 'b'",
    '1 | 2',
    'true',
    'string | null',
  ],
  ...[
    'string[]',
    'string | string[]',
    'unknown[]',
    '(string | null)[]',
    'Set<string>',
    'Map<string, number>',
  ],
  ...['[number, number]', '[string, number]', '[string, number?]', '[string, ...number[]]', '[]', '[string]'],
  ...['[Size, Size]', '[Tree, string]', '[Address, Address]'],
  ...['Record<string, number>', 'Record<"größe" | "$top", string>', '{ [key: `x-${' + 'string}`]: number }'],
  ...['{ a: string; [key: string]: string }', '{}', '{ deep: { deeper: { "per cent": number } } }'],
  ...[
    'Size',
    'Level',
    'Address',
    'Address | null',
    'Address[]',
    'Two',
    'Tree',
    'Tree[]',
    'Shape',
    'Big',
    'Bigs',
  ],
  ...['OData', 'Odd | Even', 'Record<string, OData>', 'Int32', 'Uuid', 'Small', 'Listed', 'Diamond'],
]

const declared = `/** How large it is. */
export type Size = 'small' | 'large'
/** How urgent. */
export enum Level { Low = 'low', High = 'high' }
/** Where it goes. */
export interface Address { street: string; city: string; /** Two letters. */ country: string }
export interface Two { from: Address; to: Address; size: Size; other: Size }
export interface Tree { name: string; size: Size; children: Tree[] }
export type Shape = { kind: 'circle'; radius: number } | { kind: 'square'; side: number; at: [number, number] }
/** Large. */
export interface Big { ${Array.from({ length: 20 }, (_, n) => `property${n}: string`).join('; ')} }
export interface Bigs { one: Big; two: Big; three?: Big[] }
export interface OData { '@type': string; $top: number; 'größe': Size; 'a.b': OData | null; ok: string }
export interface Odd { 'no[]': string[] }
export interface Even { 'yes()': number; kind: 'even' }
/** @minItems 2 */
export type Listed = Size[]
/** @maxLength 3 */
export type Small = string
export interface Left { size: Size; address: Address }
export interface Right { size: Size; address: Address }
export interface Diamond { left: Left; right: Right; lefts: Left[] }
`

const names = Object.fromEntries(
  [...declared.matchAll(/export (?:interface|type|enum) (\w+)/g)].map(([, name = '']) => [name, true]),
)

/** Where the plain type stands. */
const places = {
  Body: (type: string, at: number) => ['@post', `/${at}`, `given: Body<{ v: ${type} }>`],
  Field: (type: string, at: number) => [
    '@put',
    `/${at}`,
    `v: ${type}, 'more'?: string`.replace("'more'", 'more'),
  ],
  Query: (type: string, at: number) => ['@get', `/${at}`, `v?: Named<'filter[v]', ${type}>`],
} as const

function controller(place: keyof typeof places): string {
  const methods = types.map((type, at) => {
    const [tag, path, parameters] = places[place](type, at)
    return `  /**\n   * Takes ${place} ${at}.\n   *\n   * ${tag} ${path}\n   */\n  m${at}(${parameters}): string { return '' }\n`
  })
  return `import { type Body, Controller, type Int32, type Named, type Uuid } from 'acmcp'
import { ${Object.keys(names).join(', ')} } from '../types.ts'
/** Zoo in ${place}. */
export class Zoo${place} extends Controller {\n${methods.join('\n')}}\n`
}

export const zooFiles: Files = {
  'package.json': '{"name":"zoo","version":"1.0.0","type":"module"}',
  'app/config.ts': "import { defineApp } from 'acmcp'\nexport const config = defineApp({})\n",
  'app/types.ts': declared,
  ...Object.fromEntries(
    (Object.keys(places) as (keyof typeof places)[]).map((place) => [
      `app/controllers/${place.toLowerCase()}.ts`,
      controller(place),
    ]),
  ),
}
