/** The decoders of the whole corpus of types: what each makes of odd values and says of those that it does not take, held against the committed
 *  `test/cli/corpus/outcomes.golden` (`ACMCP_UPDATE_GOLDEN=1` writes it anew); and what its values are in JSON. Source: language.md, Parameters. */
import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { compile } from '../../../cli/compiler/compile.ts'
import type { RouteCodec } from '../../../runtime/contract/route.ts'
import { ParamError } from '../../../runtime/errors.ts'
import { toJsonText } from '../../../runtime/http/output/json-text.ts'
import { type Entry, readCorpus } from '../oracle/corpus.ts'
import { jsonForm } from '../oracle/json-form.ts'
import { filesOf, samplesOf, typesModule } from '../oracle/oracle.ts'
import { memoryHost } from '../support/memory-host.ts'
import { loadCodecs } from './printed.ts'

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
const ids = new Map(
  compilation.model.controllers.flatMap(({ actions }) => actions.map(({ method, id }) => [method, id])),
)
const codecOf = (table: typeof printed, method: string): RouteCodec | undefined =>
  table[ids.get(method) ?? '']

const samples = await samplesOf(types, entries)

/** What reading comes to, as a text that tells values of all kinds apart. */
function reported(read: () => unknown): string {
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

/** Texts and forms that hold the odd values. */
const texts: readonly (readonly string[])[] = [
  [],
  ...[...new Set(odd.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))))].map(
    (text) => [text],
  ),
  ['a', 'b'],
  ['1', '2'],
  ['1,2'],
  ['1', 'x'],
]
const forms = odd.flatMap((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const form = new URLSearchParams()
  for (const [name, inner] of Object.entries(value)) {
    for (const item of Array.isArray(inner) ? inner : [inner]) {
      form.append(name, typeof item === 'string' ? item : JSON.stringify(item))
    }
  }
  return [form]
})

/** What `ask` comes to for each of `given`: which are taken, as a line of signs, and all outcomes. */
function requested(
  provided: readonly unknown[],
  ask: (value: never) => unknown,
): readonly [string, readonly string[]] {
  const all = provided.map((value) => reported(() => ask(value as never))) // as `given` holds them
  return [all.map((text) => (text.startsWith('value ') ? '+' : '-')).join(''), all]
}

/** The lines about one type: its text, what it takes, and every outcome once. */
function linesOf({ name, title }: Entry): readonly string[] {
  const [plain, body] = [name, `b${name}`].map((method) => codecOf(printed, method)?.params[0]?.codec)
  if (plain === undefined || body === undefined) return [`${title} has no decoder`]
  const all = [
    requested(odd, (value) => plain.fromJson(value, 'p')),
    requested(texts, (value) => plain.fromText(value, 'p')),
    requested(forms, (value) => body.fromFields?.(value, '')),
  ]
  const outcomes = new Set(all.flatMap(([, reported]) => reported))
  return [
    `${title}: ${plain.restriction}`,
    `  ${all.map(([taken]) => taken).join(' ')}`,
    ...[...outcomes].map((outcome) => `  ${outcome}`),
  ]
}

t.test('the corpus compiles', async (t) => {
  t.strictSame(compilation.diagnostics, [])
})

t.test(
  'what each type takes, and what it says of the rest, with path and text, stays what it is',
  async (t) => {
    const lines = entries.filter(({ isAnswer }) => !isAnswer).flatMap(linesOf)
    const committed = 'test/cli/corpus/outcomes.golden'
    if (process.env.ACMCP_UPDATE_GOLDEN === '1') writeFileSync(committed, `${lines.join('\n')}\n`)
    t.strictSame(lines, readFileSync(committed, 'utf8').trimEnd().split('\n'))
  },
)

t.test('values of all types are written in the JSON form of language.md', async (t) => {
  for (const value of [...samples.values()].map((make) => make()))
    t.equal(toJsonText(value), JSON.stringify(jsonForm(value)))
})
