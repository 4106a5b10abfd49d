/** The text of a type, as error answers name it. */
import type { Schema } from '../../ir/schema.ts'
import type { ModuleSection } from './module-section.ts'
import { isNullable, membersOf } from './unions.ts'

/** A type that holds itself is `…` inside its own text. */
export const expectedType = (section: ModuleSection, schema: Schema): string =>
  textOf({ section, asking: [] }, schema)

interface Asked {
  readonly section: ModuleSection
  /** The references that are being written: each is an object of its own. */
  readonly asking: readonly Schema[]
}

/** Of the kinds that have one text. */
const fixed = {
  number: 'Float64',
  boolean: 'boolean',
  null: 'null',
  date: 'Date',
  bytes: 'base64',
  file: 'UploadedFile',
  unknown: 'unknown',
  binary: 'unknown',
  events: 'unknown',
  never: 'nothing',
  object: 'object',
  record: 'object',
  template: 'string',
} as const

function textOf(asked: Asked, schema: Schema): string {
  const inner = (one: Schema): string => textOf(asked, one)
  switch (schema.kind) {
    case 'string':
      if (schema.format === null) return 'string'
      return schema.format === 'uuid' ? 'Uuid' : schema.format
    case 'integer':
      return schema.format === 'int32' ? 'Int32' : 'Integer'
    case 'bigint':
      return schema.int64 ? 'Int64' : 'bigint'
    case 'literal':
      return JSON.stringify(schema.value)
    case 'enum':
      return schema.values.map((value) => JSON.stringify(value)).join(' | ')
    case 'array':
      return `${inner(schema.items)}[]`
    case 'tuple':
      return tupleText(schema, inner)
    case 'union':
      return [...membersOf(schema).map(inner), ...(isNullable(schema) ? ['null'] : [])].join(' | ')
    case 'constrained':
    case 'converted':
    case 'branded':
      return inner(schema.inner)
    case 'verbatim':
      return typeof schema.json.title === 'string' ? schema.json.title : 'a value of its JSON Schema'
    case 'ref':
      return refText(asked, schema)
    default:
      return fixed[schema.kind]
  }
}

function tupleText(
  { items, rest }: Extract<Schema, { kind: 'tuple' }>,
  inner: (schema: Schema) => string,
): string {
  const more = rest === null ? [] : [`...${inner(rest)}[]`]
  return `[${[...items.map(inner), ...more].join(', ')}]`
}

function refText({ section, asking }: Asked, schema: Extract<Schema, { kind: 'ref' }>): string {
  if (asking.includes(schema)) return '…'
  const target = section.named(schema.name).schema
  return textOf({ section, asking: [...asking, schema] }, target)
}
