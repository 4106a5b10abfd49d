import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { parse, stringify } from 'yaml'
import { oneLine, printYaml } from '../../../cli/compiler/emit/yaml.ts'

const awkward = [
  '',
  ' ',
  '-',
  '- a',
  '?',
  ':',
  'a:',
  'a: b',
  'a #b',
  '#',
  'null',
  'Null',
  '~',
  'true',
  'FALSE',
  '0',
  '-0',
  '1.',
  '.5',
  '1e3',
  '0x1F',
  '0o17',
  '.inf',
  '-.INF',
  '.nan',
  '---',
  '--- a',
  '...',
  '{a}',
  '[a]',
  'a,b',
  '*a',
  '&a',
  '!a',
  '|',
  '>',
  '%',
  '@',
  '`',
  `it's`,
  `"so"`,
  `it's "so"`,
  'a\nb',
  'a\n\nb',
  'a\n',
  '\na',
  'a\n b',
  ' a\nb',
  'a: b\nc',
  '# a\nb',
  '---\na',
  'a\tb',
  '\t',
  'a\u0000b',
  'a\r\nb',
  '\u0085',
  '\u2028',
  '\uFEFF',
  '\uD800',
  '😀',
  'é',
  '<<',
  '=',
  'yes',
  '2001-01-01',
  '1_000',
  '__proto__',
  'x'.repeat(1200),
  'a\n---\nb',
  'a\n  \nb',
  'b\n ',
  '\u00A0a',
  'a\u007fb',
  'a\u202eb',
  '\u{e0041}\u200d\ufe0f',
  '❤️',
]

const text = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...awkward, ...'a:#-?\n \'"'), { maxLength: 5 }).map((parts) => parts.join('')),
)
const scalar = fc.oneof(text, fc.boolean(), fc.constant(null), fc.double({ noNaN: true }), fc.integer())
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 4 },
    ),
  ),
}))

/** Dictionaries of fast-check have no prototype. */
const normal = (data: unknown): unknown => JSON.parse(JSON.stringify({ data }))

t.test('what is printed reads back as the same value', async (t) => {
  fc.assert(
    fc.property(value, (data) => {
      deepStrictEqual(normal(parse(printYaml(data))), normal(data))
      const line = printYaml({ a: oneLine(data) })
      deepStrictEqual(normal(parse(line).a), normal(data))
      deepStrictEqual(line.split('\n').length, 2)
    }),
    { numRuns: 1500, seed: 20261121 },
  )
  for (const word of [...awkward, 'long'.repeat(400)]) {
    const data = { [word]: [word, { a: word }] }
    t.strictSame(parse(printYaml(data)), data)
    t.strictSame(parse(printYaml({ a: oneLine(data) })), { a: data }, `on one line: ${word}`)
  }
})

t.test('it has the form of the package yaml', async (t) => {
  const document = {
    openapi: '3.1.0',
    empty: {},
    none: [],
    text: 'plain words, with: nothing',
    lines: 'first\n\nsecond: line',
    codes: { '200': { description: 'OK' }, default: [1, -2.5, true, null, '1'] },
    nested: [[1, [2]], { a: [{ b: 1, c: { d: 2 } }], e: 'x' }, [], {}],
    quotes: [`it's`, `"so"`, `it's "so"`, '#', 'a: b', 'true', ''],
    left: undefined,
  }
  t.equal(printYaml(document), stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }))
  t.equal(printYaml('a'), 'a\n')
})

/** Texts that a reader of some version of YAML takes for another type. */
const typed = [
  'on',
  'Off',
  'NO',
  'y',
  'N',
  'Yes',
  'True',
  '2026-01-01',
  '2026-1-2',
  '2026-01-01T10:00:00Z',
  '2001-12-14 21:59:43.10 -5',
]
  .concat([
    '12:30',
    '1:2:3',
    '190:20:30.15',
    '-1:30',
    '0o7',
    '017',
    '0b11',
    '+0x1f',
    '0x_1',
    '1_000',
    '+1_0.5',
    '1,000',
    '1e3',
    '1.e+3',
  ])
  .concat(['+.5', '.', '.5_0', '<<', '=', '.Inf', '+.inf', '.NAN', '~', 'Null', ''])

t.test(
  'a text is quoted wherever a reader of YAML 1.1 or 1.2 takes it for another type, as key and as value',
  async (t) => {
    for (const text of typed) {
      t.equal(printYaml({ [text]: text }), `"${text}": "${text}"\n`)
      t.equal(printYaml({ a: oneLine([text]) }), `a: ["${text}"]\n`)
      for (const version of ['1.1', '1.2'] as const)
        t.strictSame(
          parse(printYaml({ [text]: text }), { version, merge: true }),
          { [text]: text },
          `${version}: ${text}`,
        )
    }
    const plain = [
      'only',
      'none',
      'note',
      '3.1.0',
      '1.2.3',
      '5min',
      'v1',
      '60/min',
      'a:b',
      'yes, please',
      '2026-01',
      'e3',
      '1-2',
    ]
    for (const text of plain) t.equal(printYaml(text), `${text}\n`)
  },
)
