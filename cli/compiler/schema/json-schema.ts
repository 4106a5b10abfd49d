/** Schemas → JSON Schema 2020-12. Where named types live is the caller's choice. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import { memoize } from '../cache/memoize.ts'
import type { Doc, NamedRest, NamedSchema, Property, Schema } from '../ir/schema.ts'

type RefTo = (name: string) => string
type Union = Extract<Schema, { kind: 'union' }>

/** What else a document says. */
export interface Further {
  /** Of a property. */
  readonly ofProperty: (property: Property) => JsonSchema
  /** Of a union whose members a property tells apart. */
  readonly ofTagged: (union: Union) => JsonSchema
}

const nothing: Further = { ofProperty: () => ({}), ofTagged: () => ({}) }

interface SchemaOptions {
  readonly further?: Further
  /** Names that a type does not have are refused: what a tool takes. */
  readonly isClosed?: boolean
}

/** The JSON Schema of `schema`; `refTo` gives the address of a named one. */
export function jsonSchema(schema: Schema, refTo: RefTo, options: SchemaOptions = {}): JsonSchema {
  const inner = (item: Schema): JsonSchema => jsonSchema(item, refTo, options)
  switch (schema.kind) {
    case 'string':
      return { type: 'string', ...some('format', schema.format), ...some('pattern', schema.pattern) }
    case 'number':
    case 'boolean':
    case 'null':
      return { type: schema.kind }
    case 'date':
      return { type: 'string', format: 'date-time' }
    case 'bytes':
      return { type: 'string', contentEncoding: 'base64', pattern: base64 }
    case 'integer':
      return { type: 'integer', ...some('format', schema.format) }
    case 'bigint':
      if (schema.values !== null) return enumSchema(schema.values)
      return { type: 'string', ...some('format', schema.int64 ? 'int64' : null), pattern: '^-?[0-9]+$' }
    case 'literal':
      return { type: typeof schema.value, const: schema.value }
    case 'enum':
      return enumSchema(schema.values)
    case 'array':
      return { type: 'array', items: inner(schema.items) } // a set drops what is there twice
    case 'tuple':
      return tupleSchema(schema, inner)
    case 'object':
      return objectSchema(schema, inner, options)
    case 'union':
      if (schema.discriminator === null) return { anyOf: schema.members.map(inner) }
      return { oneOf: schema.members.map(inner), ...(options.further ?? nothing).ofTagged(schema) }
    case 'ref':
      return { $ref: refTo(schema.name) }
    case 'record':
      return { type: 'object', additionalProperties: inner(schema.values) }
    case 'file':
    case 'binary':
      return { type: 'string', format: 'binary' }
    case 'events':
      return inner(schema.items)
    case 'template':
      return { type: 'string', pattern: schema.pattern }
    case 'converted':
      return inner(schema.inner)
    case 'constrained':
      return { ...inner(schema.inner), ...schema.keywords }
    case 'unknown':
      return {}
    case 'never':
      return { not: {} }
  }
}

const base64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3}={0,2})?$'

const some = (name: string, value: string | null): JsonSchema => (value === null ? {} : { [name]: value })

function enumSchema(values: readonly (string | number)[]): JsonSchema {
  const types = [...new Set(values.map((value) => typeof value))]
  return { ...(types.length === 1 ? { type: types[0] } : {}), enum: values }
}

type Inner = (schema: Schema) => JsonSchema

/** JSON Schema 2020-12 asks for at least one prefix item. */
function tupleSchema(
  { items, required, rest }: Extract<Schema, { kind: 'tuple' }>,
  inner: Inner,
): JsonSchema {
  return {
    type: 'array',
    ...(items.length === 0 ? {} : { prefixItems: items.map(inner) }),
    ...(rest === null ? {} : { items: inner(rest) }),
    ...(required === 0 && items.length > 0 ? {} : { minItems: required }),
    ...(rest === null ? { maxItems: items.length } : {}),
  }
}

function objectSchema(
  { properties, rest, named }: Extract<Schema, { kind: 'object' }>,
  inner: Inner,
  { further = nothing, isClosed = false }: SchemaOptions,
): JsonSchema {
  const required = properties.filter((property) => property.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      properties.map((property) => [
        property.name,
        { ...described(inner(property.schema), property.doc), ...further.ofProperty(property) },
      ]),
    ),
    ...(required.length === 0 ? {} : { required }),
    ...(named.length === 0 ? {} : { patternProperties: patterns(named, inner) }),
    ...(rest === null ? closed(isClosed) : { additionalProperties: inner(rest.values) }),
  }
}

const closed = (isClosed: boolean): JsonSchema => (isClosed ? { additionalProperties: false } : {})

const patterns = (named: readonly NamedRest[], inner: Inner): JsonSchema =>
  Object.fromEntries(named.map(({ pattern, values }) => [pattern, inner(values)]))

/** The schema with the text of a doc comment. */
export function described(schema: JsonSchema, doc: Doc): JsonSchema {
  const text = doc.description === '' ? doc.summary : doc.description
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

/** `$defs` for the named schemas given, or nothing. */
export function definitions(named: readonly NamedSchema[], isClosed: boolean): JsonSchema {
  if (named.length === 0) return {}
  const entries = named.map((schema) => [schema.name, component(schema, toDefs, isClosed)])
  return { $defs: Object.fromEntries(entries) }
}

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
