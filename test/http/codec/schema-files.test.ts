/** What a schema file takes (`@schema`): judged as another implementation of JSON Schema 2020-12 judges it, on random schemas and
 *  documents, and at work that grows with the document alone. */
import t from 'tap'
import Other from 'typebox/schema'
import { schema } from '../../../runtime/http/codec/schema-codec.ts'
import { growth } from '../../support/report/growth.ts'
import { Chance, randomSchema, randomValue } from './random-schemas.ts'

t.setTimeout(240_000)

type Json = Readonly<Record<string, unknown>>

/** The place and the reason of a refusal; null = taken. */
function refusal(of: Json, value: unknown): string | null {
  try {
    schema(of).fromJson(value, '')
    return null
  } catch (error) {
    const { parameter, restriction, message } = error as Record<string, string> // what decoders throw
    return `${parameter}: ${restriction} ${message}`
  }
}

t.test('random schemas take and refuse what another implementation does', async (t) => {
  const chance = new Chance(25)
  const counts = { taken: 0, refused: 0 }
  const different: unknown[] = []
  for (let round = 0; round < 600; round++) {
    const of = randomSchema(chance)
    for (let values = 0; values < 6; values++) {
      const value = randomValue(chance, 3)
      const expected = Other.Check(of, value)
      counts[expected ? 'taken' : 'refused']++
      if ((refusal(of, value) === null) !== expected) different.push({ of, value, expected })
    }
  }
  t.strictSame(different.slice(0, 3), [])
  t.ok(Math.min(counts.taken, counts.refused) > 500, `both happen: ${JSON.stringify(counts)}`)
})

/** JSON Schema Core, 11; the other implementation differs there. */
const unevaluated: readonly (readonly [of: Json, taken: unknown, refused: unknown])[] = [
  [{ properties: { a: true }, unevaluatedProperties: false }, { a: 1 }, { b: 1 }],
  [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { a: 1 }, { a: 1, b: 1 }],
  [
    {
      anyOf: [
        { properties: { a: { const: 1 } }, required: ['a'] },
        { properties: { b: { const: 1 } }, required: ['b'] },
      ],
      unevaluatedProperties: false,
    },
    { a: 1, b: 1 },
    { a: 1, b: 2 },
  ],
  [{ not: { not: { properties: { a: true } } }, unevaluatedProperties: false }, {}, { a: 1 }],
  [
    {
      if: { required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
      then: { patternProperties: { '^[ab]$': true } },
      unevaluatedProperties: { type: 'null' },
    },
    { a: 1, b: 1, c: null },
    { b: 1 },
  ],
  [
    { dependentSchemas: { a: { additionalProperties: true } }, unevaluatedProperties: false },
    { a: 1, b: 1 },
    { b: 1 },
  ],
  [{ $ref: '#/$defs/a', unevaluatedItems: false, $defs: { a: { prefixItems: [true] } } }, [1], [1, 2]],
  [{ contains: { const: 1 }, unevaluatedItems: { const: 2 } }, [1, 2, 1], [1, 3]],
  [{ anyOf: [{ items: { type: 'integer' } }, true], unevaluatedItems: false }, [1, 2], ['a']],
]

t.test('what is unevaluated is told from what another schema of the same value took', async (t) => {
  for (const [of, taken, refused] of unevaluated) {
    t.equal(refusal(of, taken), null, JSON.stringify(of))
    t.not(refusal(of, refused), null, JSON.stringify(of))
  }
})

t.test(
  'the first misfit is told, by its place; of a union that of the member that came furthest',
  async (t) => {
    const of = {
      title: 'Order',
      type: 'object',
      required: ['lines'],
      properties: {
        lines: { type: 'array', items: { properties: { sku: { type: 'string', minLength: 2 } } } },
        pay: {
          anyOf: [
            {
              properties: { kind: { const: 'card' }, owner: { properties: { name: { type: 'string' } } } },
              required: ['kind'],
            },
            { properties: { kind: { const: 'bill' } }, required: ['kind'] },
          ],
        },
        more: { type: 'object', additionalProperties: false },
      },
    }
    t.strictSame(
      [
        {},
        { lines: [{ sku: 'ab' }, { sku: 'a' }, { sku: '' }] },
        { lines: [], pay: { kind: 'card', owner: { name: 1 } } },
        { lines: [], more: { what: 1 } },
      ].map((value) => refusal(of, value)),
      [
        ": Order invalid parameter value for '': must have the property lines, got object",
        "lines.1.sku: must have at least 2 characters invalid parameter value for 'lines.1.sku': must have at least 2 characters, got text",
        "pay.owner.name: must be string invalid parameter value for 'pay.owner.name': must be string, got 1",
        "more.what: is not known invalid parameter value for 'more.what': is not known, got 1",
      ],
    )
  },
)

/** A filter: not, and, or a comparison; its tag stands last, behind what holds filters. */
const filter: Json = {
  $ref: '#/$defs/filter',
  $defs: {
    filter: { anyOf: [{ $ref: '#/$defs/not' }, { $ref: '#/$defs/and' }, { $ref: '#/$defs/equal' }] },
    not: member({ of: { $ref: '#/$defs/filter' } }, 'not'),
    and: member(
      { left: { $ref: '#/$defs/filter' }, right: { $ref: '#/$defs/filter' }, of: { $ref: '#/$defs/filter' } },
      'and',
    ),
    equal: member({ of: { type: ['string', 'object'] } }, 'equal'),
  },
}

function member(properties: Json, tag: string): Json {
  return {
    type: 'object',
    properties: { ...properties, op: { const: tag } },
    required: ['op'],
    additionalProperties: false,
  }
}

const others: Readonly<Record<string, Json>> = {
  'oneOf without a tag': {
    oneOf: [
      { type: 'object', properties: { of: { $ref: '#' } }, required: ['of'] },
      { type: 'object', properties: { of: { $ref: '#' }, b: true }, required: ['b'] },
      { type: 'string' },
    ],
  },
  'mutually recursive': {
    $ref: '#/$defs/a',
    $defs: {
      a: {
        anyOf: [{ properties: { of: { $ref: '#/$defs/b' } } }, { properties: { of: { $ref: '#/$defs/a' } } }],
      },
      b: {
        allOf: [
          { properties: { of: { $ref: '#/$defs/a' } } },
          { anyOf: [{ properties: { of: { $ref: '#/$defs/b' } } }, { type: 'null' }] },
        ],
      },
    },
  },
  'not of not, if': {
    not: { not: { properties: { of: { $ref: '#' } } } },
    if: { properties: { of: { $ref: '#' } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { properties: { of: { $ref: '#' } } },
  },
  unevaluated: {
    $dynamicAnchor: 'node',
    anyOf: [
      { properties: { of: { $dynamicRef: '#node' } } },
      { properties: { of: { $ref: '#' } }, required: ['b'] },
    ],
    properties: { op: true },
    unevaluatedProperties: { type: 'string' },
  },
  'unique at every level': {
    anyOf: [
      { type: 'array', uniqueItems: true, items: { $ref: '#' } },
      { type: 'object', properties: { of: { $ref: '#' } } },
      true,
    ],
  },
}

/** As deep as asked, with the same filler at each level. */
const nested = (depth: number, levelOf: (inner: unknown, level: number) => unknown, last: unknown): unknown =>
  Array.from({ length: depth }).reduce<unknown>((inner, _none, level) => levelOf(inner, level), last)

const answered = (of: Json): ((text: string) => string | null) => {
  const decoder = schema(of)
  return (text) => {
    try {
      decoder.fromJson(JSON.parse(text), '')
      return null
    } catch (error) {
      return String(error)
    }
  }
}

const depths = [16, 32, 64]

t.test(
  'twice the depth of a recursive union takes twice the time, whether the document fits or not',
  async (t) => {
    const shapes = { fits: 'equal', fails: 'none' }
    for (const [name, of] of Object.entries({ 'a filter, its tag last': filter, ...others }))
      for (const [how, op] of Object.entries(shapes))
        await growth(t, {
          name: `@schema, ${name}, ${how}`,
          sizes: depths,
          input: (depth) =>
            JSON.stringify(nested(depth, (inner) => ({ of: inner, op: 'not' }), { of: 'x', op })),
          work: answered(of),
          control: (text) => JSON.parse(text),
          maxMs: 20,
        })
  },
)

const listOf = (bytes: number, item: (index: number) => unknown): string => {
  const first = 100_000 // all are of one length
  const { length } = JSON.stringify(item(first))
  const count = Math.floor(bytes / (length + 1))
  return JSON.stringify(Array.from({ length: count }, (_none, index) => item(first + index)))
}
const many = <Value>(count: number, of: (index: number) => readonly [string, Value]) =>
  Object.fromEntries(Array.from({ length: count }, (_none, index) => of(index)))

const lists: readonly (readonly [name: string, of: Json, item: (index: number) => unknown])[] = [
  [
    'a list of filters',
    { type: 'array', items: { $ref: '#/$defs/filter' }, $defs: filter.$defs },
    () => ({ of: { of: 'x', op: 'equal' }, op: 'not' }),
  ],
  ['unique objects', { uniqueItems: true }, (index) => ({ a: { b: index }, c: [index] })],
  ['unique lists', { items: { uniqueItems: true }, uniqueItems: true }, (index) => [index, [index]]],
  [
    'names',
    {
      items: {
        propertyNames: { pattern: '^a' },
        patternProperties: { '^a': { type: 'number' } },
        additionalProperties: false,
      },
    },
    (index) => ({ [`a${index}`]: index }),
  ],
  [
    'contains',
    { contains: { const: -1 }, minContains: 0, unevaluatedItems: { type: 'integer' } },
    (index) => index,
  ],
  [
    'objects among a thousand',
    { items: { enum: Array.from({ length: 1000 }, (_none, id) => ({ id })) } },
    () => ({ id: 999 }),
  ],
  ['few of 200 properties', { items: { properties: many(200, (at) => [`p${at}`, true]) } }, () => ({})],
  [
    'few of 200 dependencies',
    {
      items: {
        dependentSchemas: many(200, (at) => [`p${at}`, true]),
        dependentRequired: many(200, (at) => [`p${at}`, ['a']]),
      },
    },
    () => ({}),
  ],
  [
    '200 patterns of names',
    {
      items: { patternProperties: many(200, (at) => [`^p${at}$`, true]), additionalProperties: true },
    },
    (index) => ({ [`a${index}`]: 1 }),
  ],
  [
    'a union without a tag',
    { items: { anyOf: [...Array.from({ length: 7 }, (_none, at) => ({ required: [`k${at}`] })), true] } },
    () => ({}),
  ],
  [
    'a union of references',
    {
      items: { oneOf: Array.from({ length: 8 }, (_none, at) => ({ $ref: `#/$defs/d${at}` })) },
      $defs: many(8, (at) => [`d${at}`, { type: at === 7 ? 'array' : 'object' }]),
    },
    () => [],
  ],
  [
    'unevaluated properties',
    {
      items: {
        anyOf: [{ properties: { a: true } }, { properties: { b: true } }],
        unevaluatedProperties: false,
      },
    },
    () => ({ a: 1, b: 2 }),
  ],
  ['ranges', { items: { minimum: 0, maximum: 9, multipleOf: 0.5 } }, (index) => index % 10],
  ['hosts of the world', { items: { format: 'idn-hostname' } }, () => `${'الف.'.repeat(60)}x`],
  ['short hosts of the world', { items: { format: 'idn-hostname' } }, () => 'ü.b'],
  ['encoded hosts', { items: { format: 'hostname' } }, () => `${'xn--mgba3a4f16a.'.repeat(15)}x`],
  ['expressions', { items: { format: 'regex' } }, () => '\\p{L}'.repeat(100)],
]

t.test(
  'twice the bytes of a document of up to half a megabyte take twice the time, none a quarter of a second',
  async (t) => {
    for (const [name, of, item] of lists)
      await growth(t, {
        name: `@schema, ${name}: bytes`,
        sizes: [125_000, 250_000, 500_000],
        input: (bytes) => listOf(bytes, item),
        work: answered(of),
        control: (text) => JSON.parse(text),
        maxMs: 250,
      })
    const objects: Readonly<Record<string, Json>> = {
      'names of one object': {
        propertyNames: { pattern: '^a' },
        patternProperties: { '^a': { type: 'number' } },
        additionalProperties: false,
      },
      'unevaluated names of one object': {
        anyOf: [{ patternProperties: { '^a[0-4]': true } }, { patternProperties: { '^a': true } }],
        unevaluatedProperties: false,
      },
    }
    for (const [name, of] of Object.entries(objects))
      await growth(t, {
        name: `@schema, ${name}: bytes`,
        sizes: [125_000, 250_000, 500_000],
        input: (bytes) => JSON.stringify(many(bytes / 11, (at) => [`a${at}`, at % 10])),
        work: answered(of),
        control: (text) => JSON.parse(text),
        maxMs: 300,
      })
  },
)

t.test('a document that is too much for its schema is refused as such, whole', async (t) => {
  const all = Array.from({ length: 300 }, (_none, index) => ({
    properties: { [`p${index}`]: true },
    minProperties: 0,
  }))
  const objects = JSON.stringify(Array.from({ length: 150_000 }, (_none, index) => ({ i: index % 10 })))
  t.match(answered({ items: { allOf: all } })(objects), /too deep or too large for its schema/)
  const parts = Array.from({ length: 20 }, (_none, index) => [`d${index}`, { required: [`k${index}`] }])
  const members = [...parts.map(([name]) => ({ $ref: `#/$defs/${name}` })), true]
  const ofReferences = answered({ $defs: Object.fromEntries(parts), items: { anyOf: members } })
  const empty = (length: number): string => JSON.stringify(Array.from({ length }, () => ({})))
  t.match(ofReferences(empty(200_000)), /too deep or too large for its schema/, 'of many references too')
  t.equal(ofReferences(empty(20_000)), null)
  const deep = JSON.stringify(nested(250, (inner) => ({ of: inner, op: 'not' }), { op: 'equal' }))
  t.equal(answered(filter)(deep), null, '250 levels are taken')
  const text = JSON.stringify(nested(600, (inner) => [inner], 1))
  t.match(answered({})(text), /invalid parameter value/)
})

t.test('a value equals one of the allowed ones whatever the order of its names', async (t) => {
  const of = { enum: [{ a: [1, { b: null }], c: 'x' }, [], [[]], { a: {} }, null, 0, '0'] }
  const taken = [{ c: 'x', a: [1, { b: null }] }, [], [[]], { a: {} }, null, 0, -0, '0']
  const refused = [
    { a: [1, { b: null }] },
    { a: [1, { b: 0 }], c: 'x' },
    [[[]]],
    [0],
    { a: [] },
    {},
    false,
    '',
    1,
  ]
  for (const value of taken) t.equal(refusal(of, value), null, JSON.stringify(value))
  for (const value of refused) t.match(refusal(of, value), 'one of the allowed values', JSON.stringify(value))
})

t.test('no text makes the format of a text expensive', async (t) => {
  const hostile: readonly (readonly [format: string, text: (size: number) => string])[] = [
    ['email', (size) => `${'a.'.repeat(size)}!@`],
    ['idn-email', (size) => `"${'\\a'.repeat(size)}`],
    ['uri', (size) => `a://${'a:'.repeat(size)}@[`],
    ['uri', (size) => `a:${'%41/'.repeat(size)}\n`],
    ['uri-reference', (size) => `${'a/'.repeat(size)} `],
    ['uri-template', (size) => `{${'a.a,'.repeat(size)}`],
    ['iri', (size) => `${'a:'.repeat(size)}%`],
    ['hostname', (size) => `${'xn--a-.'.repeat(size)}`],
    ['idn-hostname', (size) => `${'ü.'.repeat(size)}`],
    ['idn-hostname', (size) => 'ü'.repeat(size)],
    ['ipv6', (size) => '1:'.repeat(size)],
    ['duration', (size) => `P${'1'.repeat(size)}`],
    ['date-time', (size) => `2026-11-23T00:00:00Z[${'a-'.repeat(size)}`],
    ['regex', (size) => '('.repeat(size)],
    ['json-pointer', (size) => `${'/~0'.repeat(size)}~`],
  ]
  for (const [format, text] of hostile)
    await growth(t, {
      name: `@schema, format ${format}`,
      sizes: [1000, 2000],
      input: (size) => JSON.stringify(text(size)),
      work: answered({ format }),
      control: (json) => JSON.parse(json),
      maxMs: 10,
    })
})
