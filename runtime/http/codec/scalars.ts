/** Decoders of single values. */
// Source: language.md, Parameters; rules.md, parameter conversion.

import type { AnswerType } from '../../contract/answer-type.ts'
import { momentOf, textFormats } from '../../text-formats.ts'
import { UploadedFile } from '../input/uploads.ts'
import { anyAnswer, anyScalar, numberAnswer, scalarAnswer, textAnswer } from './answer-types.ts'
import { copiedJson, countRead, DecodeError, Decoder, isText, unkeepable } from './decoder.ts'

type Convert = (text: string) => unknown
type Accept = (value: unknown) => unknown

/** What a converter returns when the value does not fit. */
const mismatched: unique symbol = Symbol('mismatched')

function scalar(restriction: string, answer: AnswerType, convert: Convert, accept: Accept): Decoder {
  const refused = new DecodeError(restriction)
  const settled = (value: unknown, input: unknown): unknown => {
    if (value !== mismatched) return value
    return typeof input === 'string' && !isText(input) ? unkeepable(input, restriction) : refused
  }
  return new Decoder(
    restriction,
    answer,
    (value) => {
      if (typeof value === 'string') countRead(value.length >> 8) // what a long text costs to look at, in values
      return settled(accept(value), value)
    },
    ([value = '']) => settled(convert(value), value),
  )
}

/** A scalar that texts and JSON strings hold in the same form. */
function textual(restriction: string, answer: AnswerType, test: (value: unknown) => boolean): Decoder {
  const keep: Accept = (value) => (test(value) ? value : mismatched)
  return scalar(restriction, answer, keep, keep)
}

const when =
  (test: (value: unknown) => boolean): Accept =>
  (value) =>
    test(value) ? value : mismatched

const numberText = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/
const integerText = /^-?\d+$/
const base64Text = /^[A-Za-z0-9+/]*={0,2}$/

/** Four characters are three bytes, two or three are the rest with or without padding, and one alone is no byte (RFC 4648, 4): it would
 *  be dropped in silence. The pattern of the documents says it by groups, of which a long text would have too many for the engine. */
function isBase64(text: string): boolean {
  if (!base64Text.test(text)) return false
  const padding = text.indexOf('=')
  const rest = (padding < 0 ? text.length : padding) % 4
  return rest > 1 || (rest === 0 && padding < 0)
}

/** Converting time grows faster than the number of digits. */
const maxDigits = 1000
const int64Limit = 2n ** 63n

function toBigint(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > maxDigits || !integerText.test(value)) return mismatched
  return BigInt(value)
}

function toInt64(value: unknown): unknown {
  const number = toBigint(value)
  return typeof number === 'bigint' && number >= -int64Limit && number < int64Limit ? number : mismatched
}

const isInt32 = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31

const toDate: Accept = (value) => (typeof value === 'string' ? (momentOf(value) ?? mismatched) : mismatched)

const toBytes: Accept = (value) =>
  typeof value === 'string' && isBase64(value) ? new Uint8Array(Buffer.from(value, 'base64')) : mismatched

const wholeNumber =
  (accept: Accept): Convert =>
  (value) =>
    integerText.test(value) ? accept(Number(value)) : mismatched

const finite: Accept = when(Number.isFinite)
const safeInteger: Accept = when(Number.isSafeInteger)
const smallInteger: Accept = when(isInt32)

/** Text of a format that is checked, or any. */
const isOf = (name: string): ((value: unknown) => boolean) => {
  const is = textFormats.get(name) ?? (() => true)
  return (value) => isText(value) && is(value)
}

const notUnknown = new DecodeError('unknown')

/** A copy of any JSON: bounded in depth, and without `__proto__`. */
export const unknown: Decoder = new Decoder(
  'unknown',
  anyAnswer,
  (value) => copiedJson(value, notUnknown),
  ([value = '']) => copiedJson(value, notUnknown),
)

/** What must be absent. */
export const never: Decoder = textual('nothing', anyScalar, () => false)

export const string: Decoder = textual('string', textAnswer, isText)
export const number: Decoder = scalar(
  'Float64',
  numberAnswer,
  (value) => (numberText.test(value) ? finite(Number(value)) : mismatched),
  finite,
)
export const integer: Decoder = scalar('Integer', numberAnswer, wholeNumber(safeInteger), safeInteger)
export const int32: Decoder = scalar('Int32', numberAnswer, wholeNumber(smallInteger), smallInteger)
export const int64: Decoder = scalar('Int64', numberAnswer, toInt64, toInt64)
export const bigint: Decoder = scalar('bigint', numberAnswer, toBigint, toBigint)

/** One of the given values, as JSON has them: texts of decimal digits. */
export function bigints(values: readonly string[]): Decoder {
  const known = new Map(values.map((value) => [value, BigInt(value)]))
  const all = new Set<unknown>(known.values())
  const convert = (value: unknown): unknown =>
    typeof value === 'string' ? (known.get(value) ?? mismatched) : mismatched
  return scalar(
    values.map((value) => `${value}n`).join(' | '),
    scalarAnswer((value) => all.has(value)),
    convert,
    convert,
  )
}

const booleans = new Map<string, boolean>([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

export const boolean: Decoder = scalar(
  'boolean',
  scalarAnswer((value) => typeof value === 'boolean'),
  (value) => booleans.get(value) ?? mismatched,
  when((value) => typeof value === 'boolean'),
)
/** A `Date`, or its text. */
const dateAnswer: AnswerType = scalarAnswer((value) => typeof value === 'string' || value instanceof Date)
export const date: Decoder = scalar('Date', dateAnswer, toDate, toDate)
export const uuid: Decoder = textual('Uuid', textAnswer, isOf('uuid'))
export const url: Decoder = textual('URL', textAnswer, isOf('uri'))
export const bytes: Decoder = scalar(
  'base64',
  scalarAnswer((value) => typeof value === 'string' || value instanceof Uint8Array),
  toBytes,
  toBytes,
)
export const nullValue: Decoder = scalar(
  'null',
  scalarAnswer((value) => value === null),
  (value) => (value === '' || value === 'null' ? null : mismatched),
  when((value) => value === null),
)

/** As types of checked formats are written. */
const writtenFormats = new Map([
  ['email', 'Email'],
  ['uri', 'Url'],
  ['date-time', 'DateTime'],
  ['uuid', 'Uuid'],
])

/** A string of the JSON Schema format `name`; of formats that are not known only the text is checked. */
export const format = (name: string): Decoder =>
  textual(writtenFormats.get(name) ?? 'string', textAnswer, isOf(name))

/** One of the given values: the type's text lists them. */
export function literal(values: readonly (string | number | boolean)[]): Decoder {
  const byText = new Map(values.map((value) => [String(value), value]))
  const known = new Set<unknown>(values)
  const restriction = values.map((value) => JSON.stringify(value)).join(' | ')
  return scalar(
    restriction,
    scalarAnswer((value) => known.has(value)),
    (value) => byText.get(value) ?? mismatched,
    when((value) => known.has(value)),
  )
}

/** A file of a multipart form; of several under one name the first. Nothing that was parsed from text passes. */
export const file: Decoder = scalar(
  'UploadedFile',
  anyScalar,
  () => mismatched,
  (value) => {
    const first: unknown = Array.isArray(value) ? value[0] : value
    return first instanceof UploadedFile ? first : mismatched
  },
)
