/** Random pairs of JSON Schemas, most of them one schema and what a change or two made of it. */
import fc from 'fast-check'

export type Schema = Readonly<Record<string, unknown>>

export interface SchemaPair {
  readonly before: Schema
  readonly after: Schema
}

/** `judged`: what the judge understands, in unions whose members have different types. `all`: any keyword, and any union. */
export type Vocabulary = 'judged' | 'all'

const names = ['a', 'b', 'c'] as const
const plainTypes = ['string', 'number', 'integer', 'boolean', 'null'] as const

const span = (least: string, most: string): fc.Arbitrary<Schema> =>
  fc.tuple(fc.option(fc.nat(3), { freq: 1 }), fc.option(fc.nat(3), { freq: 1 })).map(([low, more]) => ({
    ...(low === null ? {} : { [least]: low }),
    ...(more === null ? {} : { [most]: (low ?? 0) + more + 1 }),
  }))

const joined = (...parts: readonly fc.Arbitrary<Schema>[]): fc.Arbitrary<Schema> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all))

const sometimes = (part: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: part })

const valued: fc.Arbitrary<Schema> = fc.oneof(
  fc.subarray(['x', 'y', 'z', 1, 2, true, null], { minLength: 1 }).map((values) => ({ enum: values })),
  fc.constantFrom('x', 1, null, false).map((value) => ({ const: value })),
  fc.constantFrom({ type: 'string', pattern: '^x' }, { type: 'string', format: 'date' }),
  fc.constantFrom({ type: 'number', multipleOf: 2 }, { type: 'integer', multipleOf: 4 }),
)

function schemas(vocabulary: Vocabulary): fc.Arbitrary<Schema> {
  const { any } = fc.letrec<{ any: Schema; object: Schema; list: Schema }>((tie) => {
    const strings = joined(fc.constant({ type: 'string' }), sometimes(span('minLength', 'maxLength')))
    const numbers = joined(
      fc.constantFrom({ type: 'number' }, { type: 'integer' }),
      sometimes(span('minimum', 'maximum')),
    )
    const types = fc
      .subarray([...plainTypes, 'object', 'array'], { minLength: 1, maxLength: 3 })
      .map((type): Schema => ({ type }))
    const union = fc
      .tuple(fc.subarray([strings, numbers, tie('object'), tie('list')], { minLength: 2 }), fc.boolean())
      .chain(([members, isOne]) =>
        fc.tuple(...members).map((all): Schema => ({ [isOne ? 'oneOf' : 'anyOf']: all })),
      )
    const alike = fc.tuple(tie('any'), tie('any')).map((all): Schema => ({ anyOf: all }))
    const both = fc.tuple(tie('object'), tie('object')).map((all): Schema => ({ allOf: all }))
    return {
      any: fc.oneof(
        { maxDepth: 3 },
        strings,
        numbers,
        types,
        tie('object'),
        tie('list'),
        union,
        both,
        fc.constantFrom(...names).map((name): Schema => ({ $ref: `#/definitions/${name}` })),
        ...(vocabulary === 'all' ? [valued, alike] : []),
      ),
      object: joined(
        fc.constant({ type: 'object' }),
        fc
          .subarray([...names])
          .chain((own) =>
            fc
              .tuple(...own.map(() => tie('any')))
              .map(
                (all): Schema => ({ properties: Object.fromEntries(own.map((name, at) => [name, all[at]])) }),
              ),
          ),
        sometimes(fc.subarray([...names], { minLength: 1 }).map((required) => ({ required }))),
        sometimes(
          fc.oneof(fc.boolean(), tie('any')).map((further): Schema => ({ additionalProperties: further })),
        ),
      ),
      list: joined(
        fc.constant({ type: 'array' }),
        sometimes(tie('any').map((items): Schema => ({ items }))),
        sometimes(span('minItems', 'maxItems')),
        ...(vocabulary === 'all' ? [sometimes(fc.constant({ uniqueItems: true }))] : []),
      ),
    }
  })
  return any
}

const fixed = new Set(['enum', 'type', '$ref', 'const', 'format', 'pattern', 'definitions'])

/** One part of a schema at a random place is another, or gone. */
function changed(schema: unknown, random: () => number, other: unknown): unknown {
  const parts: (readonly [owner: object, key: string])[] = []
  const whole: unknown = structuredClone(schema)
  walk(whole)
  if (parts.length === 0) return other
  const [owner, key] = parts[Math.floor(random() * parts.length)] ?? [{}, '']
  const value: unknown = Reflect.get(owner, key)
  const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (typeof value === 'number') Reflect.set(owner, key, Math.max(0, value + (random() < 0.5 ? 1 : -1)))
  else if (typeof value === 'boolean') Reflect.set(owner, key, !value)
  else if (key === 'required' && Array.isArray(value)) Reflect.set(owner, key, value.slice(1))
  else if (isSchema && key !== 'properties' && random() < 0.5) Reflect.set(owner, key, other)
  else if (!/^\d/.test(key) && key !== 'type') Reflect.deleteProperty(owner, key)
  return whole

  function walk(node: unknown): void {
    if (typeof node !== 'object' || node === null) return
    for (const [key, value] of Object.entries(node)) {
      if (!fixed.has(key)) parts.push([node, key])
      if (key !== 'required') walk(value)
    }
  }
}

/** The same numbers between 0 and 1 for the same seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** The same for the same seed. The schemas refer to definitions of their own. */
export function schemaPairs(count: number, seed: number, vocabulary: Vocabulary): readonly SchemaPair[] {
  const any = schemas(vocabulary)
  const leaf = any.filter((schema) => !JSON.stringify(schema).includes('$ref'))
  const drawn = fc.tuple(any, any, fc.array(leaf, { minLength: 6, maxLength: 6 }), fc.nat())
  return fc.sample(drawn, { numRuns: count, seed }).map(([one, other, named, number], index) => {
    const next = numbersFrom(number)
    const [a, b, c, ...later] = named
    const definitions = { a, b, c }
    const isUnlike = index % 6 === 0
    const times = 1 + (index % 3)
    let after: unknown = { ...structuredClone(one), definitions: structuredClone(definitions) }
    for (let time = 0; time < times; time += 1) after = changed(after, next, later[time] ?? {})
    const whole = { definitions, ...(isUnlike ? other : (after as Schema)) }
    return { before: tidy({ ...one, definitions }), after: tidy(withDefinitions(whole, definitions)) }
  })
}

/** Without definitions that nothing refers to. */
function tidy({ definitions, ...schema }: Schema): Schema {
  return JSON.stringify(schema).includes('$ref') ? { ...schema, definitions } : schema
}

function withDefinitions(schema: Schema, known: Schema): Schema {
  const { definitions } = schema
  const own = typeof definitions === 'object' ? definitions : {}
  return { ...schema, definitions: { ...known, ...own } }
}
