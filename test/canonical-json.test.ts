/** Canonical JSON against the examples and the table of RFC 8785, and against a writer of another make. */
import fc from 'fast-check'
import t from 'tap'
import { writeCanonicalJson, canonicalJson as written } from '../runtime/canonical-json.ts'
import { canonicalJson } from './support/canonical-json.ts'

t.test('RFC 8785, 3.2.2: primitive values', async (t) => {
  const value = JSON.parse(String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`)
  t.equal(
    written(value),
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  )
})

t.test('RFC 8785, 3.2.3: names in the order of their UTF-16 units, at every depth', async (t) => {
  const value = JSON.parse(String.raw`{
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis"
  }`)
  t.strictSame(Object.values(JSON.parse(`[${written(value).replace(/[{}]/g, '').replace(/":"/g, '","')}]`)), [
    ...['\r', 'Carriage Return', '1', 'One', '\u0080', 'Control'],
    ...['ö', 'Latin Small Letter O With Diaeresis', '€', 'Euro Sign'],
    ...['😀', 'Emoji: Grinning Face', '\ufb33', 'Hebrew Letter Dalet With Dagesh'],
  ])
  t.equal(written([{ b: [{ '10': 1, '9': 2 }], a: {} }, []]), '[{"a":{},"b":[{"10":1,"9":2}]},[]]')
})

/** Bits of IEEE 754 and what is written for them. */
const numbers = `
0000000000000000 0
8000000000000000 0
0000000000000001 5e-324
8000000000000001 -5e-324
7fefffffffffffff 1.7976931348623157e+308
ffefffffffffffff -1.7976931348623157e+308
4340000000000000 9007199254740992
c340000000000000 -9007199254740992
4430000000000000 295147905179352830000
44b52d02c7e14af5 9.999999999999997e+22
44b52d02c7e14af6 1e+23
44b52d02c7e14af7 1.0000000000000001e+23
444b1ae4d6e2ef4e 999999999999999700000
444b1ae4d6e2ef4f 999999999999999900000
444b1ae4d6e2ef50 1e+21
3eb0c6f7a0b5ed8c 9.999999999999997e-7
3eb0c6f7a0b5ed8d 0.000001
41b3de4355555553 333333333.3333332
41b3de4355555554 333333333.33333325
41b3de4355555555 333333333.3333333
41b3de4355555556 333333333.3333334
41b3de4355555557 333333333.33333343
becbf647612f3696 -0.0000033333333333333333
43143ff3c1cb0959 1424953923781206.2
`

t.test('RFC 8785, Appendix B: numbers', async (t) => {
  for (const row of numbers.trim().split('\n')) {
    const [bits = '', text] = row.split(' ')
    t.equal(written(Buffer.from(bits, 'hex').readDoubleBE()), text, bits)
  }
})

t.test('whatever JSON can hold is written as another writer writes it, in parts', async (t) => {
  const property = fc.property(
    fc.json(),
    (json) => written(JSON.parse(json)) === canonicalJson(JSON.parse(json)),
  )
  fc.assert(property, { numRuns: 500, seed: 8785 })
  const long = { b: Array.from({ length: 9000 }, (_, place) => `item ${place}`), a: 1 }
  const parts: string[] = []
  writeCanonicalJson(long, (text) => parts.push(text))
  t.ok(parts.length > 5)
  t.equal(parts.join(''), canonicalJson(long))
})

t.test('half of a surrogate pair, which RFC 8785 refuses, is the escape that JSON has for it', async (t) => {
  t.equal(written(JSON.parse(String.raw`{"\udead": "a\ud83d"}`)), String.raw`{"\udead":"a\ud83d"}`)
})

t.test('what is known of an object stands wherever it does', async (t) => {
  const shared = { b: [1], a: {} }
  const texts = new WeakMap<object, string>([[shared, written(shared)]])
  const parts: string[] = []
  writeCanonicalJson({ z: shared, list: [shared, 1, shared] }, (text) => parts.push(text), texts)
  t.equal(parts.join(''), '{"list":[{"a":{},"b":[1]},1,{"a":{},"b":[1]}],"z":{"a":{},"b":[1]}}')
  writeCanonicalJson(shared, (text) => parts.splice(0, parts.length, text), texts)
  t.strictSame(parts, ['{"a":{},"b":[1]}'])
})
