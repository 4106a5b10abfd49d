/** Narrows a codec by the constraint tags of a type or property (`@minimum`, `@pattern` …): the decoders that the compiler
 *  prints call it. Source: annotations.md, Method tags, `@param`. */
import { type Decoder, decoder, Misfit } from './decoder.ts'

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

/** `codec`, and the value must keep `constraints`; a number's rules say nothing about a text, and so on. */
export function constrained(codec: Decoder, constraints: Constraints): Decoder {
  const keeps = keeperOf(constraints)
  return mapped(codec, (value) => (keeps(value) ? value : new Misfit(codec.restriction)))
}

/** `codec`, and what it read is then made into another value, such as a `Map`. */
export function converted(codec: Decoder, convert: (value: never) => unknown): Decoder {
  return mapped(codec, (value) => convert(value as never)) // the compiler prints what takes it
}

function mapped(codec: Decoder, next: (value: unknown) => unknown): Decoder {
  const after = (value: unknown): unknown => (value instanceof Misfit ? value : next(value))
  return decoder({
    restriction: () => codec.restriction,
    text: (values) => after(codec.text(values)),
    json: (value) => after(codec.json(value)),
    fields: (form) => after(codec.fields(form)),
  })
}

/** Whether a decoded value keeps `constraints`. */
export function keeperOf(constraints: Constraints): (value: unknown) => boolean {
  const pattern = constraints.pattern === undefined ? null : new RegExp(constraints.pattern, 'u')
  const names =
    constraints.propertyNames === undefined ? null : new RegExp(constraints.propertyNames.pattern, 'u')
  return (value) => {
    if (typeof value === 'number') return keepsRange(value, constraints)
    if (typeof value === 'string') return keepsText(value, constraints) && pattern?.test(value) !== false
    if (Array.isArray(value)) return keepsItems(value, constraints)
    if (names === null || typeof value !== 'object' || value === null) return true
    return Object.keys(value).every((name) => names.test(name))
  }
}

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

function keepsText(value: string, { minLength = 0, maxLength = Infinity }: Constraints): boolean {
  if (minLength === 0 && maxLength === Infinity) return true
  const { length } = [...value]
  return length >= minLength && length <= maxLength
}

function keepsItems(value: readonly unknown[], constraints: Constraints): boolean {
  const { minItems = 0, maxItems = Infinity, uniqueItems = false } = constraints
  if (value.length < minItems || value.length > maxItems) return false
  return !uniqueItems || new Set(value.map(keyOf)).size === value.length
}

const keyOf = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? ''
