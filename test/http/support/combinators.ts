/** Decoders put together at run time from closures, one a type: what the printed ones are held against, and a short way
 *  to say a decoder in a test. */
import type { FormFields } from '../../../runtime/contract/http.ts'
import { type Constraints, keeperOf } from '../../../runtime/http/codec/constraints.ts'
import {
  also,
  countRead,
  Decoder,
  firstFit,
  fullestFit,
  isText,
  Misfit,
  oneDeeper,
  parsed,
  readJsonText,
} from '../../../runtime/http/codec/decoder.ts'
import { unknown } from '../../../runtime/http/codec/scalars.ts'

export * from '../../../runtime/http/codec/scalars.ts'
export type { Decoder }

interface Parts {
  /** Asked for when needed: types may be recursive. */
  readonly restriction: () => string
  readonly text: Decoder['text']
  readonly json: Decoder['json']
  readonly fields?: Decoder['fields']
}

class Made extends Decoder {
  readonly #restriction: () => string
  constructor({ restriction, text, json, fields }: Parts) {
    super('', json, text, fields ?? null)
    this.#restriction = restriction
    Object.defineProperty(this, 'restriction', { get: () => this.#restriction() })
  }
}

const decoder = (parts: Parts): Decoder => new Made(parts)

/** The list that a text in JSON form holds. */
function jsonList(text: string): readonly unknown[] | null {
  if (!text.startsWith('[')) return null
  const list = parsed(text)
  return Array.isArray(list) ? list : null
}

/** `codec`, and the value must keep `constraints`. */
export function constrained(codec: Decoder, constraints: Constraints): Decoder {
  const keeps = keeperOf(constraints)
  return mapped(codec, (value) => (keeps(value) ? value : new Misfit(codec.restriction)))
}

/** `codec`, and what it read is then made into another value, such as a `Map`. */
export function converted(codec: Decoder, convert: (value: never) => unknown): Decoder {
  return mapped(codec, (value) => convert(value as never)) // the printer prints what takes it
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

/** Every item read, or what does not fit. */
function readItems(given: readonly unknown[], read: (item: unknown, index: number) => unknown): unknown {
  countRead(given.length)
  const items: unknown[] = []
  let wrong: Misfit | undefined
  for (let index = 0; index < given.length; index++) {
    const value = read(given[index], index)
    if (value instanceof Misfit) wrong = also(wrong, value.within(index))
    if (wrong?.isFull === true) return wrong
    items.push(value)
  }
  return wrong ?? items
}

/** A list: in texts repeated, comma-separated or JSON values; an empty text is an empty list. `unique` makes a `Set`. */
export function array(items: Decoder, options: { readonly unique?: boolean } = {}): Decoder {
  const restriction = (): string => `${items.restriction}[]`
  const finish = (list: unknown): unknown =>
    options.unique === true && Array.isArray(list) ? new Set(list) : list
  const readText = (text: unknown): unknown => items.text([String(text)])
  const json = (value: unknown): unknown =>
    Array.isArray(value) ? finish(readItems(value, items.json)) : new Misfit(restriction())
  const text = (values: readonly string[]): unknown => {
    if (values.length > 1) return finish(readItems(values, readText))
    const [only = ''] = values
    const list = jsonList(only)
    if (list !== null) return json(list)
    return finish(readItems(only === '' ? [] : only.split(','), readText))
  }
  return decoder({ restriction, json, text })
}

/** A structured value: text (in a query, header or form field) holds JSON. */
function structured(restriction: () => string, json: Decoder['json'], fields?: Decoder['fields']): Decoder {
  const text = (values: readonly string[]): unknown => readJsonText(values, json, restriction())
  return decoder({ restriction, json, text, ...(fields === undefined ? {} : { fields }) })
}

/** A list of fixed places, of which the first `required` must be there; `rest` reads what follows. */
export function tuple(
  items: readonly Decoder[],
  required: number = items.length,
  rest: Decoder | null = null,
): Decoder {
  const most = rest === null ? items.length : Number.POSITIVE_INFINITY
  const texts = (): readonly string[] => items.map((item) => item.restriction)
  const more = (): readonly string[] => (rest === null ? [] : [`...${rest.restriction}[]`])
  const restriction = (): string => `[${[...texts(), ...more()].join(', ')}]`
  return structured(restriction, (value) => {
    if (!Array.isArray(value) || value.length < required || value.length > most) {
      return new Misfit(restriction())
    }
    return readItems(value, (item, index) => (items[index] ?? rest ?? unknown).json(item))
  })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const misfitObject = new Misfit('object')

interface Property {
  readonly name: string
  readonly codec: Decoder
  /** The codec's own. */
  readonly json: Decoder['json']
  readonly required: boolean
  /** Every object has something of that name: only its own counts. */
  readonly inherited: boolean
}

/** What reads the names that match a pattern. */
type NamedDecoder = readonly [pattern: RegExp, values: Decoder]

/** An object: further properties are read by those of `named` that match, else by `rest`, or dropped; a missing one raises
 *  `MissingError` with its dotted path. In a form every field is a property. */
export function object(
  properties: Readonly<Record<string, { readonly codec: Decoder; readonly required: boolean }>>,
  rest: Decoder | null = null,
  named: readonly NamedDecoder[] = [],
): Decoder {
  const except = new Set(Object.keys(properties))
  const readersOf = (name: string): readonly Decoder[] => {
    const own = named.flatMap(([pattern, values]) => (pattern.test(name) ? [values] : []))
    return own.length === 0 && rest !== null ? [rest] : own
  }
  const further = rest === null && named.length === 0 ? null : furtherOf(readersOf, except)
  const list: readonly Property[] = Object.entries(properties).map(([name, { codec, required }]) => ({
    name,
    codec,
    json: codec.json,
    required,
    inherited: name in Object.prototype,
  }))
  return structured(
    () => 'object',
    (value) => (isRecord(value) ? readProperties(list, value, further) : misfitObject),
    (form) =>
      readEach(list, ({ name, codec }) => {
        if (form.has(name)) return codec.text(form.getAll(name))
        const files = form.files?.(name)
        return files === undefined ? undefined : codec.json(files)
      }),
  )
}

function readProperties(
  list: readonly Property[],
  value: Readonly<Record<string, unknown>>,
  further: Decoder | null,
): unknown {
  const known = readEach(list, ({ name, json, inherited }) => {
    const given = inherited && !Object.hasOwn(value, name) ? undefined : value[name]
    return given === undefined ? undefined : json(given)
  })
  if (further === null || known instanceof Misfit) return known
  const more = further.json(value)
  return more instanceof Misfit ? more : Object.assign(more as object, known) // what records read are objects
}

const missing = ({ name, codec }: Property): Misfit => new Misfit(codec.restriction, 'missing', name)

/** `read` answers `undefined` for a property that is not there. */
function readEach(list: readonly Property[], read: (property: Property) => unknown): unknown {
  countRead(list.length)
  const result: Record<string, unknown> = {}
  let wrong: Misfit | undefined
  for (const property of list) {
    const value = read(property)
    if (value instanceof Misfit) wrong = also(wrong, value.within(property.name))
    else if (value !== undefined) result[property.name] = value
    else if (property.required) wrong = also(wrong, missing(property))
  }
  return wrong ?? result
}

/** An object with any keys but `__proto__`, and one type of value. */
export const record = (values: Decoder): Decoder => furtherOf(() => [values], new Set())

/** The names beside those `except`: all that read one must take its value, the first makes it; what nothing reads is dropped. */
function furtherOf(readersOf: (name: string) => readonly Decoder[], except: ReadonlySet<string>): Decoder {
  return structured(
    () => 'object',
    (value) => {
      if (!isRecord(value) || Object.hasOwn(value, '__proto__')) return misfitObject
      const names = Object.keys(value).filter((name) => !except.has(name))
      countRead(names.length)
      const result: Record<string, unknown> = {}
      let wrong: Misfit | undefined
      for (const name of names) {
        const items = readersOf(name).map(({ json }) => (isText(name) ? json(value[name]) : misfitObject))
        const misfit = items.find((item) => item instanceof Misfit)
        if (misfit instanceof Misfit) wrong = also(wrong, misfit.within(name))
        if (wrong?.isFull === true) return wrong
        if (items.length > 0) result[name] = items[0]
      }
      return wrong ?? result
    },
  )
}

/** The first member that takes the value decides; of objects the first that keeps most of it. */
export function union(members: readonly Decoder[]): Decoder {
  const restriction = (): string => members.map((member) => member.restriction).join(' | ')
  return decoder({
    restriction,
    text: (values) =>
      firstFit(
        members.map(({ text }) => text),
        values,
        restriction(),
      ),
    json: (value) =>
      isRecord(value)
        ? fullestFit(
            members.map(({ json }) => json),
            value,
            restriction(),
          )
        : firstFit(
            members.map(({ json }) => json),
            value,
            restriction(),
          ),
    fields: (form: FormFields) =>
      firstFit(
        members.map(({ fields }) => fields),
        form,
        restriction(),
      ),
  })
}

/** The member that the tag names decides, and says what is wrong. */
export function tagged(
  tag: string,
  members: readonly (readonly [value: unknown, member: Decoder])[],
): Decoder {
  const whole = union(members.map(([, member]) => member))
  const choose = (value: unknown): Decoder | undefined =>
    isRecord(value) ? members.find(([of]) => of === value[tag])?.[1] : undefined
  return decoder({
    restriction: () => whole.restriction,
    text: whole.text,
    json: (value) => (choose(value) ?? whole).json(value),
    fields: whole.fields,
  })
}

/** The value or null. */
export function nullable(codec: Decoder): Decoder {
  return decoder({
    restriction: () => `${codec.restriction} | null`,
    text: codec.text,
    json: (value) => (value === null ? null : codec.json(value)),
    fields: codec.fields,
  })
}

const asking = new Set<Decoder>()

/** A named codec that is looked up when used, so that types may be recursive; inside its own text it is `…`. */
export function ref(codec: () => Decoder): Decoder {
  return decoder({
    restriction: () => {
      const named = codec()
      if (asking.has(named)) return '…'
      asking.add(named)
      const { restriction } = named
      asking.delete(named)
      return restriction
    },
    text: (values) => oneDeeper(codec().text, values),
    json: (value) => oneDeeper(codec().json, value),
    fields: (form) => oneDeeper(codec().fields, form),
  })
}
