/** What came in place of a value, as errors tell it: its kind of JSON, of numbers and booleans the value. Never a text, which may be a
 *  secret. */
import type { FormFields } from '../../contract/http.ts'
import { UploadedFile } from '../input/uploads.ts'

/** The names and places from a value to one inside it, outermost first. */
export type Steps = readonly (string | number)[]

/** What came there, in at most 40 characters; empty = it is not known. */
export type Received = (steps: Steps, restriction: string) => string

export const receivedJson =
  (value: unknown): Received =>
  (steps) =>
    kindOf(valueAt(value, steps))

/** Of texts those of a list that is repeated or has commas, and JSON. */
export const receivedTexts =
  (values: readonly string[]): Received =>
  (steps, restriction) => {
    const [place = 0, ...further] = steps
    const isRepeated = values.length > 1 && typeof place === 'number'
    const text = (isRepeated ? values[place] : values[0]) ?? ''
    const inside = isRepeated ? further : steps
    const whole = parsed(text)
    if (typeof whole === 'object' && whole !== null) return kindOf(valueAt(whole, inside))
    const [index] = inside
    return kindOfText(typeof index === 'number' ? (text.split(',')[index] ?? '') : text, restriction)
  }

export const receivedFields =
  (form: FormFields): Received =>
  ([name, ...inside], restriction) => {
    if (name === undefined) return 'a form'
    const field = String(name)
    if (form.has(field)) return receivedTexts(form.getAll(field))(inside, restriction)
    return form.files?.(field) === undefined ? '' : 'a file'
  }

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'list'
  if (value instanceof UploadedFile) return 'a file'
  switch (typeof value) {
    case 'number':
    case 'boolean':
      return String(value)
    case 'string':
      return value === '' ? 'empty text' : 'text'
    default:
      return typeof value === 'object' ? 'object' : ''
  }
}

const numberTypes = /^(Int32|Integer|Float64)( \| null)?$/
const shortNumber = /^-?\d{1,20}(\.\d{1,12})?$/

/** A number where one is wanted: elsewhere its digits may be a secret. */
const kindOfText = (text: string, restriction: string): string =>
  numberTypes.test(restriction) && shortNumber.test(text) ? text : kindOf(text)

function valueAt(value: unknown, steps: Steps): unknown {
  let found = value
  for (const name of steps) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = Reflect.get(found, name)
  }
  return found
}

/** What JSON text holds; `undefined` when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
