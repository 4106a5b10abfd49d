/** The parts from which the compiler prints decoders (`.acmcp/`): each reads one type from texts and from JSON, and
 *  raises `MissingError` or `ValueError` with the dotted path. Public as `acmcp/codec`; generated code imports it. */
import type { Codec } from '../contract.ts'
import { MissingError, ValueError } from '../errors.ts'

export { constrained, converted } from './constraints.ts'

type Convert = (text: string) => unknown
type Accept = (value: unknown) => unknown

/** What a converter answers when the value does not fit. */
const unfit: unique symbol = Symbol('unfit')

function scalar(restriction: string, convert: Convert, accept: Accept): Codec {
  const fit = (value: unknown, path: string): unknown => {
    if (value === unfit) throw new ValueError(path, restriction)
    return value
  }
  return {
    restriction,
    fromText: (values, path) => fit(convert(values[0] ?? ''), path),
    fromJson: (value, path) => fit(accept(value), path),
  }
}

const when =
  (test: (value: unknown) => boolean): Accept =>
  (value) =>
    test(value) ? value : unfit

const numberText = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
const integerText = /^-?\d+$/
const uuidText = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const isoText = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/i
const int64Limit = 2n ** 63n

const isInt32 = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31

function toDate(value: unknown): unknown {
  if (typeof value !== 'string' || !isoText.test(value)) return unfit
  const date = new Date(value)
  const day = new Date(value.slice(0, 10))
  const isReal = !Number.isNaN(day.getTime()) && day.getUTCDate() === Number(value.slice(8, 10))
  return isReal && !Number.isNaN(date.getTime()) ? date : unfit
}

function toInt64(value: unknown): unknown {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  if (typeof value !== 'string' || !integerText.test(value)) return unfit
  const number = BigInt(value)
  return number >= -int64Limit && number < int64Limit ? number : unfit
}

function toBytes(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return unfit
  return new Uint8Array(Buffer.from(value, 'base64'))
}

const booleans = new Map<string, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

const finite: Accept = when((value) => typeof value === 'number' && Number.isFinite(value))
const toNumber = (text: string): unknown => (numberText.test(text) ? finite(Number(text)) : unfit)
const text = (test: (value: string) => boolean): Accept =>
  when((value) => typeof value === 'string' && test(value))

/** Any text but one with U+0000, which neither database keeps. */
export const string: Codec = scalar(
  'string',
  (value) => (value.includes('\0') ? unfit : value),
  text((value) => !value.includes('\0')),
)
export const number: Codec = scalar('Float64', toNumber, finite)
export const integer: Codec = scalar(
  'Integer',
  (value) => (integerText.test(value) ? when(Number.isSafeInteger)(Number(value)) : unfit),
  when(Number.isSafeInteger),
)
export const int32: Codec = scalar(
  'Int32',
  (value) => (integerText.test(value) ? when(isInt32)(Number(value)) : unfit),
  when(isInt32),
)
export const int64: Codec = scalar('Int64', toInt64, toInt64)
export const bigint: Codec = scalar(
  'bigint',
  (value) => (integerText.test(value) ? BigInt(value) : unfit),
  (value) => (typeof value === 'string' && integerText.test(value) ? BigInt(value) : unfit),
)
export const boolean: Codec = scalar(
  'boolean',
  (value) => booleans.get(value) ?? unfit,
  when((value) => typeof value === 'boolean'),
)
export const date: Codec = scalar('Date', toDate, toDate)
export const uuid: Codec = scalar(
  'Uuid',
  text((value) => uuidText.test(value)),
  text((value) => uuidText.test(value)),
)
export const bytes: Codec = scalar('base64', toBytes, toBytes)
export const unknown: Codec = scalar(
  'unknown',
  (value) => value,
  (value) => value,
)
export const nullValue: Codec = scalar(
  'null',
  (value) => (value === '' || value === 'null' ? null : unfit),
  when((value) => value === null),
)

const formats = new Map<string, (value: string) => boolean>([
  ['email', (value) => /^[^\s@]+@[^\s@]+$/.test(value)],
  ['uri', (value) => URL.canParse(value)],
  ['date-time', (value) => toDate(value) !== unfit],
  ['uuid', (value) => uuidText.test(value)],
])

/** A string of the JSON Schema format `name`; formats that are not known are not checked. */
export function format(name: string): Codec {
  const test = formats.get(name) ?? ((): boolean => true)
  return scalar(name, text(test), text(test))
}

/** One of the given values: the type's text lists them. */
export function literal(values: readonly (string | number | boolean)[]): Codec {
  const byText = new Map(values.map((value) => [String(value), value]))
  const restriction = values.map((value) => JSON.stringify(value)).join(' | ')
  return scalar(
    restriction,
    (value) => byText.get(value) ?? unfit,
    when((value) => values.some((known) => known === value)),
  )
}

/** The list that a text in JSON form holds (a tool call sends lists of one so, for their texts may hold commas). */
function jsonList(text: string): readonly unknown[] | null {
  if (!text.startsWith('[')) return null
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : null
  } catch {
    return null
  }
}

/** A list: in texts repeated, comma-separated or JSON values. `unique` makes a `Set`. */
export function array(items: Codec, options: { readonly unique?: boolean } = {}): Codec {
  const restriction = `${items.restriction}[]`
  const finish = (list: readonly unknown[]): unknown => (options.unique === true ? new Set(list) : list)
  return {
    restriction,
    fromText: (values, path) => {
      const list = values.length === 1 ? jsonList(values[0] ?? '') : null
      if (list !== null) return finish(list.map((item, index) => items.fromJson(item, `${path}.${index}`)))
      const texts = values.length === 1 ? (values[0] ?? '').split(',') : values
      return finish(texts.map((value, index) => items.fromText([value], `${path}.${index}`)))
    },
    fromJson: (value, path) => {
      if (!Array.isArray(value)) throw new ValueError(path, restriction)
      return finish(value.map((item, index) => items.fromJson(item, `${path}.${index}`)))
    },
  }
}

/** Text that holds JSON (a structured value in a query, header or form field). */
function fromJsonText(codec: Codec): Codec['fromText'] {
  return (values, path) => {
    try {
      return codec.fromJson(JSON.parse(values[0] ?? ''), path)
    } catch (error) {
      if (error instanceof SyntaxError) throw new ValueError(path, codec.restriction)
      throw error
    }
  }
}

function structured(restriction: string, fromJson: Codec['fromJson']): Codec {
  const codec: Codec = {
    restriction,
    fromJson,
    fromText: (values, path) => fromJsonText(codec)(values, path),
  }
  return codec
}

/** A list of fixed places, of which the first `required` must be there. */
export function tuple(items: readonly Codec[], required: number = items.length): Codec {
  const restriction = `[${items.map((item) => item.restriction).join(', ')}]`
  return structured(restriction, (value, path) => {
    if (!Array.isArray(value) || value.length < required || value.length > items.length) {
      throw new ValueError(path, restriction)
    }
    return value.map((item, index) => (items[index] ?? unknown).fromJson(item, `${path}.${index}`))
  })
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object: unknown properties are dropped, a missing one raises `MissingError` with its dotted path. */
export function object(
  properties: Readonly<Record<string, { readonly codec: Codec; readonly required: boolean }>>,
): Codec {
  const entries = Object.entries(properties)
  return structured('object', (value, path) => {
    if (!isRecord(value)) throw new ValueError(path, 'object')
    const pairs: [string, unknown][] = []
    for (const [name, { codec, required }] of entries) {
      const at = path === '' ? name : `${path}.${name}`
      if (Object.hasOwn(value, name)) pairs.push([name, codec.fromJson(value[name], at)])
      else if (required) throw new MissingError(at, codec.restriction)
    }
    return Object.fromEntries(pairs)
  })
}

/** An object with any keys and one type of value. */
export function record(values: Codec): Codec {
  return structured('object', (value, path) => {
    if (!isRecord(value)) throw new ValueError(path, 'object')
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, values.fromJson(item, `${path}.${name}`)]),
    )
  })
}

/** The first member that takes the value decides. */
export function union(members: readonly Codec[]): Codec {
  const restriction = members.map((member) => member.restriction).join(' | ')
  const first = (read: (member: Codec) => unknown, path: string): unknown => {
    for (const member of members) {
      try {
        return read(member)
      } catch (error) {
        if (!(error instanceof ValueError) && !(error instanceof MissingError)) throw error
      }
    }
    throw new ValueError(path, restriction)
  }
  return {
    restriction,
    fromText: (values, path) => first((member) => member.fromText(values, path), path),
    fromJson: (value, path) => first((member) => member.fromJson(value, path), path),
  }
}

/** The value or null. */
export function nullable(codec: Codec): Codec {
  return {
    restriction: `${codec.restriction} | null`,
    fromText: (values, path) => codec.fromText(values, path),
    fromJson: (value, path) => (value === null ? null : codec.fromJson(value, path)),
  }
}

/** A named codec that is looked up when used, so that types may be recursive. */
export function ref(codec: () => Codec): Codec {
  return {
    get restriction(): string {
      return codec().restriction
    },
    fromText: (values, path) => codec().fromText(values, path),
    fromJson: (value, path) => codec().fromJson(value, path),
  }
}
