/** How JSON of a type is read: tested in place where it stays what it is, else by a function. */
import type { NamedSchema, Schema } from '../model.ts'
import { type Fragment, literalText } from './fragment.ts'
import { restriction } from './restriction.ts'
import { hasRules, patternTest, rulesText } from './rules.ts'
import { quote } from './type-text.ts'
import { isNullable, membersOf } from './unions.ts'

/** How a value is read. `kept`: it stays what it is when `test` says so, else it misfits as `misfit` says. `made`: by the
 *  function named. */
export type Reading =
  | {
      readonly kind: 'kept'
      readonly test: (value: string) => string
      readonly misfit: string
      /** The type's whole text. */
      readonly whole: string
    }
  | { readonly kind: 'made'; readonly read: string }

/** The name of the runtime's decoder of a plain type, or null. */
export function scalarName(schema: Schema): string | null {
  switch (schema.kind) {
    case 'string':
      return schema.format === null ? 'string' : schema.format === 'uuid' ? 'uuid' : null
    case 'integer':
      return schema.format ?? 'integer'
    case 'bigint':
      return schema.int64 ? 'int64' : 'bigint'
    case 'number':
    case 'boolean':
    case 'date':
    case 'bytes':
    case 'unknown':
    case 'never':
      return schema.kind
    case 'null':
      return 'nullValue'
    case 'binary':
    case 'events':
      return 'unknown'
    default:
      return null
  }
}

/** A function of JSON. */
export function readFunction(fragment: Fragment, schema: Schema): string {
  const name = scalarName(schema)
  if (name !== null) return `${fragment.use(name)}.json`
  const reading = readingOf(fragment, schema)
  if (reading.kind === 'made') return reading.read
  return fragment.declare('decode', schema, () => {
    const test = reading.test('v')
    return `  return ${test} ? v : ${misfitText(fragment, reading.misfit)}\n`
  })
}

export const misfitText = (fragment: Fragment, text: string): string =>
  `${fragment.use('misfit')}(${quote(text)})`

/** How `schema` is read. */
export function readingOf(fragment: Fragment, schema: Schema): Reading {
  return keptOf(fragment, schema) ?? { kind: 'made', read: madeBy(fragment, schema) }
}

/** How a value is read that stays what it is; null = it does not. */
export function keptOf(fragment: Fragment, schema: Schema): Extract<Reading, { kind: 'kept' }> | null {
  const test = testOf(fragment, schema)
  if (test !== null) {
    const whole = restriction(fragment, schema)
    return { kind: 'kept', test, misfit: whole, whole }
  }
  switch (schema.kind) {
    case 'branded':
      return keptOf(fragment, schema.inner)
    case 'ref':
      return fragment.types.isCounted(schema.name)
        ? null
        : keptOf(fragment, fragment.named(schema.name).schema)
    case 'constrained':
      return keptConstrained(fragment, schema)
    case 'union':
      return keptUnion(fragment, schema)
    default:
      return null
  }
}

type Test = (value: string) => string

const formatTests = new Map([
  ['email', 'isEmail'],
  ['uri', 'isUri'],
  ['date-time', 'isDateTime'],
  ['uuid', 'isUuid'],
])

/** The test of a plain type. */
function testOf(fragment: Fragment, schema: Schema): Test | null {
  const called =
    (name: string): Test =>
    (value) =>
      `${fragment.use(name)}(${value})`
  switch (schema.kind) {
    case 'string':
      return called(formatTests.get(schema.format ?? '') ?? 'isText')
    case 'template':
      return (value) => `(${called('isText')(value)} && ${patternTest(fragment, schema.pattern, value)})`
    case 'number':
      return (value) => `Number.isFinite(${value})`
    case 'integer':
      return schema.format === 'int32' ? called('isInt32') : (value) => `Number.isSafeInteger(${value})`
    case 'boolean':
      return (value) => `typeof ${value} === 'boolean'`
    case 'null':
      return (value) => `${value} === null`
    case 'literal':
      return (value) => `${value} === ${literalText(schema.value)}`
    case 'enum':
      return (value) => oneOf(fragment, schema.values, value)
    case 'unknown':
    case 'binary':
    case 'events':
      return called('isTame')
    case 'never':
      return () => 'false'
    default:
      return null
  }
}

const fewValues = 6

function oneOf(fragment: Fragment, values: readonly (string | number)[], value: string): string {
  const texts = values.map(literalText)
  if (values.length > fewValues) return `${fragment.constant(`new Set([${texts.join(', ')}])`)}.has(${value})`
  return `(${texts.map((text) => `${value} === ${text}`).join(' || ')})`
}

/** A misfit of the rules is told with the whole type, so the type inside must be told so too. */
function keptConstrained(
  fragment: Fragment,
  schema: Extract<Schema, { kind: 'constrained' }>,
): ReturnType<typeof keptOf> {
  const inner = keptOf(fragment, schema.inner)
  if (inner === null || rulesText(fragment, schema, 'v') === null) return inner
  if (inner.misfit !== inner.whole) return null
  const test: Test = (value) => `(${inner.test(value)} && ${rulesText(fragment, schema, value)})`
  return { ...inner, test }
}

function keptUnion(
  fragment: Fragment,
  schema: Extract<Schema, { kind: 'union' }>,
): ReturnType<typeof keptOf> {
  const members = membersOf(schema)
  const kept = members.map((member) => keptOf(fragment, member))
  const all = kept.flatMap((one) => one ?? [])
  if (all.length < kept.length) return null
  const nulls: readonly Test[] = isNullable(schema) ? [(value) => `${value} === null`] : []
  const tests = [...nulls, ...all.map(({ test }) => test)]
  const misfit = all.length === 1 && all[0] !== undefined ? all[0].misfit : definite(fragment, schema)
  return {
    kind: 'kept',
    misfit,
    whole: nulls.length === 0 ? misfit : `${definite(fragment, schema)} | null`,
    test: (value) =>
      (tests.length === 1 ? '' : '(') +
      tests.map((test) => test(value)).join(' || ') +
      (tests.length === 1 ? '' : ')'),
  }
}

/** The text of a union without null: who holds a value that misfits is told what else it could have been. */
export const definite = (fragment: Fragment, schema: Extract<Schema, { kind: 'union' }>): string =>
  restriction(fragment, { ...schema, members: membersOf(schema) })

/** The function of JSON of a type whose values do not stay what they are. */
export function madeBy(fragment: Fragment, schema: Schema): string {
  const list = plainListName(schema)
  if (list !== null) return fragment.ask('decode', list)
  switch (schema.kind) {
    case 'date':
    case 'bytes':
    case 'bigint':
      return `${fragment.use(scalarName(schema) ?? '')}.json`
    case 'file':
      return `${fragment.constant(`${fragment.use('file')}()`)}.json`
    case 'branded':
      return readFunction(fragment, schema.inner)
    case 'constrained':
      if (!hasRules(schema)) return readFunction(fragment, schema.inner)
      return fragment.declare('decode', schema)
    case 'ref':
      return refFunction(fragment, schema.name)
    case 'verbatim':
      return `${fragment.constant(verbatimText(fragment, schema.json))}.json`
    default:
      return fragment.declare('decode', schema)
  }
}

const plainItems = (
  [
    { kind: 'string', format: null, pattern: null },
    { kind: 'number' },
    { kind: 'boolean' },
    { kind: 'integer', format: null },
    { kind: 'integer', format: 'int32' },
    { kind: 'date' },
  ] as const
).map((items): readonly [name: string, items: Schema] => [`[${scalarName(items)}]`, items])

/** Lists that many types have, each as a type of its own, by a name that no type of an application can have. */
export const plainLists: readonly NamedSchema[] = plainItems.map(([name, items]) => ({
  name,
  schema: { kind: 'array', items, unique: false },
  doc: { summary: '', description: '', deprecated: false, examples: [] },
  at: { file: '', line: 0, column: 0 },
}))

/** The name of such a list, or null. */
export function plainListName(schema: Schema): string | null {
  if (schema.kind !== 'array' || schema.unique) return null
  const name = scalarName(schema.items)
  return name !== null && plainItems.some(([known]) => known === `[${name}]`) ? `[${name}]` : null
}

/** A decoder by a JSON Schema of the application. */
export const verbatimText = (fragment: Fragment, json: object): string =>
  `${fragment.use('schema')}(JSON.parse(${quote(JSON.stringify(json))}))` // in a literal __proto__ would be no property

function refFunction(fragment: Fragment, name: string): string {
  const { schema } = fragment.named(name)
  if (schema.kind === 'verbatim') return `${schemaConstant(name)}.json`
  const isPlain = scalarName(schema) !== null && !fragment.types.isCounted(name)
  return isPlain ? readFunction(fragment, schema) : fragment.ask('decode', name)
}

/** The decoder of a file of the application. */
export const schemaConstant = (name: string): string => `schema_${name}`

/** An expression that `!` may stand before. */
export const group = (text: string): string => (/^\w+\([^()]*\)$|^\(.*\)$/.test(text) ? text : `(${text})`)
