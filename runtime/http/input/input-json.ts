/** JSON of what a call gives its route to read, to be told from others and shown to people. */
import { PayloadTooLarge } from '../../errors.ts'

const deepest = 100

/** A parser of the application may make more than JSON of a body, and JSON itself has numbers that `JSON.stringify` does not tell from others. */
export function jsonOf(value: unknown, depth = 0): unknown {
  if (depth > deepest)
    throw new PayloadTooLarge(
      deepest,
      'a call that is told from others by what it sends',
      `nested deeper than ${deepest} levels`,
    )
  if (typeof value === 'bigint') return String(value)
  if (Object.is(value, -0)) return '-0'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toJSON()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  const items = value instanceof Map || value instanceof Set ? [...value] : value
  if (Array.isArray(items)) return items.map((item) => jsonOf(item, depth + 1))
  return Object.fromEntries(Object.entries(items).map(([name, item]) => [name, jsonOf(item, depth + 1)]))
}
