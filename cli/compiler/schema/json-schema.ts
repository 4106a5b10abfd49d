/** Schemas → JSON Schema 2020-12. Where named types live is the caller's choice. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import type { Doc, NamedRest, NamedSchema, Property, Schema } from '../ir/schema.ts'

type RefTo = (name: string) => string
type Further = (property: Property) => JsonSchema

const nothing: Further = () => ({})

interface SchemaOptions {
  /** What else is said of a property. */
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
      return { type: 'string', contentEncoding: 'base64', pattern: '^[A-Za-z0-9+/]*={0,2}$' }
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
      return { [schema.discriminator === null ? 'anyOf' : 'oneOf']: schema.members.map(inner) }
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
    case 'verbatim':
      return schema.json
    case 'never':
      return { not: {} }
  }
}

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
        { ...described(inner(property.schema), property.doc), ...further(property) },
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

/** A named schema in the document whose components `refTo` addresses. What a file refers to inside itself stands there with
 *  it, and is addressed from the document. */
export function component({ name, schema, doc }: NamedSchema, refTo: RefTo, isClosed = false): JsonSchema {
  if (schema.kind !== 'verbatim') return described(jsonSchema(schema, refTo, { isClosed }), doc)
  const { $schema: _dialect, ...rest } = schema.json
  return moved(rest, refTo(name)) as JsonSchema // of an object it is one
}

function moved(value: unknown, to: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moved(item, to))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) =>
      /^\$(ref|dynamicRef)$/.test(name) && typeof inner === 'string'
        ? [name, inner.replace(/^#(?=\/|$)/, to)]
        : [name, moved(inner, to)],
    ),
  )
}

/** `$defs` for the named schemas given, or nothing. */
export function definitions(named: readonly NamedSchema[], isClosed: boolean): JsonSchema {
  if (named.length === 0) return {}
  const entries = named.map((schema) => [schema.name, component(schema, toDefs, isClosed)])
  return { $defs: Object.fromEntries(entries) }
}

type Texts = WeakMap<NamedSchema, string>

/** Many tools have the same definitions. */
const texts: { readonly open: Texts; readonly closed: Texts } = { open: new WeakMap(), closed: new WeakMap() }

/** The name and the JSON of a definition. */
export function definitionText(named: NamedSchema, isClosed: boolean): string {
  const kept = texts[isClosed ? 'closed' : 'open']
  const known = kept.get(named)
  if (known !== undefined) return known
  const text = `${JSON.stringify(named.name)}:${JSON.stringify(component(named, toDefs, isClosed))}`
  kept.set(named, text)
  return text
}

/** The local address of a named schema in a document of its own. */
export const toDefs = (name: string): string => `#/$defs/${name}`

/** The JSON of a schema of which `$defs` is a list of names. */
export interface SchemaText {
  readonly json: string
  /** What it names. */
  readonly defined: readonly NamedSchema[]
  /** Whether these are closed, as in what a tool takes. */
  readonly isClosed: boolean
  /** Of the JSON with its definitions. */
  readonly length: number
}

/** The schema, to be completed with the definitions of `defined`; with none it stays as it is. */
export function schemaWithDefs(
  schema: JsonSchema,
  defined: readonly NamedSchema[],
  isClosed: boolean,
): SchemaText {
  const plain = JSON.stringify(schema)
  if (defined.length === 0) return { json: plain, defined, isClosed, length: plain.length }
  const start = plain.length === 2 ? '{"$defs":' : `${plain.slice(0, -1)},"$defs":`
  const definitions = defined.reduce(
    (total, namedSchema) => total + definitionText(namedSchema, isClosed).length + 1,
    1,
  )
  return {
    json: `${start}${JSON.stringify(defined.map(({ name }) => name))}}`,
    defined,
    isClosed,
    length: start.length + definitions + 1,
  }
}
