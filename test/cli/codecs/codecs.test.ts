/** The printed decoders over the whole corpus of types, held against decoders made of closures; and what its values are
 *  in JSON. Source: specification of the codecs, issue 3 item 6; annotations.md, Parameters. */
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import type { Codec, RouteCodec } from '../../../runtime/contract/route.ts'
import { ParamError } from '../../../runtime/errors.ts'
import { toJsonText } from '../../../runtime/http/output/json-text.ts'
import { type Entry, readCorpus } from '../oracle/corpus.ts'
import { jsonForm } from '../oracle/json-form.ts'
import { filesOf, samplesOf, typesModule } from '../oracle/oracle.ts'
import { memoryHost } from '../support/memory-host.ts'
import { loadCodecs } from './printed.ts'
import { referenceCodecs } from './reference-codecs.ts'

t.setTimeout(120_000)
Error.stackTraceLimit = 0 // thousands of refusals are compared

const entries = readCorpus().filter(({ refusal }) => refusal === null)
const types = typesModule(readCorpus())

/** Each type as a whole body, so that its form is read too. */
const bodies = `import { type Body, Controller } from 'acmcp'
import type * as types from '../types.ts'
/** Bodies. */
export class Bodies extends Controller {
${entries
  .filter(({ isAnswer }) => !isAnswer)
  .map(
    ({ name }) =>
      `/**\n * Takes.\n *\n * @put /b${name}\n */\nb${name}(value: Body<types.${name}>): void { void value }`,
  )
  .join('\n')}
}
`
const compilation = compile(memoryHost({ ...filesOf(types, entries), 'app/controllers/bodies.ts': bodies }))
const printed = await loadCodecs(compilation.codecs)
const reference = await loadCodecs(referenceCodecs(compilation.model))
const ids = new Map(
  compilation.model.controllers.flatMap(({ actions }) => actions.map(({ method, id }) => [method, id])),
)
const codecOf = (table: typeof printed, method: string): RouteCodec | undefined =>
  table[ids.get(method) ?? '']

const samples = await samplesOf(types, entries)
const values: readonly unknown[] = [...samples.values()].map((make) => make())

/** What reading comes to, as a text that tells values of all kinds apart. */
function told(read: () => unknown): string {
  try {
    return `value ${shown(read())}`
  } catch (error) {
    if (!(error instanceof ParamError)) throw error
    const failures = error.failures.map(({ parameter, restriction }) => `${parameter}: ${restriction}`)
    return `${error.constructor.name} ${failures.join('; ')}`
  }
}

function shown(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  const kind = value.constructor?.name ?? 'null'
  if (value instanceof Date || value instanceof URL) return `${kind} ${value.toJSON()}`
  if (value instanceof Uint8Array) return `${kind} ${[...value]}`
  if (value instanceof Map || value instanceof Set) return `${kind} ${shown([...value])}`
  const parts = Object.entries(value).map(([name, inner]) => `${name}: ${shown(inner)}`)
  return `${kind} { ${parts.join(', ')} }`
}

const odd = [
  null,
  true,
  0,
  -0,
  1.5,
  2 ** 53,
  2 ** 31,
  -(2 ** 31),
  1e300,
  '',
  'a',
  'a\0b',
  '\ud800',
  '😀',
  '1',
  '01',
  '-5',
  '1e3',
  'true',
  'null',
  '2026-02-30',
  '2026-07-28T10:00:00+02:00',
  'https://example.org/',
  'a@example.org',
  '9223372036854775808',
  'YQ==',
  [],
  {},
  [[]],
  [null],
  [1, 'a'],
  { a: null },
  { a: 'x', b: 1, more: [1] },
  { kind: 'a' },
  { kind: 'b', constructor: 1 },
  JSON.parse('{"__proto__": {"a": 1}, "a": "x"}'),
  { 'a\0': 1 },
  { value: { value: { value: 1 } } },
] // as JSON may hold them

/** Every type reads a share of what all types make. */
const sent: readonly unknown[] = [...odd, ...values.map(jsonForm).filter((_value, index) => index % 4 === 0)]

/** Where `ask` is answered otherwise by the printed decoder of a type. */
function differences(
  given: readonly unknown[],
  ask: (codec: Codec, value: never) => unknown,
  methodOf = ({ name }: Entry): string => name,
): readonly string[] {
  const parameters = entries.filter(({ isAnswer }) => !isAnswer)
  return parameters
    .flatMap((entry) => {
      const method = methodOf(entry)
      const [own, other] = [printed, reference].map((table) => codecOf(table, method)?.params[0]?.codec)
      if (own === undefined || other === undefined) return [`${method} has no decoder`]
      return given.flatMap((value) => {
        const [a, b] = [own, other].map((codec) => told(() => ask(codec, value as never))) // as `given` holds them
        return a === b ? [] : [`${entry.title}: ${shown(value)} is ${a} but ${b}`]
      })
    })
    .slice(0, 20)
}

t.test('the corpus compiles', async (t) => {
  t.strictSame(compilation.diagnostics, [])
})

t.test(
  'JSON of every type is read by every other as the closures read it, with the same path and text',
  async (t) => {
    t.strictSame(
      differences(sent, (codec, value) => codec.fromJson(value, 'p')),
      [],
    )
  },
)

t.test('a type is told by the same text', async (t) => {
  t.strictSame(
    differences(['-'], (codec) => codec.restriction),
    [],
  )
})

t.test('texts are read as the closures read them', async (t) => {
  const texts = sent.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  const given = [
    [],
    ...[...new Set(texts)].map((text) => [text]),
    ['a', 'b'],
    ['1', '2'],
    ['1,2'],
    ['1', 'x'],
  ]
  t.strictSame(
    differences(given, (codec, value) => codec.fromText(value, 'p')),
    [],
  )
})

t.test('forms are read as the closures read them', async (t) => {
  const forms = sent.flatMap((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
    const form = new URLSearchParams()
    for (const [name, inner] of Object.entries(value)) {
      for (const one of Array.isArray(inner) ? inner : [inner]) {
        form.append(name, typeof one === 'string' ? one : JSON.stringify(one))
      }
    }
    return [form]
  })
  const bodyOf = ({ name }: Entry): string => `b${name}`
  t.strictSame(
    differences(forms, (codec, value) => codec.fromFields?.(value, ''), bodyOf),
    [],
  )
})

t.test('values of all types are written in the JSON form of annotations.md', async (t) => {
  for (const value of values) t.equal(toJsonText(value), JSON.stringify(jsonForm(value)))
})
