/** Whether the keywords of one alternative let through what those of another do, keyword by keyword. Properties and items are
 *  schemas of their own, and are not judged here. Source: JSON Schema 2020-12, Validation, 6. */
import type { Alternative } from './alternatives.ts'
import { isSame } from './json.ts'

/** What stops a value: `bound` = surely, `unknown` = nobody can say. */
export interface Stopped {
  readonly kind: 'bound' | 'unknown'
  readonly keyword: string
}

/** Schemas, which are compared one by one. */
const structural = new Set([
  ...['properties', 'required', 'additionalProperties', 'patternProperties', 'items', 'prefixItems'],
])

const lowest = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'])
const highest = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])

/** Formats of which every value of the first is one of the second. */
const narrower = new Set(['int32 int64', 'float double', 'int32 double', 'int32 float', 'idn-email email'])

/** The keywords of `sup` that stop values which `sub` lets through. */
export function stoppedBy(sub: Alternative, sup: Alternative): readonly Stopped[] {
  const keywords = new Set([...Object.keys(sub.keywords), ...Object.keys(sup.keywords)])
  return [...keywords].flatMap((keyword) => {
    if (structural.has(keyword)) return []
    const kind = stops(keyword, sub.keywords, sup.keywords)
    return kind === null ? [] : [{ kind, keyword }]
  })
}

type Keywords = Alternative['keywords']

function stops(keyword: string, sub: Keywords, sup: Keywords): Stopped['kind'] | null {
  const [from, to] = [sub[keyword], sup[keyword]]
  if (to === undefined) return null
  if (isSame(from, to)) return null
  if (lowest.has(keyword)) return Number(lowestOf(keyword, sub)) >= Number(to) ? null : 'bound'
  if (highest.has(keyword)) return Number(highestOf(keyword, sub)) <= Number(to) ? null : 'bound'
  if (keyword === 'uniqueItems') return to === true ? 'bound' : null
  if (keyword === 'integer') return 'bound'
  if (keyword === 'multipleOf') return isMultiple(from, to) ? null : 'bound'
  if (keyword === 'format') return narrower.has(`${from} ${to}`) ? null : 'bound'
  // one more rule where there was none surely stops something; another rule may say the same in other words
  return from === undefined && !['not', 'one of'].includes(keyword) ? 'bound' : 'unknown'
}

/** The lowest that `sub` lets through, for the bound `keyword`: no length is below 0. */
function lowestOf(keyword: string, sub: Keywords): number {
  const plain = Number(
    sub[keyword] ?? (keyword.startsWith('min') && keyword !== 'minimum' ? 0 : Number.NEGATIVE_INFINITY),
  )
  if (keyword === 'minimum') return Math.max(plain, Number(sub.exclusiveMinimum ?? Number.NEGATIVE_INFINITY))
  if (keyword !== 'exclusiveMinimum') return plain
  const inclusive = Number(sub.minimum ?? Number.NEGATIVE_INFINITY)
  return Math.max(plain, sub.integer === true ? inclusive - 1 : beside(inclusive, -1))
}

function highestOf(keyword: string, sub: Keywords): number {
  const plain = Number(sub[keyword] ?? Number.POSITIVE_INFINITY)
  if (keyword === 'maximum') return Math.min(plain, Number(sub.exclusiveMaximum ?? Number.POSITIVE_INFINITY))
  if (keyword !== 'exclusiveMaximum') return plain
  const inclusive = Number(sub.maximum ?? Number.POSITIVE_INFINITY)
  return Math.min(plain, sub.integer === true ? inclusive + 1 : beside(inclusive, 1))
}

/** A bound that a number reaches is no bound that it must not reach. */
const beside = (bound: number, sign: 1 | -1): number =>
  Number.isFinite(bound) ? bound + sign * Math.max(Math.abs(bound), 1) * Number.EPSILON : bound

const isMultiple = (from: unknown, to: unknown): boolean =>
  typeof from === 'number' && typeof to === 'number' && to > 0 && Number.isInteger(from / to)

/** Whether the keywords let one of the values of `sub` through; null = nobody can say: patterns are not run, they are
 *  foreign. */
export function letsThrough(
  { values, keywords }: Alternative,
  value: unknown,
  sub: Alternative,
): boolean | null {
  if (values !== null && !values.some((one) => isSame(one, value))) return false
  if (!isWithinBounds(keywords, value)) return false
  const isKnown = (keyword: string): boolean =>
    judged.has(keyword) || isSame(keywords[keyword], sub.keywords[keyword])
  return Object.keys(keywords).every(isKnown) ? true : null
}

const judged = new Set([
  ...['integer', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  'multipleOf',
])

function isWithinBounds(keywords: Keywords, value: unknown): boolean {
  if (typeof value === 'string') return isWithin([...value].length, keywords.minLength, keywords.maxLength)
  if (typeof value !== 'number') return true
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = keywords
  return (
    isWithin(value, keywords.minimum, keywords.maximum) &&
    !(keywords.integer === true && !Number.isInteger(value)) &&
    !(typeof above === 'number' && value <= above) &&
    !(typeof below === 'number' && value >= below) &&
    !(typeof multipleOf === 'number' && multipleOf > 0 && !Number.isInteger(value / multipleOf))
  )
}

const isWithin = (size: number, least: unknown, most: unknown): boolean =>
  !(typeof least === 'number' && size < least) && !(typeof most === 'number' && size > most)
