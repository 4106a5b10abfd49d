/** Prints what constraint tags ask of a decoded value, as an expression. */
import type { Schema } from '../../ir/schema.ts'
import type { OpenKind, StreamKind, StructureKind, WrapperKind } from '../../ir/schema-walk.ts'
import { quote } from '../javascript.ts'
import type { ModuleSection } from './module-section.ts'
import { isNullable, membersOf } from './unions.ts'

type Constrained = Extract<Schema, { kind: 'constrained' }>

/** Annotations (`title`, `default`, `examples`) ask nothing of a value. */
const enforced = new Set(
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern'
    .concat(' minItems maxItems uniqueItems propertyNames')
    .split(' '),
)

/** Whether anything is asked of a value. */
export function hasRules({ keywords }: Pick<Constrained, 'keywords'>): boolean {
  for (const name in keywords) if (enforced.has(name)) return true
  return false
}

/** Whether `value`, of the type inside, keeps the rules: an expression; null = there are none to keep. */
export function rulesText(
  section: ModuleSection,
  { inner, keywords }: Constrained,
  value: string,
): string | null {
  if (!hasRules({ keywords })) return null
  const rules = Object.fromEntries(Object.entries(keywords).filter(([name]) => enforced.has(name)))
  const schema = section.resolved(inner)
  const [only] = schema.kind === 'union' ? membersOf(schema) : []
  if (schema.kind === 'union' && isNullable(schema) && only !== undefined && membersOf(schema).length === 1) {
    const text = ofKind(section, section.resolved(only), { rules, value })
    return text === '' ? null : `(${value}===null||${text})`
  }
  const text = ofKind(section, schema, { rules, value })
  return text === '' ? null : text
}

interface Asked {
  readonly rules: Readonly<Record<string, unknown>>
  readonly value: string
}

/** '' = the rules say nothing about such a value. */
function ofKind(section: ModuleSection, { kind }: Schema, asked: Asked): string {
  switch (kind) {
    case 'number':
    case 'integer':
      return allOf(numberRules(section, asked))
    case 'string':
    case 'template':
      return allOf(textRules(section, asked))
    case 'object':
    case 'record':
      return allOf(nameRules(section, asked))
    case 'boolean':
    case 'null':
    case 'date':
    case 'bigint':
    case 'bytes':
      return ''
    default:
      kind satisfies
        | 'literal'
        | 'enum'
        | StructureKind
        | WrapperKind
        | OpenKind
        | StreamKind
        | 'union'
        | 'ref'
      return `${section.constant(`${section.use('keeperOf')}(${objectText(asked.rules)})`)}(${asked.value})`
  }
}

const allOf = (texts: readonly string[]): string =>
  texts.length > 1 ? `(${texts.join('&&')})` : texts.join('')

const objectText = (rules: Asked['rules']): string =>
  `{${Object.entries(rules)
    .map(([name, value]) => `${name}:${typeof value === 'string' ? quote(value) : JSON.stringify(value)}`)
    .join()}}`

const bounds = [
  ['minimum', '>='],
  ['maximum', '<='],
  ['exclusiveMinimum', '>'],
  ['exclusiveMaximum', '<'],
] as const

function numberRules(section: ModuleSection, { rules, value }: Asked): readonly string[] {
  const kept = bounds.flatMap(([name, sign]) => (name in rules ? [`${value}${sign}${rules[name]}`] : []))
  const { multipleOf } = rules
  return multipleOf === undefined ? kept : [...kept, `${section.use('isMultiple')}(${value},${multipleOf})`]
}

function textRules(section: ModuleSection, { rules, value }: Asked): readonly string[] {
  const { minLength = 0, maxLength = 'Infinity', pattern } = rules
  const isMeasured = 'minLength' in rules || 'maxLength' in rules
  return [
    ...(isMeasured ? [`${section.use('hasLength')}(${value},${minLength},${maxLength})`] : []),
    ...(typeof pattern === 'string' ? [patternTest(section, pattern, value)] : []),
  ]
}

/** Whether the text matches: an expression. */
export const patternTest = (section: ModuleSection, pattern: string, value: string): string =>
  `${section.constant(`new RegExp(${quote(pattern)},'u')`)}.test(${value})`

function nameRules(section: ModuleSection, { rules, value }: Asked): readonly string[] {
  const { propertyNames } = rules
  const pattern = (propertyNames as { readonly pattern?: string } | undefined)?.pattern // as the reader writes it
  if (pattern === undefined) return []
  return [`${section.use('hasNames')}(${value},${section.constant(`new RegExp(${quote(pattern)},'u')`)})`]
}
