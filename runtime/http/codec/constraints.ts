/** What the constraint tags of a type or property ask of a decoded value (`@multipleOf`, `@pattern` …). */
// Source: annotations.md, Method tags, `@param`.

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

/** Whether a decoded value keeps `constraints`, whatever it is: a number's rules say nothing about a text, and so on. */
export function constraintCheck(constraints: Constraints): (value: unknown) => boolean {
  const pattern = constraints.pattern === undefined ? null : new RegExp(constraints.pattern, 'u')
  const names =
    constraints.propertyNames === undefined ? null : new RegExp(constraints.propertyNames.pattern, 'u')
  return (value) => {
    if (typeof value === 'number') return keepsRange(value, constraints)
    if (typeof value === 'string') return keepsText(value, constraints) && pattern?.test(value) !== false
    if (Array.isArray(value)) return keepsItems(value, constraints)
    return names === null || typeof value !== 'object' || value === null || hasNames(value, names)
  }
}

/** Whether every name of an object matches. */
const hasNames = (value: object, pattern: RegExp): boolean =>
  Object.keys(value).every((name) => pattern.test(name))

function keepsRange(value: number, { minimum, maximum, ...more }: Constraints): boolean {
  const { exclusiveMinimum: above = -Infinity, exclusiveMaximum: below = Infinity, multipleOf } = more
  if (value < (minimum ?? -Infinity) || value > (maximum ?? Infinity)) return false
  if (value <= above || value >= below) return false
  return multipleOf === undefined || isMultiple(value, multipleOf)
}

/** 0.3 is a multiple of 0.1, although floating point numbers say otherwise. */
function isMultiple(value: number, of: number): boolean {
  const times = value / of
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times))
}

const keepsText = (value: string, { minLength = 0, maxLength = Infinity }: Constraints): boolean =>
  hasLength(value, minLength, maxLength)

/** Whether a text has so many Unicode code points: at least half as many as UTF-16 units, at most as many. */
function hasLength(value: string, least: number, most: number): boolean {
  const units = value.length
  if (units < least || units > 2 * most) return false
  if (units >= 2 * least && units <= most) return true
  const { length } = [...value]
  return length >= least && length <= most
}

function keepsItems(value: readonly unknown[], constraints: Constraints): boolean {
  const { minItems = 0, maxItems = Infinity, uniqueItems = false } = constraints
  if (value.length < minItems || value.length > maxItems) return false
  return !uniqueItems || areUnique(value)
}

/** Whether no two items have the same JSON. */
const areUnique = (items: readonly unknown[]): boolean => new Set(items.map(keyOf)).size === items.length

const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? ''
