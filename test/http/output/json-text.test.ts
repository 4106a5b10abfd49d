/** The JSON of answers. What does not fit its declared type, and what a type does not declare, is answered as it is: the
 *  text is that of `JSON.stringify` with a replacer for the forms. Source: language.md, JSON forms. */
import fc from 'fast-check'
import t from 'tap'
import { toJsonText } from '../../../runtime/http/output/json-text.ts'

t.test('bigint, Map, Set, bytes, URL and Date at any depth', async (t) => {
  class Tagged extends Map<string, number> {
    readonly tag = 'not shown'
  }
  const forms: readonly (readonly [unknown, string])[] = [
    [10n, '"10"'],
    [{ a: { b: [1n] } }, '{"a":{"b":["1"]}}'],
    [new Map<string, unknown>([['a', new Set([1n])]]), '{"a":["1"]}'],
    [new Tagged([['a', 1]]), '{"a":1}'],
    [{ a: new Map([['__proto__', 1]]) }, '{"a":{"__proto__":1}}'],
    [[Buffer.from('hi'), new Uint8Array([1, 2])], '["aGk=","AQI="]'],
    [
      { url: new URL('https://x.example/a b'), at: new Date(0), never: new Date(NaN) },
      '{"url":"https://x.example/a%20b","at":"1970-01-01T00:00:00.000Z","never":null}',
    ],
    [{ toJSON: () => ({ big: 1n }) }, '{"big":"1"}'],
    [[Object.assign([1], { toJSON: () => 2n })], '["2"]'],
    [
      Array.from({ length: 70 }).reduce<unknown>((inner) => [inner], 1n),
      `${'['.repeat(70)}"1"${']'.repeat(70)}`,
    ],
  ]
  for (const [value, text] of forms) t.equal(toJsonText(value), text)
})

/** The forms, as one would write them without regard to time. */
function replacer(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const raw = this[name] // before a Buffer's own toJSON
  if (raw instanceof Uint8Array) return Buffer.from(raw).toString('base64')
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Set ? [...value] : value
}

/** The text, or how writing fails. */
function written(write: () => unknown): unknown {
  try {
    return write()
  } catch (error) {
    return String(error)
  }
}

/** Whether the value is written as the replacer has it; and that it is as it was before. */
const isSame = (value: unknown): boolean => {
  const expected = written(() => JSON.stringify(value, replacer))
  const own = written(() => toJsonText(value))
  return own === expected && written(() => JSON.stringify(value, replacer)) === expected
}

class Money {
  readonly cents: number
  constructor(cents: number) {
    this.cents = cents
  }
  toJSON(name: string): string {
    return `${name}=${this.cents}`
  }
}
class Row {
  a = 'x'
  b = 1n
  get sum(): number {
    return 1
  }
}
class Rows extends Array<unknown> {}
class Day extends Date {
  override toJSON(): string {
    return 'day'
  }
}
const cyclic: Record<string, unknown> = { a: 'x', b: 1n }
cyclic.child = cyclic
cyclic.replies = [cyclic]

/** Whatever a program may return. */
const odd: readonly unknown[] = [
  undefined,
  null,
  true,
  NaN,
  Infinity,
  -0,
  10n,
  'x"\\\n\u2028\ud800',
  Symbol('s'),
  () => 1,
  Object.assign(() => 1, { toJSON: () => 'function' }),
  new Date(0),
  new Date(NaN),
  Object.assign(new Date(0), { toJSON: () => 'date' }),
  new Day(0),
  new Money(5),
  new Row(),
  Rows.from([1n, undefined]),
  Object.create(null),
  Object.assign(Object.create(null), { a: 1n }),
  Object.create({ inherited: 1n }),
  new String('boxed'),
  new Number(1),
  Object(1n),
  Object.assign(new Number(1), { a: 1n }),
  Object.assign(Object('text'), { a: new Map() }),
  [undefined, () => 1, new Money(1), 1n],
  Array(3),
  Object.assign(Array(3), [1n]),
  { a: undefined, b: new Money(2), c: [new Date(0)] },
  { 2: 1n, 1: 'one', a: 'x' },
  { __proto__: { a: 1n } },
  JSON.parse('{"__proto__": 1, "a": "x"}'),
  Object.defineProperty({}, '__proto__', { value: 1n, enumerable: true }),
  Object.defineProperty({ a: 1n }, 'hidden', { value: 1n }),
  { toJSON: 1, a: 1n },
  { a: 'x', toJSON: () => ({ a: 1n }) },
  { toJSON: () => new Date(0) },
  { toJSON: () => new Map([['a', 1n]]) },
  new Map<unknown, unknown>([
    [2, 'b'],
    ['1', 1n],
    ['a', undefined],
  ]),
  new Map<string, unknown>([['toJSON', () => 1]]),
  new Map<string, unknown>([['toJSON', 1n]]),
  new Set([1n, undefined, 'a', new Set([1n])]),
  Buffer.from('bytes'),
  Object.assign(Buffer.from('bytes'), { toJSON: () => 'buffer' }),
  new Int8Array([1]),
  cyclic,
  Object.assign([1, 2], { toJSON: () => 'list' }),
  Object.assign(new Map(), { toJSON: () => 'map' }),
  new URL('https://example.org/ü?a="b"'),
  Object.assign(new URL('https://example.org/'), { toJSON: () => 1n }),
  new Proxy({ a: 'x', b: 1n }, {}),
  new Proxy([1n], {}),
  {
    get a(): Map<string, bigint> {
      return new Map([['got', 1n]])
    },
  },
  {
    get a(): string {
      throw new RangeError('no')
    },
  },
]

t.test('every odd value is written as by a replacer, alone, in an object and in a list', async (t) => {
  for (const [index, value] of odd.entries()) {
    const found = [value, { a: value, b: value }, [value], { a: [{ b: value }], c: 1n }].map(isSame)
    t.strictSame(found, [true, true, true, true], `odd value ${index}`)
  }
})

t.test('so is every value of random parts, and what is written does not change', async () => {
  const { value } = fc.letrec<{ value: unknown; inner: unknown }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, fc.anything({ withBigInt: true }), tie('inner')),
    inner: fc.oneof(
      fc.constantFrom(...odd),
      fc.date(),
      fc.uint8Array(),
      fc.array(tie('value')),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', '1')), tie('value')),
      fc.array(fc.tuple(fc.string(), tie('value'))).map((entries) => new Map(entries)),
      fc.array(tie('value')).map((items) => new Set(items)),
      tie('value').map((part) => Object.assign(new Row(), { part })),
      tie('value').map((part) => ({ a: 'x', toJSON: () => part })),
    ),
  }))
  fc.assert(fc.property(value, isSame), { numRuns: 2000 })
})

t.test('a bigint that an application gave a form of its own keeps it', async (t) => {
  Object.defineProperty(BigInt.prototype, 'toJSON', { value: () => 'own', configurable: true })
  t.teardown(() => Reflect.deleteProperty(BigInt.prototype, 'toJSON'))
  t.strictSame([toJsonText(1n), toJsonText({ a: [1n] })], ['"own"', '{"a":["own"]}'])
})

t.test('a cycle is the error of JSON.stringify', async (t) => {
  t.throws(() => toJsonText(cyclic), TypeError)
})
