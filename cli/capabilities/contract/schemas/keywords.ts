/** The keywords of JSON Schema: of values of which type each speaks, which values it stops, and what two of them say together.
 *  Source: JSON Schema 2020-12, Validation, 6. */
import { canonical, type FieldValues, hasFields, isSame, recordOf, textItems } from './json.ts'

export const jsonTypes = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const
export type JsonType = (typeof jsonTypes)[number]

/** What stops a value: `bound` = surely, `unknown` = the keywords do not tell. */
export type Stop = 'bound' | 'unknown'

interface Kind {
  /** Whether `sup[keyword]` stops values that all keywords of `sub` let through; they are not the same. */
  readonly stops: (keyword: string, sub: FieldValues, sup: FieldValues) => Stop | null
  /** One value for both, where both hold. */
  readonly join: (a: unknown, b: unknown) => unknown
}

/** Keywords that cannot be joined: they stand beside each other. */
const beside: Kind['join'] = (a, b) => ({ 'all of': [a, b].map(canonical).sort() })

const bound = (isKept: boolean): Stop | null => (isKept ? null : 'bound')

/** A number that is the further in the larger it is; `sign` turns those around of which the smaller is. */
const limit = (sign: 1 | -1, [inclusive, exclusive]: readonly [string, string?]): Kind => ({
  stops: (keyword, sub, sup) => {
    const sided = (fields: FieldValues, name?: string): number => {
      const value = name === undefined ? undefined : fields[name]
      return value === undefined ? Number.NEGATIVE_INFINITY : sign * Number(value)
    }
    // no length is below 0
    const least = exclusive === undefined && sign === 1 ? 0 : Number.NEGATIVE_INFINITY
    const [closed, open, wanted] = [sided(sub, inclusive), sided(sub, exclusive), sided(sup, keyword)]
    const reached = Math.max(least, closed, open)
    const isBeyond = reached > wanted || (reached === wanted && open >= closed)
    return bound(keyword === exclusive ? isBeyond : reached >= wanted)
  },
  join: (a, b) => sign * Math.max(sign * Number(a), sign * Number(b)),
})

const flag: Kind = {
  stops: (keyword, _sub, sup) => bound(sup[keyword] !== true),
  join: (a, b) => a === true || b === true,
}

const multiple: Kind = {
  stops: (keyword, { [keyword]: from }, { [keyword]: to }) =>
    bound(typeof from === 'number' && typeof to === 'number' && to > 0 && Number.isInteger(from / to)),
  join: beside,
}

/** Formats of which every value of the first is one of the second. */
const narrower = new Set(['int32 int64', 'float double', 'int32 double', 'int32 float', 'idn-email email'])

const format: Kind = {
  stops: (keyword, sub, sup) => bound(narrower.has(`${sub[keyword]} ${sup[keyword]}`)),
  join: beside,
}

/** One more rule where there was none surely stops something; another rule may say the same in other words. */
const other: Kind = {
  stops: (keyword, sub) => (sub[keyword] === undefined && !unclear.has(keyword) ? 'bound' : 'unknown'),
  join: beside,
}
const unclear = new Set(['not', 'one of'])

/** Schemas, which are compared one by one. */
const parts = (join: Kind['join']): Kind => ({ stops: () => null, join })
const inBoth: Kind['join'] = (a, b) => ({ allOf: [a, b] })

const byName: Kind['join'] = (a, b) => {
  const [own, wanted] = [recordOf(a), recordOf(b)]
  const joined = Object.entries(wanted).map(([name, schema]): [string, unknown] => [
    name,
    Object.hasOwn(own, name) ? inBoth(own[name], schema) : schema,
  ])
  return { ...own, ...Object.fromEntries(joined) }
}

const rows: readonly (readonly [JsonType | null, Kind, string])[] = [
  ['string', limit(1, ['minLength']), 'minLength'],
  ['string', limit(-1, ['maxLength']), 'maxLength'],
  ['string', other, 'pattern contentEncoding contentMediaType contentSchema'],
  ['number', limit(1, ['minimum', 'exclusiveMinimum']), 'minimum exclusiveMinimum'],
  ['number', limit(-1, ['maximum', 'exclusiveMaximum']), 'maximum exclusiveMaximum'],
  ['number', multiple, 'multipleOf'],
  ['number', flag, 'integer'],
  ['array', limit(1, ['minItems']), 'minItems'],
  ['array', limit(-1, ['maxItems']), 'maxItems'],
  ['array', flag, 'uniqueItems'],
  ['array', parts(inBoth), 'items'],
  ['array', parts(beside), 'prefixItems'],
  ['array', other, 'contains minContains maxContains unevaluatedItems'],
  ['object', limit(1, ['minProperties']), 'minProperties'],
  ['object', limit(-1, ['maxProperties']), 'maxProperties'],
  ['object', parts(byName), 'properties patternProperties'],
  ['object', parts(inBoth), 'additionalProperties'],
  ['object', parts((a, b) => [...new Set([...textItems(a), ...textItems(b)])]), 'required'],
  [null, format, 'format'],
  ['object', other, 'propertyNames dependentRequired dependentSchemas unevaluatedProperties'],
]

const keywords: ReadonlyMap<string, Kind & { readonly type: JsonType | null }> = new Map(
  rows.flatMap(([type, kind, names]) => names.split(' ').map((name) => [name, { type, ...kind }] as const)),
)

/** Whether the keyword speaks of values of this type. A keyword that is not known speaks of all. */
export function concerns(keyword: string, type: JsonType): boolean {
  if (keyword === 'format') return type === 'string' || type === 'number'
  return (keywords.get(keyword)?.type ?? type) === type
}

/** The keywords of `sup` that stop values which `sub` lets through. */
export const stoppedBy = (
  sub: FieldValues,
  sup: FieldValues,
): readonly { readonly keyword: string; readonly kind: Stop }[] =>
  Object.keys(sup).flatMap((keyword) => {
    const kind = stops(keyword, sub, sup)
    return kind === null ? [] : [{ keyword, kind }]
  })

const stops = (keyword: string, sub: FieldValues, sup: FieldValues): Stop | null =>
  sup[keyword] === undefined || isSame(sub[keyword], sup[keyword])
    ? null
    : (keywords.get(keyword) ?? other).stops(keyword, sub, sup)

/** Whether the keywords let a value through, which those of `sub` do; null = the keywords do not tell: patterns are not run, they are
 *  foreign. */
export function letsThrough(sup: FieldValues, value: unknown, sub: FieldValues): boolean | null {
  if (typeof value === 'object' && value !== null)
    return Object.keys(sup).every((keyword) => isSame(sup[keyword], sub[keyword])) ? true : null
  const said = wordsOf(value)
  const found = stoppedBy({ ...sub, ...said }, sup)
  if (found.some(({ keyword }) => Object.hasOwn(said, keyword))) return false
  return found.length === 0 ? true : null
}

/** The keywords that this value alone has. */
function wordsOf(value: unknown): FieldValues {
  if (typeof value === 'string') return { minLength: [...value].length, maxLength: [...value].length }
  if (typeof value !== 'number') return {}
  const edges = { minimum: value, maximum: value, exclusiveMinimum: undefined, exclusiveMaximum: undefined }
  return { ...edges, multipleOf: value, integer: Number.isInteger(value) }
}

/** Both hold: the narrower bound, properties of both. */
export function joinedKeywords(first: FieldValues, second: FieldValues): FieldValues {
  const [a, b] = [withFurther(first, second), withFurther(second, first)]
  const both = Object.entries(b).map(([keyword, value]): [string, unknown] => {
    if (!Object.hasOwn(a, keyword) || isSame(a[keyword], value)) return [keyword, value]
    return [keyword, (keywords.get(keyword)?.join ?? beside)(a[keyword], value)]
  })
  return { ...a, ...Object.fromEntries(both) }
}

/** With the properties that only `other` names, of which `fields` says what further properties must be. */
function withFurther(fields: FieldValues, other: FieldValues): FieldValues {
  const { additionalProperties: further = true, properties, patternProperties } = fields
  const named = recordOf(properties)
  const names = Object.keys(recordOf(other.properties)).filter((name) => !Object.hasOwn(named, name))
  if (further === true || hasFields(patternProperties) || names.length === 0) return fields
  return { ...fields, properties: { ...named, ...Object.fromEntries(names.map((name) => [name, further])) } }
}
