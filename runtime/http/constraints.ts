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
}

/** `codec`, and the value must keep `constraints`; a number's rules say nothing about a text, and so on. */
export function constrained(codec: Decoder, constraints: Constraints): Decoder {
  const keeps = keeperOf(constraints)
  const restriction = (): string => codec.restriction
  const judged = (value: unknown): unknown =>
    value instanceof Misfit || keeps(value) ? value : new Misfit(restriction())
  return decoder({
    restriction,
    text: (values) => judged(codec.text(values)),
    json: (value) => judged(codec.json(value)),
    fields: (form) => judged(codec.fields(form)),
  })
}

/** Whether a decoded value keeps `constraints`. */
export function keeperOf(constraints: Constraints): (value: unknown) => boolean {
  const pattern = constraints.pattern === undefined ? null : new RegExp(constraints.pattern, 'u')
  return (value) => {
    if (typeof value === 'number') return keepsRange(value, constraints)
    if (typeof value === 'string') return keepsText(value, constraints) && pattern?.test(value) !== false
    return Array.isArray(value) ? keepsItems(value, constraints) : true
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
