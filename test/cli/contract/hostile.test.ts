/** The files of another branch are foreign: whatever stands in them, a comparison ends soon, with a true result or a sentence. */
import t from 'tap'
import { parse, stringify } from 'yaml'
import { type Contract, compareContracts, NoContract } from '../../../cli/capabilities/contract/compare.ts'
import { compile } from '../../../cli/compiler/compile.ts'
import { growth } from '../../support/report/growth.ts'
import { memoryHost, shop } from '../support/memory-host.ts'
import { contractOf, shown } from './mutations/walk.ts'

t.setTimeout(240_000)

const contract = contractOf(compile(memoryHost(shop)))

/** What is found, or why nothing can be. What takes too long ends with the suite's own time. */
function outcome(before: Contract, after: Contract): readonly string[] | string {
  try {
    return compareContracts(before, after).findings.map(shown)
  } catch (error) {
    if (error instanceof NoContract) return error.message
    throw error
  }
}

const document = (schema: string, components = ''): Contract => ({
  openapi: `openapi: 3.1.0
paths:
  /a:
    post:
      operationId: a
      requestBody:
        content:
          application/json:
            schema: ${schema}
      responses: {}
components:
  schemas:
    A: {}
${components}`,
  mcp: 'version: 3\ntoolboxes: []\n',
})
const many = (count: number, each: (index: number) => string, between = ', '): string =>
  Array.from({ length: count }, (_, index) => each(index)).join(between)
const reference = (name: string): string => `{ $ref: "#/components/schemas/${name}" }`

t.test('a baseline of version 2, whose types stand where they are used, is the same', (t) => {
  const { types, ...file } = parse(contract.mcp)
  let count = 0
  const inPlace = (_name: string, value: unknown): unknown => {
    const type = types[Object(value).type]
    if (type !== undefined) count += 1
    return type === undefined ? value : { ...Object(value), ...type }
  }
  const text = JSON.stringify({ ...file, version: 2 })
  const before = { ...contract, mcp: stringify(JSON.parse(text, inPlace), { aliasDuplicateObjects: false }) }
  t.ok(count > 0)
  t.strictSame([outcome(before, contract), outcome(contract, before)], [[], []])
  t.end()
})

t.test('a baseline of version 2 has the text of a type at the argument, whatever the type is called', (t) => {
  const states = `import { Controller } from 'acmcp'
/** A state of things. */
export type state = 'on' | 'off'
export class Lights extends Controller {
  /** @get / */
  list(as: state): string { return as }
}
`
  const current = contractOf(compile(memoryHost({ 'app/controllers/lights.ts': states })))
  const inPlace = 'type: state, enum: [on, off], description: A state of things.'
  const before = current.mcp.replace('version: 3', 'version: 2').replace('type: state', inPlace)
  const named = { ...current, mcp: before.slice(0, before.indexOf('\ntypes:') + 1) }
  t.match(named.mcp, inPlace)
  t.strictSame([outcome(named, current), outcome(current, named)], [[], []])
  t.end()
})

t.test('the same in another layout is the same', (t) => {
  const again = (how: object): Contract => ({
    openapi: stringify(parse(contract.openapi), how),
    mcp: stringify(parse(contract.mcp), how),
  })
  for (const how of [
    { indent: 4 },
    { indentSeq: false },
    { lineWidth: 40, defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'QUOTE_DOUBLE' },
    { collectionStyle: 'flow', lineWidth: 80 },
  ]) {
    t.strictSame(outcome(contract, again(how)), [], JSON.stringify(how))
    t.strictSame(outcome(again(how), contract), [], JSON.stringify(how))
  }
  const broken = (text: string): string => `\uFEFF${text.replaceAll('\n', '\r\n')}`
  t.strictSame(outcome({ openapi: broken(contract.openapi), mcp: broken(contract.mcp) }, contract), [])
  const json = { openapi: JSON.stringify(parse(contract.openapi)), mcp: JSON.stringify(parse(contract.mcp)) }
  t.strictSame(outcome(json, contract), [], 'JSON')
  t.end()
})

t.test('what is no contract is told in a sentence', (t) => {
  const missing = 'generated/openapi.yml is none of acmcp: it has no openapi and no paths'
  for (const [openapi, why] of [
    ['', missing],
    ['\u0000\u0001{{{', missing],
    ['<!DOCTYPE html>\n<html></html>\n', missing],
    ['version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 1\n', missing],
    ['- a\n- b\n', missing],
    [
      contract.openapi.replace('paths:\n', '<<<<<<< HEAD\npaths:\n'),
      /^one of its files is no YAML: Implicit keys/,
    ],
    [
      `paths:\n  ${'a'.repeat(1e6)}: 1\nopenapi: 3.1.0\n`,
      /^generated\/openapi.yml is none|^one of its files is no YAML/,
    ],
    ['x'.repeat(5e6), /^generated\/openapi.yml is none|^one of its files/],
    [document(`${'['.repeat(1e5)}${']'.repeat(1e5)}`).openapi, /Maximum call stack|nested too deeply/],
    [document(`\n${' '.repeat(14)}${'- '.repeat(1e5)}a`).openapi, 'one of its files is nested too deeply'],
    [document('{ a: 1, a: 2 }').openapi, /^one of its files is no YAML: Map keys must be unique/],
    [document('*x').openapi, /^one of its files is no YAML: Unresolved alias/],
    [
      document(
        `\n${many(9, (index) => `              x${index}: &a${index} [${many(9, () => (index === 0 ? 'l' : `*a${index - 1}`))}]`, '\n')}`,
      ).openapi,
      /^one of its files is no YAML: Excessive alias count/,
    ],
  ] as const) {
    const before = {
      openapi,
      mcp: openapi.startsWith('openapi: 3.1.0\npaths:\n  /a:') ? document('{}').mcp : contract.mcp,
    }
    const after = before.mcp === contract.mcp ? contract : document('{}')
    t.match(outcome(before, after), why, String(why))
  }
  t.equal(
    outcome({ ...contract, mcp: '{}' }, contract),
    'generated/mcp.yml is none of acmcp: it has no version',
  )
  t.end()
})

t.test('issue: many aliases, each of which is looked for from the start', (t) => {
  const aliases = (count: number): Contract => ({
    openapi: `openapi: 3.1.0\npaths: {}\nx:\n${many(count, (index) => `      - &a${index} x\n      - *a${index}`, '\n')}\n`,
    mcp: contract.mcp,
  })
  t.notMatch(outcome(aliases(100), contract), 'aliases')
  t.match(outcome(aliases(20_000), contract), 'one of its files is no YAML: more than 100 aliases')
  t.end()
})

t.test('a mapping takes time in proportion to its keys', async (t) => {
  const mapping = (count: number): string =>
    `openapi: 3.1.0\npaths: {}\nx:\n${many(count, (index) => `      key-${index}: 1`, '\n')}\n`
  await growth(t, {
    name: 'a foreign document: keys of a mapping',
    sizes: [2_000, 4_000, 8_000],
    input: (count) => ({ openapi: mapping(count), mcp: contract.mcp }),
    work: (foreign) => outcome(foreign, contract),
    control: ({ openapi }) => openapi.split('\n').map((line) => line.trim()),
  })
})

t.test('unions, references and names that somebody chose to keep us busy', (t) => {
  const product = `{ allOf: [${many(12, (a) => `{ anyOf: [${many(12, (b) => `{ properties: { p${a}: { const: ${b} } } }`)}] }`)}] }`
  t.strictSame(outcome(document(product), document('{ type: string }')), ['CON059 POST /a (HTTP)'])
  const wide = (more: string): string =>
    `{ anyOf: [${many(120, (index) => `{ type: object, properties: { p${index}: ${reference('A')}${more} } }`)}] }`
  t.strictSame(outcome(document(wide('')), document(wide(', q: {}'))), ['CON082 POST /a q (HTTP)'])
  const chain = (each: (next: string) => string, last: string): Contract =>
    document(
      reference('R0'),
      `${many(40, (index) => `    R${index}: ${index === 39 ? last : each(reference(`R${index + 1}`))}`, '\n')}\n`,
    )
  const doubled = (next: string): string => `{ properties: { a: ${next}, b: ${next} } }`
  t.strictSame(
    outcome(chain(doubled, '{ type: object }'), chain(doubled, '{ type: string }')),
    ['CON012 R39 (HTTP)', 'CON083 R39 (HTTP)'],
    'as many ways as there are atoms lead to one definition',
  )
  const all = (next: string): string => `{ allOf: [${next}, ${next}] }`
  t.strictSame(
    outcome(chain(all, '{ type: object }'), chain(all, '{ type: string }')),
    ['CON059 R0 (HTTP)'],
    'what cannot be followed is told',
  )
  const circle = (of: string): Contract =>
    document(reference('B'), `    B: ${of}\n    C: ${reference('B')}\n`)
  t.strictSame(outcome(circle(reference('C')), circle(all(reference('B')))), [])
  const names = (type: string): Contract =>
    document(
      `{ type: object, properties: { __proto__: { type: ${type} }, constructor: { type: ${type} }, then: { type: string } } }`,
    )
  t.strictSame(outcome(names('string'), names('number')), [
    'CON012 POST /a __proto__ (HTTP)',
    'CON012 POST /a constructor (HTTP)',
    'CON083 POST /a __proto__ (HTTP)',
    'CON083 POST /a constructor (HTTP)',
  ])
  const odd =
    '{ type: [5], $ref: 5, enum: [], prefixItems: 4, items: [1], maxItems: -1, minLength: x, required: 5 }'
  t.strictSame(outcome(document(odd), document(odd)), [])
  t.end()
})
