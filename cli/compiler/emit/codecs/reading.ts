/** How JSON of a type is read: tested in place where it stays what it is, else by a function. */
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import type { OpenKind, ScalarKind, StreamKind, StructureKind, WrapperKind } from '../../ir/schema-walk.ts'
import { literalText, quote } from '../javascript.ts'
import { restriction } from './expected-type.ts'
import type { Fragment } from './module-section.ts'
import { hasRules, patternTest, rulesText } from './rules.ts'
import { isNullable, membersOf, type Union } from './unions.ts'

/** A value that stays what it is when `test` says so, else it misfits as `misfit` says. */
export interface Kept {
  /** An expression that `&&`, `||` and `?` may stand beside. */
  readonly test: string
  readonly misfit: string
  /** The type's whole text. */
  readonly whole: string
}

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
      schema.kind satisfies ScalarKind | StructureKind | WrapperKind | 'union' | 'ref' | 'file' | 'verbatim'
      return null
  }
}

/** A function of JSON. */
export function readFunction(fragment: Fragment, schema: Schema): string {
  const name = scalarName(schema)
  if (name !== null) return `${fragment.use(name)}.json`
  const kept = keptOf(fragment, schema, 'v')
  if (kept === null) return madeBy(fragment, schema)
  return fragment.declare(schema, () => `return ${kept.test}?v:${misfitText(fragment, kept.misfit)}`)
}

export function misfitText(fragment: Fragment, text: string, hint = ''): string {
  if (hint !== '') return `${fragment.use('misfit')}(${quote(text)},${quote(hint)})`
  return text === 'object' ? fragment.use('noObject') : `${fragment.use('misfit')}(${quote(text)})`
}

/** How `value`, an expression, is read that stays what it is; null = it does not. */
export function keptOf(fragment: Fragment, schema: Schema, value: string): Kept | null {
  switch (schema.kind) {
    case 'branded':
      return keptOf(fragment, schema.inner, value)
    case 'ref':
      return fragment.types.isCounted(schema.name)
        ? null
        : keptOf(fragment, fragment.named(schema.name).schema, value)
    case 'constrained':
      return keptConstrained(fragment, schema, value)
    case 'union':
      return keptUnion(fragment, schema, value)
    default: {
      const test = testOf(fragment, schema, value)
      if (test === null) return null
      const whole = restriction(fragment, schema)
      return { test, misfit: whole, whole }
    }
  }
}

const formatTests = new Map([
  ['email', 'isEmail'],
  ['uri', 'isUri'],
  ['date-time', 'isDateTime'],
  ['uuid', 'isUuid'],
])

/** The test of a plain type. */
function testOf(fragment: Fragment, schema: Schema, value: string): string | null {
  switch (schema.kind) {
    case 'string':
      return `${fragment.use(formatTests.get(schema.format ?? '') ?? 'isText')}(${value})`
    case 'template':
      return `(${fragment.use('isText')}(${value})&&${patternTest(fragment, schema.pattern, value)})`
    case 'number':
      return `Number.isFinite(${value})`
    case 'integer':
      return schema.format === 'int32'
        ? `${fragment.use('isInt32')}(${value})`
        : `Number.isSafeInteger(${value})`
    case 'boolean':
      return `typeof ${value}==='boolean'`
    case 'null':
      return `${value}===null`
    case 'literal':
      return `${value}===${literalText(schema.value)}`
    case 'enum':
      return oneOf(fragment, schema.values, value)
    case 'unknown':
    case 'binary':
    case 'events':
      return `${fragment.use('isTame')}(${value})`
    case 'never':
      return 'false'
    default:
      schema.kind satisfies ScalarKind | StructureKind | WrapperKind | 'union' | 'ref' | 'file' | 'verbatim'
      return null
  }
}

const fewValues = 6

function oneOf(fragment: Fragment, values: readonly (string | number)[], value: string): string {
  const texts = values.map(literalText)
  if (values.length > fewValues) return `${fragment.constant(`new Set([${texts.join(',')}])`)}.has(${value})`
  return `(${value}===${texts.join(`||${value}===`)})`
}

/** A misfit of the rules is told with the whole type, so the type inside must be told so too. */
function keptConstrained(
  fragment: Fragment,
  schema: Extract<Schema, { kind: 'constrained' }>,
  value: string,
): Kept | null {
  const inner = keptOf(fragment, schema.inner, value)
  const rules = inner === null ? null : rulesText(fragment, schema, value)
  if (inner === null || rules === null) return inner
  return inner.misfit === inner.whole ? { ...inner, test: `(${inner.test}&&${rules})` } : null
}

function keptUnion(fragment: Fragment, schema: Union, value: string): Kept | null {
  const all: Kept[] = []
  for (const member of membersOf(schema)) {
    const kept = keptOf(fragment, member, value)
    if (kept === null) return null
    all.push(kept)
  }
  const [first] = all
  const misfit = first !== undefined && all.length === 1 ? first.misfit : definite(fragment, schema)
  const isOpen = isNullable(schema)
  const tests = [...(isOpen ? [`${value}===null`] : []), ...all.map(({ test }) => test)]
  return {
    misfit,
    whole: isOpen ? `${definite(fragment, schema)} | null` : misfit,
    test: tests.length === 1 ? tests.join('') : `(${tests.join('||')})`,
  }
}

/** The text of a union without null: who holds a value that misfits is told what else it could have been. */
export const definite = (fragment: Fragment, schema: Union): string =>
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
      return fragment.declare(schema)
    case 'ref':
      return refFunction(fragment, schema.name)
    case 'verbatim':
      return `${fragment.constant(verbatimText(fragment, schema.json))}.json`
    default:
      schema.kind satisfies ScalarKind | StructureKind | OpenKind | StreamKind | 'converted' | 'union'
      return fragment.declare(schema)
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

const plainListNames = new Map(
  plainItems.map(([name, items]): readonly [string | null, string] => [scalarName(items), name]),
)

/** The name of such a list, or null. */
export const plainListName = (schema: Schema): string | null =>
  schema.kind === 'array' && !schema.unique ? (plainListNames.get(scalarName(schema.items)) ?? null) : null

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

/** That `test` of `Kept` fails: calls and groups end in a bracket, comparisons do not. */
export const refusedBy = (test: string): string =>
  test.endsWith(')') || test === 'false' ? `!${test}` : test.replace('===', '!==')
