/** Types that are lists, maps, sets and dates by what they extend or are crossed with, and interfaces of data wherever they are
 *  declared: in documents and answers they are what `JSON.stringify` writes. */
import t from 'tap'
import { parse } from 'yaml'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import type { AnswerType } from '../../../runtime/contract/answer-type.ts'
import { declaredJson } from '../../../runtime/http/output/declared-json.ts'
import { judge, method, short } from '../support/judge.ts'
import { memoryHost } from '../support/memory-host.ts'
import { loadCodecs } from './printed.ts'

t.setTimeout(120_000)

const text = { type: 'string' }
const number = { type: 'number' }
const list = (items: object): object => ({ type: 'array', items })
const set = list
const map = (values: object): object => ({ type: 'object', additionalProperties: values })
const line = { type: 'object', properties: { n: number }, required: ['n'] }
const dateTime = { type: 'string', format: 'date-time' }

class Ids extends Array<string> {}
class Prices extends Map<string, number> {}
class Tags extends Set<string> {}
class Moment extends Date {}

type Value = readonly [value: unknown, json: string]

/** A type, its schema, and values with their JSON. */
const answers: readonly (readonly [type: string, schema: object, ...values: readonly Value[]])[] = [
  ['Lines', list(line), [[{ n: 1 }], '[{"n":1}]']],
  ['ListOf<Date>', list(dateTime), [[new Date(0)], '["1970-01-01T00:00:00.000Z"]']],
  ['More', list(line), [[{ n: 1 }], '[{"n":1}]']],
  ['Ids', list(text), [Ids.from(['a']), '["a"]']],
  ['Counted', list(text), [Ids.from(['a']), '["a"]']],
  ["string[] & { __brand?: 'ids' }", list(text), [['a'], '["a"]']],
  ["readonly string[] & { readonly __brand: 'ids' }", list(text), [['a'], '["a"]']],
  ['string[] & { total(): number }', list(text), [['a'], '["a"]']],
  [
    'Stored<Line>',
    list({ ...line, properties: { n: number, isNew: { type: 'boolean', const: true } } }),
    [[{ n: 1 }], '[{"n":1}]'],
  ],
  ['RegExpExecArray', list(text), [/a/.exec('a'), '["a"]']],
  [
    "[number, number] & { __brand?: 'place' }",
    { type: 'array', prefixItems: [number, number], minItems: 2, maxItems: 2 },
    [[1, 2], '[1,2]'],
  ],
  ['Pair', { type: 'array', prefixItems: [number, text], minItems: 2, maxItems: 2 }, [[1, 'a'], '[1,"a"]']],
  ['DeepReadonly<Lines>', list(line), [[{ n: 1 }], '[{"n":1}]']],
  ['Prices', map(number), [new Prices([['a', 1]]), '{"a":1}']],
  ['Index', map(line), [new Map([['a', { n: 1 }]]), '{"a":{"n":1}}']],
  [
    'IndexOf<number | undefined>',
    map(number),
    [
      new Map([
        ['a', undefined],
        ['b', 1],
      ]),
      '{"b":1}',
    ],
  ],
  ['ReadonlyMap<string, Line> & { __brand?: 1 }', map(line), [new Map([['a', { n: 1 }]]), '{"a":{"n":1}}']],
  ['Tags', set(text), [new Tags(['a']), '["a"]']],
  ['SetOf<Line>', set(line), [new Set([{ n: 1 }]), '[{"n":1}]']],
  ["Set<'a'> & { __brand?: 1 }", set({ ...text, const: 'a' }), [new Set(['a']), '["a"]']],
  ['Moment', dateTime, [new Moment(0), '"1970-01-01T00:00:00.000Z"']],
  ["Date & { readonly __brand: 'utc' }", dateTime, [new Date(0), '"1970-01-01T00:00:00.000Z"']],
  [
    "URL & { __brand?: 'home' }",
    { type: 'string', format: 'uri' },
    [new URL('http://a.example/'), '"http://a.example/"'],
  ],
  [
    "Uint8Array & { __brand?: 'key' }",
    {
      type: 'string',
      contentEncoding: 'base64',
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?$',
    },
    [new Uint8Array([1]), '"AQ=="'],
  ],
  [
    'Summed',
    { type: 'object', properties: { sum: number }, required: ['sum'] },
    [Object.assign(['a'], { toJSON: () => ({ sum: 1 }) }), '{"sum":1}'],
  ],
  // what comes with the language and with Node.js
  [
    'NodeJS.MemoryUsage',
    { type: 'object', properties: { rss: number }, required: ['rss'] },
    [{ rss: 1 }, '{"rss":1}'],
  ],
  ['NodeJS.Dict<string>', map(text), [{ a: 'x', b: undefined }, '{"a":"x"}']],
  [
    'NodeJS.Headers',
    {
      type: 'object',
      properties: { host: text, age: list(text) },
      additionalProperties: { anyOf: [text, list(text)] },
    },
    [{ host: 'a', x: ['b'] }, '{"host":"a","x":["b"]}'],
  ],
  [
    'NodeJS.ErrnoException',
    { type: 'object', properties: { code: text } },
    [Object.assign(new Error('no'), { code: 'ENOENT' }), '{"code":"ENOENT"}'],
  ],
  [
    "Pick<JsonWebKey, 'kty' | 'oth'>",
    {
      type: 'object',
      properties: { kty: text, oth: list({ type: 'object', properties: { d: text, r: text, t: text } }) },
    },
    [{ kty: 'RSA', oth: [{ d: 'x' }] }, '{"kty":"RSA","oth":[{"d":"x"}]}'],
  ],
  [
    'RsaOtherPrimesInfo',
    { type: 'object', properties: { d: text, r: text, t: text } },
    [{ d: 'x' }, '{"d":"x"}'],
  ],
  [
    'PromiseFulfilledResult<number>',
    {
      type: 'object',
      properties: { status: { ...text, const: 'fulfilled' }, value: number },
      required: ['status', 'value'],
    },
    [{ status: 'fulfilled', value: 1 }, '{"status":"fulfilled","value":1}'],
  ],
]

const declarations = `
export interface Line { n: number }
export interface Lines extends Array<Line> {}
export interface ListOf<T> extends Array<T> {}
export interface More extends Lines { readonly kind?: 'more' }
export class Ids extends Array<string> {}
export class Counted extends Array<string> { count(): number { return this.length } }
export namespace Store {
  export class List<T> extends globalThis.Array<T> { isStored = true; save(): Promise<void> { return Promise.resolve() } }
  export class Found<T extends object> extends List<T & { isNew?: true }> { id(key: string): T | null { return null } }
}
export type Stored<T extends object> = Store.Found<T>
export interface Pair extends Readonly<[number, string]> {}
export type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> }
export class Prices extends Map<string, number> {}
export interface Index extends ReadonlyMap<string, Line> {}
export interface IndexOf<T> extends Map<string, T> { readonly total?: number }
export class Tags extends Set<string> {}
export interface SetOf<T> extends ReadonlySet<T> {}
export class Moment extends Date {}
export type Json = string | Json[] | { toJSON(): unknown }
export interface Summed extends Array<string> { toJSON(): { sum: number } }
`
const nodeTypes = `declare namespace NodeJS {
  interface MemoryUsage { rss: number }
  interface Dict<T> { [key: string]: T | undefined }
  interface Headers extends Dict<string | string[]> { host?: string | undefined; age?: string[] | undefined }
  interface ErrnoException extends Error { code?: string | undefined }
  interface Process { memoryUsage(): MemoryUsage }
}
interface Buffer extends Uint8Array { readonly isBuffer: true }
declare var Buffer: { from(text: string): Buffer }
`
const nodeFiles = (folder: string): Readonly<Record<string, string>> => ({
  [`${folder}/package.json`]: '{"name":"@types/node","types":"index.d.ts"}',
  [`${folder}/index.d.ts`]: nodeTypes,
})
const settings = { 'tsconfig.json': '{ "compilerOptions": { "types": ["node"] } }' }

/** Where yarn's linker `pnpm` keeps what `node_modules/@types/node` links to. */
const yarnFolder = 'node_modules/.store/@types-node-npm-22.0.0-0123456789/package'

function compiled(layout: 'npm' | 'yarn'): Compilation {
  const members = answers.map(([type], index) =>
    method(`@get /${index}`, `m${index}(): { v: ${type} } { throw new Error() }`),
  )
  const host = memoryHost({
    ...settings,
    ...nodeFiles('node_modules/@types/node'),
    ...(layout === 'yarn' ? nodeFiles(yarnFolder) : {}),
    'app/controllers/items.ts': `import { Controller } from 'acmcp'\n${declarations}/** Items. */\nexport class Items extends Controller {\n${members.join('\n')}\n}\n`,
  })
  if (layout === 'npm') return compile(host)
  return compile({ ...host, realPath: (path) => path.replace('node_modules/@types/node', yarnFolder) })
}

const compilation = compiled('npm')
const nothing: AnswerType = { kind: 'scalar', accepts: () => true }
const omission = { secrets: false, withheld: false, undeclared: true, hidden: false }

t.test('they are what JSON.stringify writes, in the documents', async (t) => {
  t.strictSame(compilation.diagnostics, [])
  const openapi = compilation.files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? ''
  const { paths, components } = parse(openapi)
  const resolved = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema), (_name, value) =>
      typeof value?.$ref === 'string' ? resolved(components.schemas[value.$ref.split('/').at(-1)]) : value,
    )
  for (const [index, [type, schema]] of answers.entries()) {
    const { v } = paths[`/items/${index}`].get.responses['200'].content['application/json'].schema.properties
    t.strictSame(resolved(v), schema, type)
  }
})

t.test('they are what JSON.stringify writes, in answers by their declared types', async (t) => {
  const codecs = await loadCodecs(compilation.codecs)
  for (const [index, [type, , ...values]] of answers.entries())
    for (const [value, json] of values) {
      const declared = codecs[`items_m${index}`]?.answers?.returned.get(200) ?? nothing
      const written = declaredJson({ v: value }, declared, omission)
      t.equal(written, `{"v":${json}}`, type)
    }
})

t.test('the layout of the package manager changes nothing', async (t) => {
  t.strictSame(compiled('yarn').files, compilation.files)
})

const parameters: readonly (readonly [type: string, ...expected: readonly string[]])[] = [
  ['Lines'],
  ['ListOf<Line>'],
  ["string[] & { __brand?: 'ids' }"],
  ["readonly string[] & { readonly __brand: 'ids' }"],
  ['Index'],
  ['SetOf<Line>'],
  ['NodeJS.Dict<string>'],
  ['JsonWebKey'],
  ['Moment'],
  ['Json'],
  ['Counted', 'ACM141 13:6'],
  ['Store.Found<Line>', 'ACM141 13:6'],
  ['string[] & { total(): number }', 'ACM141 13:6'],
  ['Summed', 'ACM141 13:6'],
]

t.test('what a decoder can make is a parameter: not what has methods of its own', async (t) => {
  const found = judge(
    parameters.map(([type]) => ({
      sentence: type,
      members: method('@post /', `show(it: Body<${type}>): void { void it }`),
      after: declarations,
      expected: [],
    })),
    { ...settings, ...nodeFiles('node_modules/@types/node') },
  )
  for (const [index, [type, ...expected]] of parameters.entries())
    t.strictSame(found[index]?.map(short), expected, type)
})

/** One error each, and not one for each method of it. */
const refused = [
  'RegExp',
  'Promise<string>[]',
  'WeakMap<object, 1>',
  'Error',
  'Headers',
  'DOMRect',
  'URLSearchParams',
  'Function',
  'Iterable<string>',
  'ArrayLike<string>',
  'NodeJS.Process',
  'Int32Array',
  'PropertyDescriptor',
  'Intl.NumberFormat',
  'ArrayBuffer',
  'Console',
  '{ at: AsyncIterable<string> }',
  'Map<number, string> & { __brand?: 1 }',
  'Partial<Prices>',
  'Partial<Date>',
]

t.test('what JSON does not write is one error', async (t) => {
  const found = judge(
    refused.map((type) => ({
      sentence: type,
      members: method('@get /', `show(): { v: ${type} } { throw new Error() }`),
      after: declarations,
      expected: [],
    })),
    { ...settings, ...nodeFiles('node_modules/@types/node') },
  )
  for (const [index, type] of refused.entries())
    t.strictSame(
      found[index]?.map(({ code }) => code),
      ['ACM120'],
      type,
    )
})
