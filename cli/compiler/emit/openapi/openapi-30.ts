/** OpenAPI 3.1 → 3.0.3, for tools that know no other: the same operations, schemas in the older dialect. What 3.0 cannot say is
 *  left out, so its schemas take at least what those of 3.1 take. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'

export type Json = Readonly<Record<string, unknown>>

/** How a version of OpenAPI says what is meant. */
export interface Dialect {
  readonly version: string
  readonly toInfo: (info: Json) => Json
  /** An operation, or a response. */
  readonly toDocumented: (documented: Json) => Json
  /** The components that one of the model is. */
  readonly toComponents: (
    name: string,
    schema: JsonSchema,
  ) => readonly (readonly [name: string, JsonSchema])[]
}

/** The words of 3.0.3, from those of 3.1. */
export const openapi30: Dialect = {
  version: '3.0.3',
  toInfo: ({ license, ...about }) => ({
    ...about,
    ...(isObject(license) ? { license: olderLicense(license) } : {}),
  }),
  toDocumented: withSchemas,
  toComponents: hoist,
}

/** 3.0 knows no identifiers of SPDX; their page says the same. */
function olderLicense({ name }: Json): Json {
  const isIdentifier = /^[\w.+-]+$/.test(String(name)) && name !== 'UNLICENSED'
  return isIdentifier ? { name, url: `https://spdx.org/licenses/${String(name)}.html` } : { name }
}

/** `$defs` inside a component become components. */
function hoist(
  name: string,
  { $defs = {}, ...schema }: JsonSchema,
): readonly (readonly [string, JsonSchema])[] {
  const inner = Object.entries($defs as Readonly<Record<string, JsonSchema>>) // as JSON Schema says
  return [[name, older(schema)], ...inner.map(([own, item]) => [`${name}_${own}`, older(item)] as const)]
}

/** The same with every `schema` of a parameter or media type in the older dialect. */
function withSchemas(value: Json): Json {
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'schema' && isObject(inner) ? older(inner) : withSchemasInside(inner),
    ]),
  )
}

function withSchemasInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSchemasInside)
  return isObject(value) ? withSchemas(value) : value
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON's null: 3.0 has no type for it. */
const nothing: JsonSchema = { type: 'object', nullable: true, enum: [null] }

/** A schema of 3.1 in the words of 3.0.3. */
export function older(schema: unknown): JsonSchema {
  if (!isObject(schema)) return schema === false ? { not: {} } : {}
  if (typeof schema.$ref === 'string') return reference(schema.$ref, schema)
  if (schema.type === 'null') return nothing
  if (Array.isArray(schema.type)) return ofTypes(schema, schema.type)
  const inside = Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]) => rewrite(name, value, schema)),
  )
  return nullable(schema.type === 'array' && inside.items === undefined ? { ...inside, items: {} } : inside)
}

function reference(target: string, { $ref: _ref, ...beside }: Json): JsonSchema {
  if (!target.startsWith('#/')) return {}
  const ref = { $ref: target.replace(/^(#\/components\/schemas\/[^/]+)\/\$defs\/([^/]+)$/, '$1_$2') }
  return Object.keys(beside).length === 0 ? ref : { allOf: [ref], ...older(beside) }
}

function ofTypes(schema: Json, types: readonly unknown[]): JsonSchema {
  const { type: _types, ...rest } = schema
  return older({ anyOf: types.map((type) => ({ ...rest, type })) })
}

/** Keywords that 3.0 does not have, and that only narrow. */
const unknownKeywords = new Set(
  'propertyNames patternProperties if then else contains minContains maxContains dependentRequired dependentSchemas'
    .concat(
      ' unevaluatedProperties unevaluatedItems $anchor $dynamicAnchor $dynamicRef $id $schema $comment $defs',
    )
    .concat(' contentMediaType contentSchema')
    .split(' '),
)
const lists = new Set(['anyOf', 'oneOf', 'allOf'])

type Pairs = readonly (readonly [name: string, value: unknown])[]

const rewrites: ReadonlyMap<string, (value: unknown, schema: Json) => Pairs> = new Map([
  [
    'const',
    (value: unknown): Pairs =>
      value === null
        ? [
            ['enum', [null]],
            ['nullable', true],
          ]
        : [['enum', [value]]],
  ],
  ['exclusiveMinimum', (value: unknown, schema: Json): Pairs => above(value, schema)],
  ['exclusiveMaximum', (value: unknown, schema: Json): Pairs => below(value, schema)],
  ['prefixItems', (value: unknown, schema: Json): Pairs => [['items', places(value, schema)]]],
  [
    'items',
    (value: unknown, schema: Json): Pairs => ('prefixItems' in schema ? [] : [['items', older(value)]]),
  ],
  ['contentEncoding', (value: unknown): Pairs => (value === 'base64' ? [['format', 'byte']] : [])],
  [
    'examples',
    (value: unknown): Pairs => (Array.isArray(value) && value.length > 0 ? [['example', value[0]]] : []),
  ],
  ['properties', (value: unknown): Pairs => [['properties', each(value)]]],
  [
    'additionalProperties',
    (value: unknown): Pairs => [['additionalProperties', typeof value === 'boolean' ? value : older(value)]],
  ],
  ['not', (value: unknown): Pairs => [['not', older(value)]]],
])

function rewrite(name: string, value: unknown, schema: Json): Pairs {
  if (unknownKeywords.has(name)) return []
  if (lists.has(name)) return [[name, (value as readonly unknown[]).map(older)]] // JSON Schema says so
  return rewrites.get(name)?.(value, schema) ?? [[name, value]]
}

const each = (value: unknown): Json =>
  Object.fromEntries(Object.entries(value ?? {}).map(([name, item]) => [name, older(item)]))

const above = (value: unknown, { minimum = Number.NEGATIVE_INFINITY }: Json): Pairs =>
  Number(minimum) > Number(value)
    ? []
    : [
        ['minimum', value],
        ['exclusiveMinimum', true],
      ]

const below = (value: unknown, { maximum = Number.POSITIVE_INFINITY }: Json): Pairs =>
  Number(maximum) < Number(value)
    ? []
    : [
        ['maximum', value],
        ['exclusiveMaximum', true],
      ]

/** One schema for all places of a tuple. */
function places(value: unknown, { items }: Json): JsonSchema {
  const all = [...(value as readonly unknown[]), ...(isObject(items) ? [items] : [])].map(older) // JSON Schema says so
  const unique = [...new Map(all.map((item) => [JSON.stringify(item), item])).values()]
  const [only] = unique
  return only !== undefined && unique.length === 1 ? only : { anyOf: unique }
}

/** A type or null is the type, nullable. */
function nullable(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !anyOf.includes(nothing)) return schema
  const other: unknown = anyOf.find((member) => member !== nothing)
  if (!isObject(other) || other.type === undefined) return schema
  const values = Array.isArray(other.enum) ? { enum: [...other.enum, null] } : {}
  return { ...other, ...values, ...rest, nullable: true }
}
