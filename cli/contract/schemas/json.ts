/** Plain values of a document: what is an object, what is a list, what is equal. */
import type { JsonSchema } from '../../../runtime/contract/mcp.ts'

export const isSchemaObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The fields, or none. */
export const recordOf = (value: unknown): JsonSchema => (isSchemaObject(value) ? value : {})

export const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textItems = (value: unknown): readonly string[] =>
  itemsOf(value).filter((item) => typeof item === 'string')

/** Equal values have equal texts, in whatever order their fields stand. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isSchemaObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )
}

/** In whatever order fields stand. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item, b[at]))
  if (!isSchemaObject(a) || !isSchemaObject(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  )
}

/** Not what every object inherits: `constructor` is a name as any. */
export const ownIn = (record: JsonSchema, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined
