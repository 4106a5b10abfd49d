/** What the constraint tags of a type or property ask of a decoded value (`@multipleOf`, `@pattern` …). */
// Source: language.md, Method tags.

import { type TextPattern, textPattern } from '../../text-patterns.ts'
import { numberedNow } from './decoder.ts'
import { areUnique } from './same-json.ts'

/** Keywords of JSON Schema 2020-12 that are enforced; absent = not asked. */
export interface Constraints {
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  /** In Unicode code points, as JSON Schema counts. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  /** Of every name of an object. */
  readonly propertyNames?: { readonly pattern: string }
}

/** Tells the first of `constraints` that a decoded value breaks, as `must be at most 100`; null = it keeps them, whatever it is: a
 *  number's rules say nothing about a text, and so on. */
export function constraintCheck(constraints: Constraints): (value: unknown) => string | null {
  const { pattern, propertyNames } = constraints
  const text = pattern === undefined ? null : textPattern(pattern)
  const names = propertyNames === undefined ? null : textPattern(propertyNames.pattern)
  return (value) => {
    if (typeof value === 'number') return brokenRange(value, constraints)
    if (typeof value === 'string')
      return brokenLength(value, constraints) ?? (text?.test(value) === false ? mustMatch(pattern) : null)
    if (Array.isArray(value)) return brokenItems(value, constraints)
    if (names === null || typeof value !== 'object' || value === null || hasNames(value, names)) return null
    return `its names ${mustMatch(propertyNames?.pattern)}`
  }
}

/** More is no help, and the document has it. */
const longestPattern = 200

const mustMatch = (pattern = ''): string =>
  pattern.length > longestPattern ? 'must match its pattern' : `must match ${pattern}`

/** Whether every name of an object matches. */
const hasNames = (value: object, pattern: TextPattern): boolean =>
  Object.keys(value).every((name) => pattern.test(name))

function brokenRange(
  value: number,
  { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf }: Constraints,
): string | null {
  if (minimum !== undefined && value < minimum) return `must be at least ${minimum}`
  if (maximum !== undefined && value > maximum) return `must be at most ${maximum}`
  if (above !== undefined && value <= above) return `must be greater than ${above}`
  if (below !== undefined && value >= below) return `must be less than ${below}`
  if (multipleOf === undefined || isMultiple(value, multipleOf)) return null
  return `must be a multiple of ${multipleOf}`
}

/** 0.3 is a multiple of 0.1, although floating point numbers say otherwise. */
function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0
  const times = value / of
  return Math.abs(times - Math.round(times)) <= 4 * Number.EPSILON * Math.max(1, Math.abs(times))
}

/** A text's length is that in Unicode code points: at least half its UTF-16 units, at most as many. */
function brokenLength(
  value: string,
  { minLength: least = 0, maxLength: most = Infinity }: Constraints,
): string | null {
  const units = value.length
  if (units >= 2 * least && units <= most) return null
  const length = units > 2 * most ? units : [...value].length
  if (length < least) return `must have at least ${counted(least, 'character')}`
  return length > most ? `must have at most ${counted(most, 'character')}` : null
}

function brokenItems(value: readonly unknown[], constraints: Constraints): string | null {
  const { minItems = 0, maxItems = Infinity, uniqueItems = false } = constraints
  if (value.length < minItems) return `must have at least ${counted(minItems, 'item')}`
  if (value.length > maxItems) return `must have at most ${counted(maxItems, 'item')}`
  return !uniqueItems || areUnique(value, numberedNow()) ? null : 'must not have an item twice'
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
