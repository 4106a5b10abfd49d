/** A schema as a list of alternatives, one JSON type each, so that two spellings of one meaning come to the same: references,
 *  `allOf`, `anyOf` and `oneOf`, lists of types, `nullable` of OpenAPI 3.0, `const` and `enum`.
 *  Source: JSON Schema 2020-12, Core, 10.2, Validation, 6.1; OpenAPI 3.0.3, Schema Object. */
import {
  canonical,
  type FieldValues,
  hasFields,
  isSame,
  itemsOf,
  ownIn,
  recordOf,
  textItems,
} from './json.ts'
import { concerns, type JsonType, joinedKeywords, jsonTypes } from './keywords.ts'

/** Values of one JSON type. */
export interface Alternative {
  readonly type: JsonType
  /** Those that there are; null = whatever the keywords let through. */
  readonly values: readonly unknown[] | null
  readonly keywords: FieldValues
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

/** More are compared by their text: an author could write a product of unions to keep us busy. */
const maxAlternatives = 128
/** Deeper references and unions are not followed. */
const maxDepth = 64

export class TooLarge extends Error {}

/** Keywords that restrict nothing. */
const annotations = new Set([
  ...['title', 'description', 'default', 'examples', 'example', 'deprecated', '$comment', '$schema', '$id'],
  ...['readOnly', 'writeOnly', 'discriminator', 'xml', 'externalDocs', '$defs', 'definitions', 'nullable'],
])
const isAnnotation = (keyword: string): boolean => annotations.has(keyword) || keyword.startsWith('x-')

const composing = new Set(['$ref', 'allOf', 'anyOf', 'oneOf', 'type', 'enum', 'const'])

/** Throws `TooLarge` where a schema has too many. */
export function schemaAlternatives(
  schema: unknown,
  definitions: Definitions,
  seen: readonly string[] = [],
): readonly Alternative[] {
  const fields = recordOf(schema)
  if (schema === false || isNever(fields.not)) return []
  if (seen.length > maxDepth) throw new TooLarge()
  const all = (members: unknown): readonly (readonly Alternative[])[] =>
    itemsOf(members).map((member) => schemaAlternatives(member, definitions, [...seen, '']))
  const [anyOf, oneOf] = [all(fields.anyOf), all(fields.oneOf)]
  const parts = [
    ownAlternatives(fields),
    ...referred(fields, definitions, seen),
    ...all(fields.allOf),
    ...(anyOf.length === 0 ? [] : [bounded(anyOf.flat())]),
    ...(oneOf.length === 0 ? [] : [bounded(exclusive(oneOf))]),
  ]
  const whole = parts.reduce((left, right) => intersection(left, right))
  const isNullable = fields.nullable === true && !whole.some(({ type }) => type === 'null')
  return isNullable ? [...whole, { ...unlimited, type: 'null', values: [null] }] : whole
}

const unlimited = { values: null, keywords: {}, reference: null } as const

const isNever = (not: unknown): boolean => not === true || (hasFields(not) && Object.keys(not).length === 0)

function bounded(all: readonly Alternative[]): readonly Alternative[] {
  if (all.length > maxAlternatives) throw new TooLarge()
  if (all.length < 2) return all
  return [...new Map(all.map((item) => [canonical(item), item])).values()]
}

/** Where two members may let the same value through, one of them must not: which, is not asked. */
function exclusive(members: readonly (readonly Alternative[])[]): readonly Alternative[] {
  const all = members.flat()
  const isShared = all.some((item) =>
    members.some((own) => !own.includes(item) && own.some((other) => overlaps(item, other))),
  )
  if (!isShared) return all
  const said = all.map((item) => item.reference ?? canonical(item)).sort()
  return all.map((item) => ({ ...item, keywords: { ...item.keywords, 'one of': said }, reference: null }))
}

function overlaps(a: Alternative, b: Alternative): boolean {
  if (a.type !== b.type) return false
  if (a.values !== null && b.values !== null) return common(a.values, b.values)?.length !== 0
  const wanted = textItems(b.keywords.required)
  const required = textItems(a.keywords.required).filter((name) => wanted.includes(name))
  return !required.some((name) => {
    const [own, other] = [a, b].map(({ keywords }) => valuesIn(ownIn(recordOf(keywords.properties), name)))
    return own != null && other != null && common(own, other)?.length === 0
  })
}

function valuesIn(schema: unknown): readonly unknown[] | null {
  const fields = recordOf(schema)
  if (Object.hasOwn(fields, 'const')) return [fields.const]
  return Array.isArray(fields.enum) ? fields.enum : null
}

/** Of the keywords beside the composing ones. A `not` that says something is a keyword that we do not understand. */
function ownAlternatives(fields: FieldValues): readonly Alternative[] {
  const values = valuesIn(fields)
  const names = fields.type === undefined ? null : textItems([fields.type].flat())
  const isInteger = names?.includes('integer') === true && !names.includes('number')
  const wanted = names?.map((name) => (name === 'integer' ? 'number' : name))
  return jsonTypes.flatMap((type) => {
    const own = values?.filter((value) => typeOf(value) === type) ?? allValues[type] ?? null
    if (wanted?.includes(type) === false || (values !== null && own?.length === 0)) return []
    const keywords = Object.entries(fields).filter(
      ([keyword]) => !isAnnotation(keyword) && !composing.has(keyword) && concerns(keyword, type),
    )
    const whole = type === 'number' && isInteger ? [...keywords, ['integer', true] as const] : keywords
    return [{ type, values: own, keywords: Object.fromEntries(whole), reference: null }]
  })
}

const allValues: Partial<Record<JsonType, readonly unknown[]>> = { null: [null], boolean: [true, false] }

function typeOf(value: unknown): JsonType | undefined {
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return jsonTypes.find((known) => known === type)
}

function referred(
  { $ref }: FieldValues,
  definitions: Definitions,
  seen: readonly string[],
): readonly (readonly Alternative[])[] {
  if (typeof $ref !== 'string') return []
  if (seen.includes($ref)) return [] // of itself it says nothing
  const found = definitions($ref)
  if (found === null) return [[{ ...unlimited, type: 'object', keywords: { $ref } }]]
  const all = schemaAlternatives(found.schema, definitions, [...seen, $ref])
  const [first] = all
  return [all.length === 1 && first !== undefined ? [{ ...first, reference: first.reference ?? $ref }] : all]
}

const intersection = (left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] =>
  bounded(
    left.flatMap((a) =>
      right.flatMap((b) => {
        if (a.type !== b.type) return []
        if (isFree(a)) return [b]
        if (isFree(b)) return [a]
        const values = common(a.values, b.values)
        if (values?.length === 0) return []
        return [{ type: a.type, values, keywords: joinedKeywords(a.keywords, b.keywords), reference: null }]
      }),
    ),
  )

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

/** Whether no value is one: what it must have cannot be there. It looks only a few levels deep. */
export function isImpossible({ type, keywords }: Alternative, definitions: Definitions, depth = 0): boolean {
  const isEmpty = (schema: unknown): boolean =>
    schema !== undefined &&
    schemaAlternatives(schema, definitions).every(
      (item) => depth < 4 && isImpossible(item, definitions, depth + 1),
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

/** Those with the same name, or the same value of a property that tells them apart, come first. */
export function likeness(a: Alternative, b: Alternative): number {
  if (a.reference !== null && a.reference === b.reference) return 1000
  const [own, other] = [recordOf(a.keywords.properties), recordOf(b.keywords.properties)]
  const shared = Object.keys(own).filter((name) => Object.hasOwn(other, name))
  const same = shared.filter((name) => isTelling(own[name]) && isSame(own[name], other[name]))
  return shared.length + 100 * same.length
}

const isTelling = (schema: unknown): boolean => 'const' in recordOf(schema) || 'enum' in recordOf(schema)

export const typeShown = ({ type, reference, values }: Alternative): unknown =>
  reference ?? (values !== null && type !== 'boolean' && type !== 'null' ? values : type)

/** Of a reference alone, with what is said beside it. */
export function definitionNamed(schema: unknown, definitions: Definitions): ReturnType<Definitions> {
  const { $ref, ...rest } = recordOf(schema)
  return typeof $ref === 'string' && Object.keys(rest).every(isAnnotation) ? definitions($ref) : null
}

/** As generated clients call it. */
export const componentOf = (schema: unknown): string | null =>
  /^#\/components\/schemas\/([^/]+)$/.exec(String(recordOf(schema).$ref))?.[1] ?? null

export const referencesIn = (schema: unknown): readonly string[] =>
  [...(canonical(schema) ?? '').matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g)].map(([, name = '""']) =>
    JSON.parse(name),
  )
