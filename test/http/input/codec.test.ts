/** The parts from which decoders are printed. Source: language.md, Parameters; rules.md, parameter conversion. */
import t from 'tap'
import type { Codec } from '../../../runtime/contract/route.ts'
import { MissingError, ParamError } from '../../../runtime/errors.ts'
import * as c from '../../../runtime/http/codec/codec.ts'

/** The value, or what the error says. */
function read(codec: Codec, ...from: [text: readonly string[]] | [json: unknown, 'json']): unknown {
  try {
    return from.length === 1 ? codec.fromText(from[0], 'p') : codec.fromJson(from[0], 'p')
  } catch (error) {
    if (!(error instanceof ParamError)) throw error
    return `${error instanceof MissingError ? 'missing' : 'invalid'} ${error.parameter}: ${error.restriction}`
  }
}

t.test('the place of a misfit is told no longer than it helps, however long the names in a body are', (t) => {
  const long = 'n'.repeat(500_000)
  const said = String(read(c.record(c.record(c.number)), { [long]: { [long]: 'no' } }, 'json'))
  t.equal(said, `invalid ${'p.'}${'n'.repeat(998)}…: Float64`)
  t.equal(read(c.record(c.number), { short: 'no' }, 'json'), 'invalid p.short: Float64')
  t.end()
})

t.test('decisions, parameter conversion: texts are converted strictly', async (t) => {
  const cases: readonly (readonly [Codec, readonly string[], unknown])[] = [
    [c.string, ['x'], 'x'],
    [c.boolean, ['1'], true],
    [c.boolean, ['false'], false],
    [c.boolean, ['yes'], 'invalid p: boolean'],
    [c.int32, ['-2147483648'], -2147483648],
    [c.int32, ['2147483648'], 'invalid p: Int32'],
    [c.int32, ['1.0'], 'invalid p: Int32'],
    [c.int64, ['9223372036854775807'], 9223372036854775807n],
    [c.int64, ['9223372036854775808'], 'invalid p: Int64'],
    [c.number, ['1e3'], 1000],
    [c.number, ['Infinity'], 'invalid p: Float64'],
    [c.date, ['2026-07-28T00:00:00Z'], new Date('2026-07-28T00:00:00Z')],
    [c.date, ['28.7.2026'], 'invalid p: Date'],
    [c.date, ['2026-02-30'], 'invalid p: Date'],
    [c.string, ['a\0b'], 'invalid p: string'],
    [c.array(c.string), ['["a,b"]'], ['a,b']],
    [c.uuid, ['0'], 'invalid p: Uuid'],
    [c.array(c.int32), ['1,2'], [1, 2]],
    [c.array(c.int32), ['1', 'x'], 'invalid p.1: Int32'],
    [c.literal(['a', 1]), ['1'], 1],
    [c.literal(['a', 1]), ['b'], 'invalid p: "a" | 1'],
    [c.union([c.int32, c.string]), ['x'], 'x'],
    [c.format('email'), ['nobody'], 'invalid p: Email'],
  ]
  t.strictSame(
    cases.map(([codec, text]) => read(codec, text)),
    cases.map(([, , expected]) => expected),
  )
})

t.test('JSON keeps its types, and a property is named by its dotted path', async (t) => {
  const order = c.object({
    lines: c.array(c.object({ sku: c.string })),
    note: c.optional(c.nullable(c.string)),
  })
  t.strictSame(read(order, { lines: [{ sku: 'a', other: 1 }], note: null }, 'json'), {
    lines: [{ sku: 'a' }],
    note: null,
  })
  t.equal(read(order, { lines: [{}] }, 'json'), 'missing p.lines.0.sku: string')
  t.equal(read(order, { lines: [{ sku: 1 }] }, 'json'), 'invalid p.lines.0.sku: string')
  t.equal(read(order, {}, 'json'), 'missing p.lines: object[]')
  t.equal(read(c.int32, '1', 'json'), 'invalid p: Int32')
  t.equal(read(c.boolean, 1, 'json'), 'invalid p: boolean')
  t.strictSame(
    read(
      c.transform(c.array(c.string), (list) => new Set(list)),
      ['a', 'a'],
      'json',
    ),
    new Set(['a']),
  )
  t.strictSame(read(c.tuple([c.string, c.int32], 1), ['a'], 'json'), ['a'])
  t.strictSame(read(c.record(c.int32), { a: 1 }, 'json'), { a: 1 })
})

/** A union that holds itself, whose members keep neither all of an object: both are read at each level. */
function twoWays(leaf: c.Decoder): c.Decoder {
  const tree: c.Decoder = c.ref(() => union)
  const shared = { child: c.optional(tree), leaf: c.optional(leaf) }
  const union = c.union([c.object(shared), c.object({ ...shared, b: c.optional(c.string) })])
  return union
}

/** `inner` below so many levels, each with a property that no member declares. */
const below = (levels: number, inner: unknown): unknown =>
  levels === 0 ? inner : { child: below(levels - 1, inner), z: 1 }

t.test('what is read in vain is bounded: undeclared properties and long texts count too', async (t) => {
  let looks = 0
  const wide: object = new Proxy(
    Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`k${key}`, 1])),
    {
      ownKeys(target) {
        looks += 1
        return Reflect.ownKeys(target)
      },
    },
  )
  read(twoWays(c.string), below(12, wide), 'json')
  t.ok(looks < 200, `an object of 20,000 properties was looked at ${looks} times, of 4,096`)
  let decoded = 0
  const bytes = c.transform(c.bytes, (value: Uint8Array) => {
    decoded += 1
    return value
  })
  const long = { leaf: 'AAAA'.repeat(240_000), z: 1 }
  t.not(read(twoWays(bytes), below(12, long), 'json'), 'invalid p: object')
  t.ok(decoded < 1000, `a text of 960,000 characters was decoded ${decoded} times, of 8,192`)
})
