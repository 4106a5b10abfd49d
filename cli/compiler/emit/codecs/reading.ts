/** How JSON of a type is read: tested in place where it stays what it is, else by a function. */
import type { NamedSchema, Schema } from '../../ir/schema.ts'
import type { OpenKind, ScalarKind, StreamKind, StructureKind, WrapperKind } from '../../ir/schema-walk.ts'
import { literalText, quote } from '../javascript.ts'
import { expectedType } from './expected-type.ts'
import type { ModuleSection } from './module-section.ts'
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
export function readFunction(section: ModuleSection, schema: Schema): string {
  const name = scalarName(schema)
  if (name !== null) return `${section.use(name)}.json`
  const kept = keptOf(section, schema, 'v')
  if (kept === null) return constructingDecoder(section, schema)
  return section.declare(schema, () => `return ${kept.test}?v:${misfitText(section, kept.misfit)}`)
}

export function misfitText(section: ModuleSection, text: string, hint = ''): string {
  if (hint !== '') return `${section.use('misfit')}(${quote(text)},${quote(hint)})`
  return text === 'object' ? section.use('noObject') : `${section.use('misfit')}(${quote(text)})`
}

/** How `value`, an expression, is read that stays what it is; null = it does not. */
export function keptOf(section: ModuleSection, schema: Schema, value: string): Kept | null {
  switch (schema.kind) {
    case 'branded':
      return keptOf(section, schema.inner, value)
    case 'ref':
      return section.types.isDepthCounted(schema.name)
        ? null
        : keptOf(section, section.named(schema.name).schema, value)
    case 'constrained':
      return keptConstrained(section, schema, value)
    case 'union':
      return keptUnion(section, schema, value)
    default: {
      const test = testOf(section, schema, value)
      if (test === null) return null
      const whole = expectedType(section, schema)
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
function testOf(section: ModuleSection, schema: Schema, value: string): string | null {
  switch (schema.kind) {
    case 'string':
      return `${section.use(formatTests.get(schema.format ?? '') ?? 'isText')}(${value})`
    case 'template':
      return `(${section.use('isText')}(${value})&&${patternTest(section, schema.pattern, value)})`
    case 'number':
      return `Number.isFinite(${value})`
    case 'integer':
      return schema.format === 'int32'
        ? `${section.use('isInt32')}(${value})`
        : `Number.isSafeInteger(${value})`
    case 'boolean':
      return `typeof ${value}==='boolean'`
    case 'null':
      return `${value}===null`
    case 'literal':
      return `${value}===${literalText(schema.value)}`
    case 'enum':
      return oneOf(section, schema.values, value)
    case 'unknown':
    case 'binary':
    case 'events':
      return `${section.use('isTame')}(${value})`
    case 'never':
      return 'false'
    default:
      schema.kind satisfies
        | 'date'
        | 'bytes'
        | 'bigint'
        | StructureKind
        | WrapperKind
        | 'union'
        | 'ref'
        | 'file'
        | 'verbatim'
      return null
  }
}

const fewValues = 6

function oneOf(section: ModuleSection, values: readonly (string | number)[], value: string): string {
  const texts = values.map(literalText)
  if (values.length > fewValues) return `${section.constant(`new Set([${texts.join(',')}])`)}.has(${value})`
  return `(${value}===${texts.join(`||${value}===`)})`
}

/** A misfit of the rules is told with the whole type, so the type inside must be told so too. */
function keptConstrained(
  section: ModuleSection,
  schema: Extract<Schema, { kind: 'constrained' }>,
  value: string,
): Kept | null {
  const inner = keptOf(section, schema.inner, value)
  const rules = inner === null ? null : rulesText(section, schema, value)
  if (inner === null || rules === null) return inner
  return inner.misfit === inner.whole ? { ...inner, test: `(${inner.test}&&${rules})` } : null
}

function keptUnion(section: ModuleSection, schema: Union, value: string): Kept | null {
  const all: Kept[] = []
  for (const member of membersOf(schema)) {
    const kept = keptOf(section, member, value)
    if (kept === null) return null
    all.push(kept)
  }
  const [first] = all
  const misfit = first !== undefined && all.length === 1 ? first.misfit : expectedWithoutNull(section, schema)
  const isOpen = isNullable(schema)
  const tests = [...(isOpen ? [`${value}===null`] : []), ...all.map(({ test }) => test)]
  return {
    misfit,
    whole: isOpen ? `${expectedWithoutNull(section, schema)} | null` : misfit,
    test: tests.length === 1 ? tests.join('') : `(${tests.join('||')})`,
  }
}

/** The text of a union without null: who holds a value that misfits is told what else it could have been. */
export const expectedWithoutNull = (section: ModuleSection, schema: Union): string =>
  expectedType(section, { ...schema, members: membersOf(schema) })

/** The function of JSON of a type whose values do not stay what they are. */
export function constructingDecoder(section: ModuleSection, schema: Schema): string {
  const list = plainListName(schema)
  if (list !== null) return section.request('decode', list)
  switch (schema.kind) {
    case 'date':
    case 'bytes':
    case 'bigint':
      return `${section.use(scalarName(schema) ?? '')}.json`
    case 'file':
      return `${section.constant(`${section.use('file')}()`)}.json`
    case 'branded':
      return readFunction(section, schema.inner)
    case 'constrained':
      if (!hasRules(schema)) return readFunction(section, schema.inner)
      return section.declare(schema)
    case 'ref':
      return refFunction(section, schema.name)
    case 'verbatim':
      return `${section.constant(verbatimDecoder(section, schema.json))}.json`
    default:
      schema.kind satisfies ScalarKind | StructureKind | OpenKind | StreamKind | 'converted' | 'union'
      return section.declare(schema)
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
export const verbatimDecoder = (section: ModuleSection, json: object): string =>
  `${section.use('schema')}(JSON.parse(${quote(JSON.stringify(json))}))` // in a literal __proto__ would be no property

function refFunction(section: ModuleSection, name: string): string {
  const { schema } = section.named(name)
  if (schema.kind === 'verbatim') return `${schemaConstant(name)}.json`
  const isPlain = scalarName(schema) !== null && !section.types.isDepthCounted(name)
  return isPlain ? readFunction(section, schema) : section.request('decode', name)
}

/** The decoder of a file of the application. */
export const schemaConstant = (name: string): string => `schema_${name}`

/** That `test` of `Kept` fails: calls and groups end in a bracket, comparisons do not. */
export const refusedBy = (test: string): string =>
  test.endsWith(')') || test === 'false' ? `!${test}` : test.replace('===', '!==')
