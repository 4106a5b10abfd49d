/** The parts from which the compiler prints decoders (`.acmcp/`): each reads one type from texts and from JSON, and
 *  raises `MissingError` or `ValueError` with the dotted path. Public as `acmcp/codec`; generated code imports it. */
import {
  countRead,
  type Decoder,
  decoder,
  firstFit,
  fullestFit,
  isTame,
  isText,
  Misfit,
  oneDeeper,
} from './decoder.ts'

export { constrained, converted } from './constraints.ts'
export {
  bigint,
  boolean,
  bytes,
  date,
  file,
  format,
  int32,
  int64,
  integer,
  literal,
  nullValue,
  number,
  string,
  uuid,
} from './scalars.ts'
export type { Decoder }

const misfitNever = new Misfit('nothing')
const misfitUnknown = new Misfit('unknown')

/** Any JSON: bounded in depth, and without `__proto__`. */
export const unknown: Decoder = decoder({
  restriction: () => 'unknown',
  text: ([value = '']) => (isText(value) ? value : misfitUnknown),
  json: (value) => (isTame(value) ? value : misfitUnknown),
})

/** What must be absent. */
export const never: Decoder = decoder({
  restriction: () => 'nothing',
  text: () => misfitNever,
  json: () => misfitNever,
})

/** The list that a text in JSON form holds (a tool call sends lists of one so, for their texts may hold commas). */
function jsonList(text: string): readonly unknown[] | null {
  if (!text.startsWith('[')) return null
  const list = parsed(text)
  return Array.isArray(list) ? list : null
}

/** What JSON text holds; `undefined` when it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Every item read, or the first misfit. */
function readItems(given: readonly unknown[], read: (item: unknown, index: number) => unknown): unknown {
  countRead(given.length)
  const items: unknown[] = []
  for (let index = 0; index < given.length; index++) {
    const value = read(given[index], index)
    if (value instanceof Misfit) return value.within(index)
    items.push(value)
  }
  return items
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
  const text = (values: readonly string[]): unknown => {
    const value = parsed(values[0] ?? '')
    return value === undefined ? new Misfit(restriction()) : json(value)
  }
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

/** An object: further properties are read by `rest` or dropped, a missing one raises `MissingError` with its dotted path.
 *  In a form every field is a property. */
export function object(
  properties: Readonly<Record<string, { readonly codec: Decoder; readonly required: boolean }>>,
  rest: Decoder | null = null,
): Decoder {
  const further = rest === null ? null : record(rest, new Set(Object.keys(properties)))
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
  const known = readKnown(list, value)
  if (further === null || known instanceof Misfit) return known
  const more = further.json(value)
  return more instanceof Misfit ? more : Object.assign(more as object, known) // what records read are objects
}

function readKnown(list: readonly Property[], value: Readonly<Record<string, unknown>>): unknown {
  countRead(list.length)
  const result: Record<string, unknown> = {}
  for (const property of list) {
    const { name, json } = property
    const given = property.inherited && !Object.hasOwn(value, name) ? undefined : value[name]
    const read = given === undefined ? undefined : json(given)
    if (read instanceof Misfit) return read.within(name)
    if (read !== undefined) result[name] = read
    else if (property.required) return missing(property)
  }
  return result
}

const missing = ({ name, codec }: Property): Misfit => new Misfit(codec.restriction, 'missing', name)

/** `read` answers `undefined` for a property that is not there. */
function readEach(list: readonly Property[], read: (property: Property) => unknown): unknown {
  countRead(list.length)
  const result: Record<string, unknown> = {}
  for (const property of list) {
    const value = read(property)
    if (value instanceof Misfit) return value.within(property.name)
    if (value !== undefined) result[property.name] = value
    else if (property.required) return missing(property)
  }
  return result
}

/** An object with any keys but `__proto__`, or but those `except`, and one type of value. */
export function record(values: Decoder, except: ReadonlySet<string> = new Set()): Decoder {
  return structured(
    () => 'object',
    (value) => {
      if (!isRecord(value) || Object.hasOwn(value, '__proto__')) return misfitObject
      const names = Object.keys(value).filter((name) => !except.has(name))
      countRead(names.length)
      const result: Record<string, unknown> = {}
      for (const name of names) {
        const item = isText(name) ? values.json(value[name]) : misfitObject
        if (item instanceof Misfit) return item.within(name)
        result[name] = item
      }
      return result
    },
  )
}

/** The first member that takes the value decides; of objects the first that keeps most of it. */
export function union(members: readonly Decoder[]): Decoder {
  const restriction = (): string => members.map((member) => member.restriction).join(' | ')
  const misfit = (): Misfit => new Misfit(restriction())
  return decoder({
    restriction,
    text: (values) => firstFit(members, (member) => member.text(values), misfit),
    json: (value) =>
      isRecord(value)
        ? fullestFit(members, (member) => member.json(value), Object.keys(value).length, misfit)
        : firstFit(members, (member) => member.json(value), misfit),
    fields: (form) => firstFit(members, (member) => member.fields(form), misfit),
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

/** A named codec that is looked up when used, so that types may be recursive. */
export function ref(codec: () => Decoder): Decoder {
  let asking = false
  return decoder({
    restriction: () => {
      if (asking) return '…'
      asking = true
      const { restriction } = codec()
      asking = false
      return restriction
    },
    text: (values) => oneDeeper(codec().text, values),
    json: (value) => oneDeeper(codec().json, value),
    fields: (form) => oneDeeper(codec().fields, form),
  })
}
