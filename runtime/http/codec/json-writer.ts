/** What printed encoders share. They write exactly the text of `toJsonText`: an object's own names in its own order,
 *  and what is not of its declared type as `toJsonText` would. Their gain is what they need not ask: which parts need a
 *  form of their own, and what each value is. Source: annotations.md, Parameters. */
import { memberText, toJsonText } from '../output/json-text.ts'

/** An encoder of any value from one that answers '' for what is not of its type. What throws (a cycle, by its depth) is
 *  left to `toJsonText` as well, whose errors are the ones to see. */
export function encoder(write: (value: unknown) => string): (value: unknown) => string {
  return (value) => {
    try {
      return write(value) || toJsonText(value)
    } catch {
      return toJsonText(value)
    }
  }
}

/** What `JSON.stringify` may write otherwise than as it is: below a space, quotes, backslashes and surrogates. */
const special = /[^ !#-[\]-\ud7ff\ue000-\uffff]/

export const quoted = (text: string): string => (special.test(text) ? JSON.stringify(text) : `"${text}"`)

const shortText = 24

/** A text that stands in JSON as it is. For a short one a loop is quicker than an expression. */
export function isSimple(value: unknown): value is string {
  if (typeof value !== 'string') return false
  if (value.length > shortText) return !special.test(value)
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index)
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit & 0xf800) === 0xd800) return false
  }
  return true
}

/** Whether something may have been given to a value to write itself by. */
const isOwnWriter = (value: object | bigint): boolean =>
  (value as { readonly toJSON?: unknown }).toJSON !== undefined

/** An object of which just its own enumerable names count, and `for in` finds just those. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || isOwnWriter(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isInstance(value, prototype)
}

const others = [Array, Map, Set, Uint8Array, String, Number, Boolean, BigInt]

/** An instance of a class: no kind of value that JSON writes in another way, and nothing enumerable is inherited. */
function isInstance(value: object, prototype: unknown): boolean {
  if (others.some((type) => value instanceof type)) return false
  for (const _name in prototype as object) return false // of an object it is an object
  return true
}

export const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && !isOwnWriter(value)

export const isMap = (value: unknown): value is ReadonlyMap<string, unknown> =>
  value instanceof Map && !isOwnWriter(value)

export const isSet = (value: unknown): value is ReadonlySet<unknown> =>
  value instanceof Set && !isOwnWriter(value)

export const isBigint = (value: unknown): value is bigint => typeof value === 'bigint' && !isOwnWriter(value)

const { toJSON: dateToJson } = Date.prototype
const { toJSON: urlToJson } = URL.prototype

export const isDate = (value: unknown): value is Date => value instanceof Date && value.toJSON === dateToJson

export const isUrl = (value: unknown): value is URL => value instanceof URL && value.toJSON === urlToJson

/** A date that is none is null. */
export const dateText = (date: Date): string =>
  Number.isNaN(date.getTime()) ? 'null' : `"${date.toISOString()}"`

export const toBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** `text`, an object so far, with a property that the encoder did not expect; without it, where JSON has none. */
export function more(text: string, name: string, value: unknown): string {
  if (value === undefined) return text
  const plain = plainText(value)
  const member = plain === '' ? memberText(name, value) : `${quoted(name)}:${plain}`
  return member === '' ? text : (text === '' ? '{' : `${text},`) + member
}

/** An item of a list that is not of the type of its items. */
export function item(value: unknown, index: number): string {
  if (value === undefined) return 'null'
  const plain = plainText(value)
  if (plain !== '') return plain
  const member = memberText(String(index), value)
  return member === '' ? 'null' : member.slice(member.indexOf(':') + 1)
}

/** What JSON has a word for; '' = something else. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  return value === null || typeof value === 'boolean' || Number.isFinite(value) ? String(value) : ''
}
