/** JSON of what a call gives its route to read, to be told from others and shown to people. */
import { exactScalar } from '../../canonical-json.ts'
import { PayloadTooLarge } from '../../errors.ts'

const deepest = 100

/** A parser of the application may make more than JSON of a body. Numbers stay what they are, also those that `JSON.stringify` does not tell
 *  from others: `exactJson` writes them. */
export function jsonOf(value: unknown, depth = 0): unknown {
  if (depth > deepest)
    throw new PayloadTooLarge(
      deepest,
      'a call that is told from others by what it sends',
      `nested deeper than ${deepest} levels`,
    )
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toJSON()
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  const items = value instanceof Map || value instanceof Set ? [...value] : value
  if (Array.isArray(items)) return items.map((item) => jsonOf(item, depth + 1))
  return Object.fromEntries(Object.entries(items).map(([name, item]) => [name, jsonOf(item, depth + 1)]))
}

/** Whether `JSON.stringify` writes the number as another value, or throws: `-0`, `1e400`, a bigint. */
export const isUnlikeJson = (value: unknown): boolean =>
  typeof value === 'bigint' ||
  (typeof value === 'number' && (Object.is(value, -0) || !Number.isFinite(value)))

/** The text of what `jsonOf` made: as JSON, but that no two values have the same. */
export const exactJson = (value: unknown): string =>
  hasUnlike(value) ? written(value) : (JSON.stringify(value) ?? '')

function hasUnlike(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isUnlikeJson(value)
  return Object.values(value).some(hasUnlike)
}

function written(value: unknown): string {
  if (typeof value !== 'object' || value === null) return exactScalar(value)
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${written(item)}`)
  return `{${members.join(',')}}`
}
