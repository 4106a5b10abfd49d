/** What printed decoders of lists, records, unions and forms share. Source: annotations.md, Parameters; decisions.md,
 *  parameter conversion. */
import type { FormFields } from '../../contract/http.ts'
import {
  also,
  countRead,
  Decoder,
  firstFit,
  fullestFit,
  isOver,
  isText,
  Misfit,
  parsed,
  type Read,
  readJsonText,
} from './decoder.ts'

/** That a value is not of its type; `hint` says what the type's text does not. */
export const misfit = (restriction: string, hint = ''): Misfit => new Misfit(restriction, 'invalid', '', hint)

/** That a property is not there. */
const missing = (restriction: string, name: string): Misfit => new Misfit(restriction, 'missing', name)

/** That a property which must be there is not, or is not of its type (whose whole text, when it differs, is `whole`), after
 *  what did not fit `before` it. */
export function unfit(
  before: Misfit | undefined,
  restriction: string,
  name: string,
  given: unknown,
  whole: string = restriction,
): Misfit {
  return also(before, given === undefined ? missing(whole, name) : new Misfit(restriction, 'invalid', name))
}

/** An object of JSON. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A property of a name that every object has: only the value's own counts. */
export const own = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(value, name) ? value[name] : undefined

/** Why a property of `object` that must be there could not be read, after what did not fit `before` it. */
export const failed = (
  before: Misfit | undefined,
  why: Misfit,
  restriction: string,
  name: string,
  object: Readonly<Record<string, unknown>>,
): Misfit => also(before, own(object, name) === undefined ? missing(restriction, name) : why.within(name))

/** That a value is no object. */
export const noObject: Misfit = new Misfit('object')

/** Whether `value` is an object of JSON; the `size` properties that are about to be read are counted. */
export function opens(value: unknown, size: number): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value) || isOver()) return false
  countRead(size)
  return true
}

/** Whether `value` is a list, whose items are counted. */
export function opensList(value: unknown): value is readonly unknown[] {
  if (!Array.isArray(value) || isOver()) return false
  countRead(value.length)
  return true
}

const none: ReadonlySet<string> = new Set()

/** An object with any names but `__proto__`, or but those `except`, and one type of value. */
export function readRecord(value: unknown, read: Read<unknown>, except: ReadonlySet<string> = none): unknown {
  if (!isRecord(value) || isOver() || Object.hasOwn(value, '__proto__')) return noObject
  const names = Object.keys(value).filter((name) => !except.has(name))
  countRead(names.length)
  const result: Record<string, unknown> = {}
  let wrong: Misfit | undefined
  for (const name of names) {
    const item = isText(name) ? read(value[name]) : noObject
    if (item instanceof Misfit) wrong = also(wrong, item.within(name))
    if (wrong?.isFull === true) return wrong
    result[name] = item
  }
  return wrong ?? result
}

/** What reads the names of an object that match no pattern, if they are read, and those that are not looked at. */
interface Others {
  readonly rest: Read<unknown> | null
  readonly except: ReadonlySet<string>
}

/** An object of which `named` read the names that match: each that does must take the value, and the first makes it. */
export function readNamed(
  value: unknown,
  named: readonly (readonly [pattern: RegExp, read: Read<unknown>])[],
  { rest, except }: Others,
): unknown {
  if (!isRecord(value) || isOver() || Object.hasOwn(value, '__proto__')) return noObject
  const names = Object.keys(value).filter((name) => !except.has(name))
  countRead(names.length)
  const result: Record<string, unknown> = {}
  let wrong: Misfit | undefined
  for (const name of names) {
    const fits = named.flatMap(([pattern, read]) => (pattern.test(name) ? [read] : []))
    const reads = fits.length === 0 && rest !== null ? [rest] : fits
    const items = reads.map((read) => (isText(name) ? read(value[name]) : noObject))
    const misfit = items.find((item) => item instanceof Misfit)
    if (misfit instanceof Misfit) wrong = also(wrong, misfit.within(name))
    if (wrong?.isFull === true) return wrong
    if (items.length > 0) result[name] = items[0]
  }
  return wrong ?? result
}

/** `known` properties, and after an object's further ones, as `read` has read them all. */
export function withFurther(further: unknown, known: object): unknown {
  return further instanceof Misfit ? further : Object.assign(further as object, known) // what records read are objects
}

/** A list of fixed places, of which the first `required` must be there; `rest` reads what follows. */
export function readTuple(
  value: readonly unknown[],
  places: readonly Read<unknown>[],
  rest: Read<unknown> | null = null,
): unknown {
  countRead(value.length)
  const items: unknown[] = []
  let wrong: Misfit | undefined
  for (let index = 0; index < value.length; index++) {
    const read = places[index] ?? rest
    const item = read === null ? value[index] : read(value[index])
    if (item instanceof Misfit) wrong = also(wrong, item.within(index))
    if (wrong?.isFull === true) return wrong
    items.push(item)
  }
  return wrong ?? items
}

/** The first member that takes the value decides; of objects the first that keeps most of it. */
export function readUnion(value: unknown, members: readonly Read<unknown>[], restriction: string): unknown {
  return isRecord(value) ? fullestFit(members, value, restriction) : firstFit(members, value, restriction)
}

/** A list in texts: repeated, comma-separated, or as JSON (a tool call sends lists so, for their texts may hold commas); an
 *  empty text is an empty list. `toList` makes of the items what the type wants. */
export function readTexts(
  values: readonly string[],
  item: Read<readonly string[]>,
  list: Read<unknown>,
  toList: (items: readonly unknown[]) => unknown = (items) => items,
): unknown {
  const [only = ''] = values
  if (values.length === 1 && only.startsWith('[')) {
    const given = parsed(only)
    if (Array.isArray(given)) return list(given)
  }
  const texts = values.length > 1 ? values : only === '' ? [] : only.split(',')
  countRead(texts.length)
  const items: unknown[] = []
  let wrong: Misfit | undefined
  for (const [index, text] of texts.entries()) {
    const value = item([text])
    if (value instanceof Misfit) wrong = also(wrong, value.within(index))
    if (wrong?.isFull === true) return wrong
    items.push(value)
  }
  return wrong ?? toList(items)
}

/** Reads texts that hold JSON. */
export const jsonText =
  (read: Read<unknown>, restriction: string): Read<readonly string[]> =>
  (values) =>
    readJsonText(values, read, restriction)

/** What was read, when it keeps the rules of its type. */
export const keptIf = (value: unknown, test: (value: never) => boolean, restriction: string): unknown =>
  value instanceof Misfit || test(value as never) ? value : new Misfit(restriction) // its own type's rules

/** A plain type with rules. */
export const keeping = (plain: Decoder, test: (value: never) => boolean): Decoder =>
  new Decoder(
    plain.restriction,
    (value) => keptIf(plain.json(value), test, plain.restriction),
    (values) => keptIf(plain.text(values), test, plain.restriction),
  )

/** What was read, as another class. */
export const converted = (value: unknown, make: (value: never) => unknown): unknown =>
  value instanceof Misfit ? value : make(value as never) // the class of its own type

/** A form in which every field is a property. */
export function readForm(
  form: FormFields,
  properties: readonly (readonly [name: string, decoder: Decoder, isRequired: 0 | 1])[],
): unknown {
  countRead(properties.length)
  const fields: [string, unknown][] = []
  let wrong: Misfit | undefined
  for (const [name, decoder, isRequired] of properties) {
    const value = fieldOf(form, name, decoder)
    if (value instanceof Misfit) wrong = also(wrong, value.within(name))
    else if (value !== undefined) fields.push([name, value])
    else if (isRequired === 1) wrong = also(wrong, missing(decoder.restriction, name))
    if (wrong?.isFull === true) return wrong
  }
  if (wrong !== undefined) return wrong
  return Object.fromEntries(fields) // a field called __proto__ is a property like others
}

function fieldOf(form: FormFields, name: string, { text, json }: Decoder): unknown {
  if (form.has(name)) return text(form.getAll(name))
  const files = form.files?.(name)
  return files === undefined ? undefined : json(files)
}

/** A form whose fields' last values are an object. */
export const readFormAsObject = (form: FormFields, read: Read<unknown>): unknown =>
  read(Object.fromEntries(form.entries()))
