/** JSON text with the forms of annotations.md, Parameters. */

/** Like `JSON.stringify`, with a bigint as a decimal string, a Map as an object, a Set as an array, bytes as base64.
 *  Throws `TypeError` for cycles. */
export function toJsonText(value: unknown): string {
  const form = formOf(value, 0)
  return form === unsure ? JSON.stringify(value, replacer) : JSON.stringify(form)
}

/** In place of a form: only `JSON.stringify` can tell what becomes of the value. */
const unsure = Symbol('unsure')

/** Deeper nothing is looked at; so the search ends in a cycle too. */
const deepest = 60

/** What `JSON.stringify` writes as it should: the value itself unless it has parts of a form of their own, then a copy of
 *  what leads to them. */
function formOf(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return 'toJSON' in BigInt.prototype ? unsure : String(value)
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) {
    if ('toJSON' in value || depth > deepest) return unsure
    return Array.isArray(value) ? listForm(value, depth + 1) : objectForm(value, depth + 1)
  }
  return instanceForm(value, depth)
}

const { toJSON: dateToJson } = Date.prototype
const { toJSON: urlToJson } = URL.prototype

/** Of their instances JSON has the value inside, whatever their properties are. */
const boxes = [String, Number, Boolean, BigInt]

function instanceForm(value: object, depth: number): unknown {
  if (value instanceof Date && value.toJSON === dateToJson)
    return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof Uint8Array) return toBase64(value)
  if (value instanceof URL && value.toJSON === urlToJson) return value.href
  if ('toJSON' in value || depth > deepest || boxes.some((type) => value instanceof type)) return unsure
  if (value instanceof Map) return formOf(Object.fromEntries(value), depth + 1)
  if (value instanceof Set) return formOf([...value], depth + 1)
  return Array.isArray(value) ? listForm(value, depth + 1) : objectForm(value, depth + 1)
}

/** Spares a call for most values. */
const mayNeed = (value: unknown): boolean => typeof value === 'object' || typeof value === 'bigint'

function listForm(list: readonly unknown[], depth: number): unknown {
  let copy: unknown[] | null = null
  for (let index = 0; index < list.length; index++) {
    const item = list[index]
    if (!mayNeed(item)) continue
    const form = formOf(item, depth)
    if (form === item) continue
    if (form === unsure) return unsure
    copy ??= Array.from({ length: list.length }, (_, place) => list[place])
    copy[index] = form
  }
  return copy ?? list
}

function objectForm(value: object, depth: number): unknown {
  let copy: Record<string, unknown> | null = null
  for (const name in value) {
    const part = (value as Record<string, unknown>)[name] // a name that `for in` gave
    if (!mayNeed(part)) continue
    const form = formOf(part, depth)
    if (form === part || !Object.hasOwn(value, name)) continue
    if (form === unsure || name === '__proto__') return unsure // to assign this name would set the prototype
    copy ??= { ...value }
    copy[name] = form
  }
  return copy ?? value
}

const toBase64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

function replacer(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const raw = this[name] // before a Buffer's own toJSON
  if (raw instanceof Uint8Array) return toBase64(raw)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}
