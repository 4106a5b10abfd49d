/** `undefined` inside a list: JSON has null in its place, and so has every document. Elsewhere it is absent. Source:
 *  language.md, JSON forms. */
import t from 'tap'
import Checker from 'typebox/schema'
import { parse } from 'yaml'
import { diskHost } from '../../../cli/build/disk.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import type { RouteCodec } from '../../../runtime/contract/route.ts'
import { toJsonText } from '../../../runtime/http/output/json-text.ts'
import { folderOf, typeErrors, write } from '../support/built-app.ts'
import { judge, method } from '../support/judge.ts'
import { memoryHost } from '../support/memory-host.ts'
import { loadCatalogue, loadCodecs } from './printed.ts'

t.setTimeout(120_000)

const text = { type: 'string' }
const number = { type: 'number' }
const nothing = { type: 'null' }
const orNull = (...schemas: readonly object[]): object => ({ anyOf: [...schemas, nothing] })
const list = (items: object): object => ({ type: 'array', items })

type Value = readonly [value: unknown, json: string]

/** A type, its schema, and values with their JSON; what is read of that is the value again. */
const cases: readonly (readonly [type: string, schema: object, ...values: readonly Value[]])[] = [
  ['(string | undefined)[]', list(orNull(text)), [['a', undefined], '["a",null]'], [[], '[]']],
  [
    'readonly (Date | undefined)[]',
    list(orNull({ type: 'string', format: 'date-time' })),
    [[undefined, new Date(0)], '[null,"1970-01-01T00:00:00.000Z"]'],
  ],
  [
    '(boolean | undefined)[]',
    list(orNull({ type: 'boolean' })),
    [[true, undefined, false], '[true,null,false]'],
  ],
  [
    "('a' | 'b' | undefined)[]",
    list(orNull({ type: 'string', enum: ['a', 'b'] })),
    [['b', undefined], '["b",null]'],
  ],
  ['(string | null | undefined)[]', list(orNull(text)), [['a', null], '["a",null]']],
  ['(string[] | undefined)[]', list(orNull(list(text))), [[['a'], undefined], '[["a"],null]']],
  ['(string | number | undefined)[]', list(orNull(text, number)), [['a', 1, undefined], '["a",1,null]']],
  ['(One | undefined)[]', list(orNull({ $ref: '#/$defs/One' })), [[{ n: 1 }, undefined], '[{"n":1},null]']],
  ['(Short | undefined)[]', list({ ...orNull(text), maxLength: 3 }), [['abc', undefined], '["abc",null]']],
  ['Set<number | undefined>', list(orNull(number)), [new Set([1, undefined]), '[1,null]']],
  [
    '[string, number | undefined]',
    {
      type: 'array',
      prefixItems: [text, orNull(number)],
      minItems: 2,
      maxItems: 2,
    },
    [['a', undefined], '["a",null]'],
    [['a', 1], '["a",1]'],
  ],
  [
    '[string, number?]',
    { type: 'array', prefixItems: [text, orNull(number)], minItems: 1, maxItems: 2 },
    [['a', undefined], '["a",null]'],
    [['a'], '["a"]'],
  ],
  [
    '[string, ...(number | undefined)[]]',
    {
      type: 'array',
      prefixItems: [text],
      items: orNull(number),
      minItems: 1,
    },
    [['a', 1, undefined], '["a",1,null]'],
  ],
  ["Deep<{ list: string[] }>['list']", list(orNull(text)), [[undefined, 'a'], '[null,"a"]']],
]

/** Where `undefined` is absent; what is read has no such name. */
const absent: readonly (readonly [type: string, schema: object, ...values: readonly Value[]])[] = [
  [
    'Map<string, number | undefined>',
    { type: 'object', additionalProperties: number },
    [new Map([['a', undefined]]), '{}'],
  ],
  [
    'Record<string, number | undefined>',
    { type: 'object', additionalProperties: number },
    [{ a: undefined }, '{}'],
  ],
  ['{ a: number | undefined }', { type: 'object', properties: { a: number } }, [{ a: undefined }, '{}']],
]
const all = [...cases, ...absent]

const controller = `import { type Body, Controller } from 'acmcp'
export interface One { n: number }
/** @maxLength 3 */
export type Short = string
export type Deep<T> = { [K in keyof T]: T[K] extends (infer I)[] ? (I | undefined)[] : T[K] }
/** Items. */
export class Items extends Controller {
${all
  .map(([type], index) =>
    method(`@post /${index}`, `m${index}(it: Body<{ v: ${type} }>): { v: ${type} } { return it }`),
  )
  .join('\n')}
}
`
const root = folderOf(t, { 'app/controllers/items.ts': controller })
const compilation = compile(diskHost(root))
t.strictSame(
  compilation.diagnostics.filter(({ severity }) => severity === 'error'),
  [],
)
for (const file of compilation.files) write(root, file.path, file.text)
const { tools } = loadCatalogue(compilation.catalogue)
const outputOf = (index: number): Record<string, unknown> =>
  tools.find(({ name }: { readonly name: string }) => name === `items_m${index}`).outputSchema

t.test('the documents and the tools say null where undefined may stand in a list', async (t) => {
  const openapi = compilation.files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? ''
  const { paths } = parse(openapi.replaceAll('#/components/schemas/', '#/$defs/'))
  for (const [index, [type, schema]] of all.entries()) {
    const { requestBody, responses } = paths[`/items/${index}`].post
    const seen = [requestBody, responses['200']].map(({ content }) => content['application/json'].schema)
    const { properties } = outputOf(index)
    t.strictSame(
      [...seen.map((value) => value.properties.v), properties],
      [schema, schema, { v: schema }],
      type,
    )
  }
})

t.test('what is written is what JSON.stringify writes, fits the schema and is read again', async (t) => {
  const codecs = await loadCodecs(compilation.codecs)
  for (const [index, [type, , ...values]] of all.entries()) {
    for (const [value, json] of values) {
      const { params } = codecs[`items_m${index}`] as RouteCodec // one of the routes above
      const written = toJsonText({ v: value })
      t.equal(written, `{"v":${json}}`, type)
      t.ok(Checker.Check(outputOf(index), JSON.parse(written)), `${type}: ${written}`)
      if (index < cases.length)
        t.strictSame(params[0]?.codec.fromJson(JSON.parse(written), ''), { v: value }, type)
    }
  }
})

t.test('the route table compiles', async (t) => {
  t.equal(typeErrors(root), '')
})

t.test('a list of nothing but undefined has no JSON form', async (t) => {
  const members = ['undefined[]', 'Set<undefined>', '[undefined]'].map((type, index) =>
    method(`@get /${index}`, `m${index}(): ${type} { throw new Error() }`),
  )
  const found = judge(members.map((member) => ({ sentence: '', members: member, expected: [] })))
  t.strictSame(
    found.map((item) => item.map(({ code }) => code)),
    members.map(() => ['ACM120']),
  )
})

t.test('a place that may be absent, but never undefined, is never null', async (t) => {
  const types = ['[string, number?]', '[string, (number | undefined)?]', '{ a?: [number?] }']
  const { model } = compile(
    memoryHost({
      'tsconfig.json': '{ "compilerOptions": { "exactOptionalPropertyTypes": true } }',
      'app/controllers/items.ts': `import { Controller } from 'acmcp'
/** Items. */
export class Items extends Controller {
${types.map((type, index) => method(`@get /${index}`, `m${index}(): ${type} { throw new Error() }`)).join('\n')}
}
`,
    }),
  )
  const [actions = []] = model.controllers.map((item) => item.actions)
  t.strictSame(
    actions.map(({ results }) => JSON.stringify(results[0]?.schema).includes('"to":"undefined"')),
    [false, true, false],
  )
})
