/** Schemas → JSON Schema 2020-12. Where named types live is the caller's choice. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import { memoize } from '../cache/memoize.ts'
import { fullText } from '../ir/docs.ts'
import type { Doc, NamedRest, NamedSchema, Property, Schema } from '../ir/schema.ts'
import { type Of, type Visitor, visit } from '../ir/schema-walk.ts'

type RefTo = (name: string) => string

/** What else a document says. */
export interface Further {
  /** Of a property. */
  readonly ofProperty: (property: Property) => JsonSchema
  /** Of a union whose members a property tells apart. */
  readonly ofTagged: (union: Of<'union'>) => JsonSchema
}

const nothing: Further = { ofProperty: () => ({}), ofTagged: () => ({}) }

interface SchemaOptions {
  readonly further?: Further
  /** Names that a type does not have are refused: what a tool takes. */
  readonly isClosed?: boolean
}

interface Printing extends SchemaOptions {
  readonly refTo: RefTo
}

/** The JSON Schema of `schema`; `refTo` gives the address of a named one. */
export const jsonSchema = (schema: Schema, refTo: RefTo, options: SchemaOptions = {}): JsonSchema =>
  visit(schema, printed, { ...options, refTo })

const inside = (schema: Schema, printing: Printing): JsonSchema => visit(schema, printed, printing)

const printed: Visitor<JsonSchema, Printing> = {
  string: ({ format, pattern }) => ({
    type: 'string',
    ...some('format', format),
    ...some('pattern', pattern),
  }),
  number: () => ({ type: 'number' }),
  boolean: () => ({ type: 'boolean' }),
  null: () => ({ type: 'null' }),
  date: () => ({ type: 'string', format: 'date-time' }),
  bytes: () => ({ type: 'string', contentEncoding: 'base64', pattern: base64 }),
  integer: ({ format }) => ({ type: 'integer', ...some('format', format) }),
  bigint: ({ values, int64 }) =>
    values === null
      ? { type: 'string', ...some('format', int64 ? 'int64' : null), pattern: '^-?[0-9]+$' }
      : enumSchema(values),
  literal: ({ value }) => ({ type: typeof value, const: value }),
  enum: ({ values }) => enumSchema(values),
  array: ({ items }, printing) => ({ type: 'array', items: inside(items, printing) }), // a set drops what is there twice
  tuple: tupleSchema,
  object: objectSchema,
  union: unionSchema,
  ref: ({ name }, { refTo }) => ({ $ref: refTo(name) }),
  record: ({ values }, printing) => ({ type: 'object', additionalProperties: inside(values, printing) }),
  file: () => ({ type: 'string', format: 'binary' }),
  binary: () => ({ type: 'string', format: 'binary' }),
  events: ({ items }, printing) => inside(items, printing),
  template: ({ pattern }) => ({ type: 'string', pattern }),
  converted: ({ inner }, printing) => inside(inner, printing),
  constrained: ({ inner, keywords }, printing) => ({ ...inside(inner, printing), ...keywords }),
  unknown: () => ({}),
  never: () => ({ not: {} }),
}

const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?$'

const some = (name: string, value: string | null): JsonSchema => (value === null ? {} : { [name]: value })

function enumSchema(values: readonly (string | number)[]): JsonSchema {
  const types = [...new Set(values.map((value) => typeof value))]
  return { ...(types.length === 1 ? { type: types[0] } : {}), enum: values }
}

/** JSON Schema 2020-12 asks for at least one prefix item. */
function tupleSchema({ items, required, rest }: Of<'tuple'>, printing: Printing): JsonSchema {
  return {
    type: 'array',
    ...(items.length === 0 ? {} : { prefixItems: items.map((item) => inside(item, printing)) }),
    ...(rest === null ? {} : { items: inside(rest, printing) }),
    ...(required === 0 && items.length > 0 ? {} : { minItems: required }),
    ...(rest === null ? { maxItems: items.length } : {}),
  }
}

function objectSchema({ properties, rest, named }: Of<'object'>, printing: Printing): JsonSchema {
  const { further = nothing, isClosed = false } = printing
  const required = properties.filter((property) => property.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      properties.map((property) => [
        property.name,
        { ...described(inside(property.schema, printing), property.doc), ...further.ofProperty(property) },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
    ...(named.length === 0 ? {} : { patternProperties: patterns(named, printing) }),
    ...(rest === null ? closed(isClosed) : { additionalProperties: inside(rest.values, printing) }),
  }
}

const closed = (isClosed: boolean): JsonSchema => (isClosed ? { additionalProperties: false } : {})

const patterns = (named: readonly NamedRest[], printing: Printing): JsonSchema =>
  Object.fromEntries(named.map(({ pattern, values }) => [pattern, inside(values, printing)]))

function unionSchema(union: Of<'union'>, printing: Printing): JsonSchema {
  const members = union.members.map((member) => inside(member, printing))
  if (union.discriminator === null) return { anyOf: members }
  return { oneOf: members, ...(printing.further ?? nothing).ofTagged(union) }
}

/** The schema with the text of a doc comment. */
export function described(schema: JsonSchema, doc: Doc): JsonSchema {
  const text = fullText(doc)
  if (text === '' && !doc.deprecated) return schema
  const { description: values } = schema // of the members of an enum
  return {
    ...schema,
    ...(text === '' ? {} : { description: typeof values === 'string' ? `${text}\n\n${values}` : text }),
    ...(doc.deprecated ? { deprecated: true } : {}),
  }
}

/** A named schema in the document whose components `refTo` addresses. */
export const component = ({ schema, doc }: NamedSchema, refTo: RefTo, isClosed = false): JsonSchema =>
  described(jsonSchema(schema, refTo, { isClosed }), doc)

/** A named type as some schemas have it below `$defs`. */
export interface Definition {
  readonly name: string
  readonly schema: JsonSchema
  /** The JSON of its schema. */
  readonly text: string
}

export const definition = (name: string, schema: JsonSchema): Definition => ({
  name,
  schema,
  text: JSON.stringify(schema),
})

/** The definition of a type whose references are references: most types stand in many documents. */
export const definitionOf: (named: NamedSchema) => Definition = memoize((named) =>
  definition(named.name, component(named, toDefs)),
)

/** The name and the JSON of a definition, as an object has them. */
export const memberText = ({ name, text }: Definition): string => `${JSON.stringify(name)}:${text}`

/** The local address of a named schema in a document of its own. */
export const toDefs = (name: string): string => `#/$defs/${name}`

/** A schema and its JSON, without what stands below its `$defs`. */
export interface SchemaText {
  readonly schema: JsonSchema
  readonly json: string
  readonly defined: readonly Definition[]
  /** Of the JSON with its definitions. */
  readonly length: number
}

/** The schema, to be completed with its definitions. */
export function schemaText(schema: JsonSchema, defined: readonly Definition[]): SchemaText {
  const json = JSON.stringify(schema)
  if (defined.length === 0) return { schema, json, defined, length: json.length }
  const members = defined.reduce((total, definition) => total + memberText(definition).length + 1, -1)
  const length = json.length + (json.length === 2 ? 0 : 1) + '"$defs":{}'.length + members
  return { schema, json, defined, length }
}
