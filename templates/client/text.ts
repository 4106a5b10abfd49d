/** Values as text and JSON, as the server reads them. */
import type { ParameterPlace } from './operation.ts'

/** The text of a header. Where it may hold a list, a text that would be read as one is quoted. */
export function headerText(value: unknown, form: ParameterPlace[3]): string {
  const text = textOf(value)
  return form === 'either' && typeof value === 'string' && /^[[ \t]|[",]|[ \t]$/.test(text)
    ? `"${text.replace(/["\\]/g, '\\$&')}"`
    : text
}

/** A list as a repeated text; anything else as one. A single item with a comma would be several, so it is JSON. */
export function textsOf(value: unknown, form: ParameterPlace[3]): readonly string[] {
  if (form !== 'list') return [textOf(value)]
  const list: readonly unknown[] = value instanceof Set ? [...value] : Array.isArray(value) ? value : [value]
  const texts = list.map(textOf)
  return texts.length > 1 || /^[^[,]+$/.test(texts[0] ?? '') ? texts : [textOf(list)]
}

/** JSON in ASCII alone: a header holds no other. */
export function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof URL) return value.href
  if (value instanceof Uint8Array) return toBase64(value)
  if (typeof value !== 'object') return String(value)
  return jsonText(value).replace(
    /[\u007f-\uffff]/g,
    (text) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, written: unknown) {
    const raw = this[name] // before its own toJSON
    if (raw instanceof Uint8Array) return toBase64(raw)
    if (typeof written === 'bigint') return written.toString()
    if (written instanceof Map) return Object.fromEntries(written)
    return written instanceof Set ? [...written] : written
  })
}

/** As many arguments as a call may have anywhere. */
const piece = 8192

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += piece)
    text += String.fromCharCode(...bytes.subarray(at, at + piece))
  return btoa(text)
}

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
