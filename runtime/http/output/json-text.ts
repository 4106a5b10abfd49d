/** JSON text with the forms of language.md, Parameters. */

/** Like `JSON.stringify`, with a bigint as a decimal string, a Map as an object, a Set as an array, bytes as base64.
 *  Throws `TypeError` for cycles. */
export function toJsonText(value: unknown): string {
  // a replacer makes it three times as expensive, and few answers need one
  return isPlain(value, 0) ? JSON.stringify(value) : JSON.stringify(value, replacer)
}

/** Deeper nothing is looked at; so the search ends in a cycle too. */
export const deepest = 60

export const dateToJson: (key?: string) => string = Date.prototype.toJSON

/** Whether `JSON.stringify` writes the value as it should without help. */
export function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint'
  if (value instanceof Date && value.toJSON === dateToJson) return true
  if ('toJSON' in value || depth > deepest) return false
  if (value instanceof Map || value instanceof Set || value instanceof Uint8Array) return false
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1))
  for (const name in value) {
    if (!isPlain((value as Readonly<Record<string, unknown>>)[name], depth + 1)) return false // a name that `for in` gave
  }
  return true
}

function replacer(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  const raw = this[name] // before a Buffer's own toJSON
  if (raw instanceof Uint8Array) return Buffer.from(raw).toString('base64')
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}
