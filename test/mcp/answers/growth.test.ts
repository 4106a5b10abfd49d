/** What answers cost: in proportion to their bytes, whatever their types and however deep they are, also where they are cut. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import t from 'tap'
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import { growth } from '../../support/report/growth.ts'
import { call, catalogue, json, serve } from '../support/support.ts'

const [provided] = catalogue.tools.filter(({ name }) => name === 'files_answer')

/** Calls the tool that has this output schema and answers what it is given. */
function answering(outputSchema: JsonSchema | null, answerChars: number, more: object = {}) {
  const inputSchema = { type: 'object', properties: {}, additionalProperties: false }
  if (provided === undefined) throw new Error('no such tool')
  const tools = [{ ...provided, outputSchema, inputSchema, arguments: [], ...more }]
  let value: unknown = null
  const app = serve({
    catalogue: { ...catalogue, tools },
    invoke: async () => json(200, value),
    answerChars,
  })
  return (answer: unknown) => {
    value = answer
    return call(app, 'modern', 'files_answer')
  }
}

const text = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})
const letters = (length: number): string => 'abcdefgh '.repeat(Math.ceil(length / 9)).slice(0, length)

/** And and Not of expressions, whose tag stands last. */
const expression = (union: 'anyOf' | 'oneOf', tag: (name: string) => object): JsonSchema => {
  const parts = { left: ref('Expr'), right: ref('Expr'), note: text }
  return {
    ...ref('Expr'),
    $defs: {
      And: object({ ...parts, op: tag('and') }, ['op']),
      Not: object({ ...parts, op: tag('not') }, ['op']),
      Expr: { [union]: [ref('And'), ref('Not')] },
    },
  }
}

/** Types that hold themselves. Each is made to hold values of `nested`. */
const recursive: ReadonlyMap<string, JsonSchema> = new Map([
  ['a union with its tag last', expression('oneOf', (name) => ({ type: 'string', const: name }))],
  ['a union without a tag', expression('anyOf', () => text)],
  [
    'types that hold each other',
    {
      ...ref('A'),
      $defs: {
        A: object({
          left: { anyOf: [ref('B'), ref('C')] },
          right: { anyOf: [ref('C'), ref('B')] },
          note: text,
        }),
        B: object({
          left: { anyOf: [ref('C'), ref('A')] },
          right: { anyOf: [ref('A'), ref('C')] },
          op: text,
        }),
        C: object({
          left: { anyOf: [ref('A'), ref('B')] },
          right: { anyOf: [ref('B'), ref('A')] },
          note: text,
        }),
      },
    },
  ],
])

/** Everything but a text inside of it fits, and stays. */
const nested = (depth: number): object =>
  depth === 0 ? { note: letters(4000), op: 'not' } : { left: nested(depth - 1), op: 'not' }

t.setTimeout(240_000) // a busy machine

t.test('the cost of a cut answer grows with its depth as its bytes do', async (t) => {
  for (const [name, schema] of recursive) {
    const run = answering(schema, 2000)
    t.match(
      (await run(nested(30))).content[1].text,
      /^\d+ of 4000 characters of '(left\.){30}note' are shown\./,
    )
    await growth(t, {
      name: `cut at 2,000 characters, ${name}: levels`,
      sizes: [8, 16, 30],
      input: nested,
      work: run,
      control: (value) => JSON.parse(JSON.stringify(value)),
      maxMs: 50,
    })
  }
})

t.test('the cost of a cut answer grows as its bytes do, 32 levels deep and at random shapes', async (t) => {
  const deep = (bytes: number): object => {
    let value: object = { rows: [] }
    for (let level = 0; level < 32; level += 1) value = { rows: [value, { text: letters(bytes / 32) }] }
    return value
  }
  const wide = (bytes: number): object => {
    const rows = Array.from({ length: bytes / 64 }, (_, id) => ({ id, note: letters(40) }))
    return { rows, total: rows.length }
  }
  const members = (bytes: number): object =>
    Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`part${at}`, wide(bytes / 8)]))
  const map = (bytes: number): object =>
    Object.fromEntries(Array.from({ length: bytes / 64 }, (_, at) => [`k${at}`, { a: letters(40), b: [at] }]))
  const sizes = [262_144, 524_288, 1_048_576]
  const control = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
  const curves = [
    ['lists in lists', deep, 2_000],
    ['lists in lists', deep, 100_000],
    ['one list', wide, 100_000],
    ['eight lists', members, 2_000],
    ['a map', map, 100_000],
  ] as const
  for (const [shape, input, chars] of curves) {
    const name = `cut at ${chars} characters, ${shape}: bytes`
    await growth(t, { name, sizes, input, work: answering(null, chars), control })
  }
})

t.test('the cost of an answer in brief grows as its bytes do', async (t) => {
  const names = Array.from({ length: 30 }, (_, at) => `name${at}`)
  const brief = { names: names.slice(0, 15), more: names.slice(15), items: 'rows' }
  await growth(t, {
    name: 'a page in brief: items',
    sizes: [1_000, 2_000, 4_000],
    input: (length) => {
      const row = Object.fromEntries(names.map((name) => [name, letters(20)]))
      return { rows: Array.from({ length }, () => row) }
    },
    work: answering(null, 10_000_000, { brief }),
    control: (value) => JSON.parse(JSON.stringify(value)),
  })
})

t.test('a list whose items differ is not compared item by item when it is cut', async (t) => {
  const items = { type: 'array', uniqueItems: true, items: object({ id: { type: 'integer' }, note: text }) }
  const run = answering(object({ items, note: text }), 100_000)
  await growth(t, {
    name: 'cut of a list of unique objects: items',
    sizes: [1_000, 2_000, 4_000],
    input: (length) => ({ items: Array.from({ length }, (_, id) => ({ id })), note: letters(200_000) }),
    work: run,
    control: (value) => JSON.parse(JSON.stringify(value)),
  })
})

/** A schema, and values that have it. */
interface Typed {
  readonly schema: JsonSchema
  readonly value: fc.Arbitrary<unknown>
}

const named = fc.constantFrom('a', 'b', 'c', 'note')

const typed: fc.Arbitrary<Typed> = fc.letrec<{ any: Typed }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Typed>(
      { schema: text, value: fc.string({ maxLength: 60 }) },
      { schema: { ...text, minLength: 20 }, value: fc.string({ minLength: 20, maxLength: 60 }) },
      { schema: { ...text, pattern: '^a*b$' }, value: fc.nat(50).map((length) => `${'a'.repeat(length)}b`) },
      { schema: { type: 'integer' }, value: fc.integer() },
      { schema: {}, value: fc.array(fc.string({ maxLength: 20 }), { maxLength: 10 }) },
    ),
    fc
      .record({ of: tie('any'), least: fc.constantFrom(0, 0, 3), most: fc.constantFrom(12, 12, 2) })
      .map(({ of: { schema, value }, least, most }) => ({
        schema: {
          type: 'array',
          items: schema,
          ...(least === 0 ? {} : { minItems: least }),
          ...(most === 2 && least === 0 ? { maxItems: 2 } : {}),
        },
        value: fc.array(value, { minLength: least, maxLength: most === 2 && least > 0 ? 12 : most }),
      })),
    fc.tuple(tie('any'), tie('any')).map(([item, other]) => ({
      schema: { type: 'array', prefixItems: [item.schema], items: other.schema, minItems: 1 },
      value: fc
        .tuple(item.value, fc.array(other.value, { maxLength: 8 }))
        .map(([first, more]) => [first, ...more]),
    })),
    fc
      .uniqueArray(fc.record({ name: named, of: tie('any'), isRequired: fc.boolean() }), {
        selector: ({ name }) => name,
        maxLength: 4,
      })
      .map((members) => {
        const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name)
        const properties = Object.fromEntries(members.map(({ name, of }) => [name, of.schema]))
        const values = Object.fromEntries(members.map(({ name, of }) => [name, of.value]))
        const requiredKeys = required as never[] // fast-check wants them as keys of a type that is not known
        return {
          schema: { type: 'object', properties, required },
          value: fc.record(values, { requiredKeys }),
        }
      }),
    tie('any').map(({ schema, value }) => ({
      schema: { type: 'object', additionalProperties: schema },
      value: fc.dictionary(fc.string({ maxLength: 5 }), value, { maxKeys: 14 }),
    })),
    fc.tuple(fc.constantFrom('anyOf', 'oneOf'), tie('any'), tie('any')).map(([union, item, other]) => {
      const tagged = (name: string, { schema }: Typed) =>
        object({ of: schema, kind: { const: name } }, ['of', 'kind'])
      const wrap = ({ value }: Typed, kind: string) => fc.record({ of: value, kind: fc.constant(kind) })
      return union === 'oneOf'
        ? {
            schema: { oneOf: [tagged('one', item), tagged('other', other)] },
            value: fc.oneof(wrap(item, 'one'), wrap(other, 'other')),
          }
        : { schema: { anyOf: [item.schema, other.schema] }, value: fc.oneof(item.value, other.value) }
    }),
  ),
})).any

t.test('structured content that was cut has its declared type, whatever that is', async (t) => {
  const ajv = new Ajv2020({ strict: false })
  const pair = typed.chain(({ schema, value }) => value.map((item) => ({ schema, value: item })))
  const counts = { structured: 0, dropped: 0 }
  await fc.assert(
    fc.asyncProperty(pair, fc.integer({ min: 10, max: 200 }), async ({ schema, value }, chars) => {
      const whole = JSON.parse(JSON.stringify(value))
      const isValid = ajv.compile(schema)
      if (!isValid(whole) || JSON.stringify(whole).length <= chars) return
      const { structuredContent } = await answering(schema, chars)(whole)
      if (structuredContent === undefined) counts.dropped += 1
      else {
        counts.structured += 1
        if (!isValid(structuredContent)) throw new Error(JSON.stringify({ schema, structuredContent }))
      }
    }),
    { numRuns: 300 },
  )
  t.ok(counts.structured > 5 && counts.dropped > 5, JSON.stringify(counts))
})
