/** A schema as a list of alternatives, one JSON type each, so that two spellings of one meaning come to the same: references,
 *  `allOf`, `anyOf` and `oneOf`, lists of types, `nullable` of OpenAPI 3.0, `const` and `enum`.
 *  Source: JSON Schema 2020-12, Core, 10.2, Validation, 6.1; OpenAPI 3.0.3, Schema Object. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'
import { canonical, isSame, isSchemaObject, itemsOf, recordOf, textItems } from './json.ts'

export const jsonTypes = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const
export type JsonType = (typeof jsonTypes)[number]

/** Values of one JSON type. */
export interface Alternative {
  readonly type: JsonType
  /** Those that there are; null = whatever the keywords let through. */
  readonly values: readonly unknown[] | null
  readonly keywords: JsonSchema
  /** The reference of the definition that it is, if it is one whole. */
  readonly reference: string | null
}

/** A document's definitions: what a reference goes to. */
export type Definitions = (reference: string) => NamedDefinition | null
export interface NamedDefinition {
  readonly name: string
  readonly schema: unknown
}

/** The same, each looked up once. */
export function remembered(find: Definitions): Definitions {
  const known = new Map<string, NamedDefinition | null>()
  return (reference) => {
    const found = known.get(reference)
    if (found !== undefined) return found
    const definition = find(reference)
    known.set(reference, definition)
    return definition
  }
}

/** More are compared by their text: a product of unions is what somebody could write to keep us busy. */
const mostAlternatives = 128
/** Deeper references and unions are not followed. */
const deepest = 64

export class TooLarge extends Error {}

/** Keywords that restrict nothing. */
const annotations = new Set([
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated', '$comment', '$schema', '$id'],
  ...['readOnly', 'writeOnly', 'discriminator', 'xml', 'externalDocs', '$defs', 'definitions', 'nullable'],
])
export const isAnnotation = (keyword: string): boolean => annotations.has(keyword) || keyword.startsWith('x-')

const composing = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'type', 'enum', 'const', 'not'])

const typesOf: ReadonlyMap<string, JsonType> = new Map<string, JsonType>([
  ...['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType', 'contentSchema'].map(
    (name) => [name, 'string'] as const,
  ),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'integer'].map(
    (name) => [name, 'number'] as const,
  ),
  ...['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains'].map(
    (name) => [name, 'array'] as const,
  ),
  ...['maxContains', 'unevaluatedItems'].map((name) => [name, 'array'] as const),
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames'].map(
    (name) => [name, 'object'] as const,
  ),
  ...['minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas'].map(
    (name) => [name, 'object'] as const,
  ),
  ['unevaluatedProperties', 'object'],
])

/** Throws `TooLarge` where a schema has too many. */
export function schemaAlternatives(
  schema: unknown,
  definitions: Definitions,
  seen: readonly string[] = [],
): readonly Alternative[] {
  if (schema === false) return []
  const fields = recordOf(schema)
  if (isNever(fields.not)) return []
  if (seen.length > deepest) throw new TooLarge()
  const parts = [
    ownAlternatives(fields),
    ...referred(fields, definitions, seen),
    ...itemsOf(fields.allOf).map((part) => schemaAlternatives(part, definitions, [...seen, ''])),
    ...['anyOf', 'oneOf'].flatMap((keyword) => {
      const members = itemsOf(fields[keyword])
      if (members.length === 0) return []
      const all = members.map((member) => schemaAlternatives(member, definitions, [...seen, '']))
      return [bounded(keyword === 'oneOf' ? exclusive(all) : all.flat())]
    }),
  ]
  const whole = parts.reduce((left, right) => intersection(left, right))
  const isNullable = fields.nullable === true && !whole.some(({ type }) => type === 'null')
  return isNullable ? [...whole, nothing] : whole
}

const nothing: Alternative = { type: 'null', values: [null], keywords: {}, reference: null }

const isNever = (not: unknown): boolean =>
  not === true || (isSchemaObject(not) && Object.keys(not).length === 0)

function bounded(all: readonly Alternative[]): readonly Alternative[] {
  if (all.length > mostAlternatives) throw new TooLarge()
  if (all.length < 2) return all
  const known = new Map(
    all.map((one) => [`${one.type} ${canonical([one.values, one.keywords, one.reference])}`, one]),
  )
  return [...known.values()]
}

/** Where two members may let the same value through, one of them must not: which, is not asked. */
function exclusive(members: readonly (readonly Alternative[])[]): readonly Alternative[] {
  const all = members.flat()
  const isShared = (one: Alternative): boolean =>
    members.some((own) => !own.includes(one) && own.some((other) => overlaps(one, other)))
  const said = JSON.stringify(all.filter(isShared).map(shape).sort())
  return all.map((one) =>
    isShared(one) ? { ...one, keywords: { ...one.keywords, 'one of': said }, reference: null } : one,
  )
}

const shape = ({ type, values, keywords, reference }: Alternative): string =>
  reference ?? canonical([type, values, keywords])

function overlaps(a: Alternative, b: Alternative): boolean {
  if (a.type !== b.type) return false
  if (a.values !== null && b.values !== null) return (common(a.values, b.values) ?? []).length > 0
  const told = textItems(a.keywords.required).filter((name) => textItems(b.keywords.required).includes(name))
  return !told.some((name) => {
    const [own, other] = [a, b].map(({ keywords }) => valuesOf(recordOf(keywords.properties)[name]))
    return own != null && other != null && common(own, other)?.length === 0
  })
}

function valuesOf(schema: unknown): readonly unknown[] | null {
  const { const: value, enum: values } = recordOf(schema)
  return value === undefined ? (Array.isArray(values) ? values : null) : [value]
}

/** Of the keywords beside the composing ones. A `not` that says something is a keyword nobody understands. */
function ownAlternatives(fields: JsonSchema): readonly Alternative[] {
  const values = 'const' in fields ? [fields.const] : Array.isArray(fields.enum) ? fields.enum : null
  const wanted = typesIn(fields.type)
  const types =
    wanted ?? jsonTypes.filter((type) => values === null || values.some((value) => typeOf(value) === type))
  const isInteger = [fields.type].flat().includes('integer') && ![fields.type].flat().includes('number')
  return types.flatMap((type) => {
    const own = values?.filter((value) => typeOf(value) === type) ?? allValues[type] ?? null
    if (values !== null && own?.length === 0) return []
    const keywords = keywordsOf(fields, type)
    const whole = type === 'number' && isInteger ? { ...keywords, integer: true } : keywords
    return [{ type, values: own, keywords: whole, reference: null }]
  })
}

const allValues: Partial<Record<JsonType, readonly unknown[]>> = { null: [null], boolean: [true, false] }

function typesIn(type: unknown): readonly JsonType[] | null {
  const names = typeof type === 'string' ? [type] : Array.isArray(type) ? textItems(type) : null
  if (names === null) return null
  const asNumber = names.map((name) => (name === 'integer' ? 'number' : name))
  return jsonTypes.filter((known) => asNumber.includes(known))
}

export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'boolean' || type === 'number' || type === 'string' ? type : 'object'
}

/** What of them concerns values of this type. What nobody knows concerns all. */
function keywordsOf(fields: JsonSchema, type: JsonType): JsonSchema {
  const entries = Object.entries(fields).filter(([keyword]) => {
    if (isAnnotation(keyword) || (composing.has(keyword) && keyword !== 'not')) return false
    if (keyword === 'format') return type === 'string' || type === 'number'
    return (typesOf.get(keyword) ?? type) === type
  })
  return Object.fromEntries(entries)
}

function referred(
  fields: JsonSchema,
  definitions: Definitions,
  seen: readonly string[],
): readonly (readonly Alternative[])[] {
  if (typeof fields.$ref !== 'string') return []
  if (seen.includes(fields.$ref)) return [] // of itself it says nothing
  const found = definitions(fields.$ref)
  if (found === null) return [[{ ...unknownValue, keywords: { $ref: fields.$ref } }]]
  const all = schemaAlternatives(found.schema, definitions, [...seen, fields.$ref])
  const [first] = all
  return [
    all.length === 1 && first !== undefined ? [{ ...first, reference: first.reference ?? fields.$ref }] : all,
  ]
}

const unknownValue: Alternative = { type: 'object', values: null, keywords: {}, reference: null }

function intersection(left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] {
  return bounded(
    left.flatMap((a) =>
      right.flatMap((b) => {
        if (a.type !== b.type) return []
        if (isFree(a)) return [b]
        if (isFree(b)) return [a]
        const values = common(a.values, b.values)
        if (values !== null && values.length === 0) return []
        return [{ type: a.type, values, keywords: both(a.keywords, b.keywords), reference: null }]
      }),
    ),
  )
}

/** It lets every value of its type through. */
const isFree = ({ type, values, keywords, reference }: Alternative): boolean =>
  reference === null &&
  Object.keys(keywords).length === 0 &&
  (values === null || values.length === allValues[type]?.length)

function common(a: readonly unknown[] | null, b: readonly unknown[] | null): readonly unknown[] | null {
  if (a === null || b === null) return a ?? b
  const texts = new Set(b.map(canonical))
  return a.filter((value) => texts.has(canonical(value)))
}

/** Both hold: the narrower bound, properties of both; what cannot be joined stands beside the other. */
function both(one: JsonSchema, other: JsonSchema): JsonSchema {
  const [a, b] = [withFurther(one, other), withFurther(other, one)]
  const merged: Record<string, unknown> = { ...a }
  for (const [keyword, value] of Object.entries(b)) {
    merged[keyword] = Object.hasOwn(a, keyword) ? joined(keyword, a[keyword], value) : value
  }
  return merged
}

function joined(keyword: string, a: unknown, b: unknown): unknown {
  if (isSame(a, b)) return a
  if (/^(?:min|exclusiveMin)/.test(keyword)) return Math.max(Number(a), Number(b))
  if (/^(?:max|exclusiveMax)/.test(keyword)) return Math.min(Number(a), Number(b))
  if (keyword === 'required') return [...new Set([...textItems(a), ...textItems(b)])]
  if (keyword === 'uniqueItems' || keyword === 'integer') return a === true || b === true
  if (keyword === 'properties' || keyword === 'patternProperties')
    return joinedByName(recordOf(a), recordOf(b))
  if (keyword === 'items' || keyword === 'additionalProperties') return { allOf: [a, b] }
  return { 'all of': [a, b].map(canonical).sort() }
}

/** With the properties that only `other` names, of which `one` says what further properties must be. */
function withFurther(one: JsonSchema, other: JsonSchema): JsonSchema {
  const { additionalProperties: further, properties } = one
  const names = Object.keys(recordOf(other.properties)).filter(
    (name) => !Object.hasOwn(recordOf(properties), name),
  )
  if (
    further === undefined ||
    further === true ||
    isSchemaObject(one.patternProperties) ||
    names.length === 0
  )
    return one
  return {
    ...one,
    properties: { ...recordOf(properties), ...Object.fromEntries(names.map((name) => [name, further])) },
  }
}

const joinedByName = (a: JsonSchema, b: JsonSchema): JsonSchema => ({
  ...a,
  ...Object.fromEntries(
    Object.entries(b).map(([name, schema]) => [
      name,
      Object.hasOwn(a, name) ? { allOf: [a[name], schema] } : schema,
    ]),
  ),
})

/** Whether no value is one: what it must have cannot be there. Deeper than a few levels nobody looks. */
export function isImpossible({ type, keywords }: Alternative, definitions: Definitions, depth = 0): boolean {
  const isEmpty = (schema: unknown): boolean =>
    schema !== undefined &&
    schemaAlternatives(schema, definitions).every(
      (one) => depth < 4 && isImpossible(one, definitions, depth + 1),
    )
  if (type === 'array') return Number(keywords.minItems ?? 0) > 0 && isEmpty(keywords.items)
  if (type !== 'object') return false
  const properties = recordOf(keywords.properties)
  return textItems(keywords.required).some((name) =>
    Object.hasOwn(properties, name)
      ? isEmpty(properties[name])
      : keywords.patternProperties === undefined && isEmpty(keywords.additionalProperties),
  )
}
