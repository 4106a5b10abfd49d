/** JSON text with the forms of annotations.md, Parameters. */

/** Like `JSON.stringify`, with a bigint as a decimal string, a Map as an object, a Set as an array, bytes as base64.
 *  Throws `TypeError` for cycles. A value without such parts, as nearly all are, is written without a replacer. */
export function toJsonText(value: unknown): string {
  return needsForms(value, 0) ? JSON.stringify(value, jsonForm) : JSON.stringify(value)
}

/** `"name":value` as it stands in the text of an object that has it; '' where JSON leaves it out. */
export function memberText(name: string, value: unknown): string {
  const holder = { [name]: value } // an own `toJSON` is told the name
  const text = needsForms(value, 1) ? JSON.stringify(holder, jsonForm) : JSON.stringify(holder)
  return text.slice(1, -1)
}

/** Below this depth nothing is searched, everything is taken for special; so the search ends in a cycle too. */
const deepest = 60

function needsForms(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint'
  if (depth > deepest || isSpecial(value)) return true
  if (Array.isArray(value)) return itemNeedsForms(value, depth)
  for (const name in value) {
    // a name that `for in` gave
    const part = (value as Record<string, unknown>)[name]
    if (mayNeed(part) && needsForms(part, depth + 1)) return true
  }
  return false
}

function itemNeedsForms(list: readonly unknown[], depth: number): boolean {
  for (const item of list) if (mayNeed(item) && needsForms(item, depth + 1)) return true
  return false
}

/** Spares a call for most values. */
const mayNeed = (value: unknown): boolean => typeof value === 'object' || typeof value === 'bigint'

/** Whether `JSON.stringify` may write the object itself otherwise than we do. */
function isSpecial(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Date.prototype) return false
  if ('toJSON' in value) return true
  if (prototype === Object.prototype || prototype === Array.prototype) return false
  return value instanceof Map || value instanceof Set || value instanceof Uint8Array
}

function jsonForm(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const raw = this[name] // before a Buffer's own toJSON
  if (raw instanceof Uint8Array) return Buffer.from(raw).toString('base64')
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}
