/** JSON of what a call gives its route to read, to be told from others and shown to people. */
import { exactScalar } from '../../canonical-json.ts'
import { PayloadTooLarge } from '../../errors.ts'

const deepest = 100

/** A parser of the application may make more than JSON of a body: `madeIn` says what. Numbers stay what they are, also those that
 *  `JSON.stringify` does not tell from others: `exactJson` writes them. */
export function jsonOf(value: unknown, depth = 0): unknown {
  if (depth > deepest)
    throw new PayloadTooLarge(
      deepest,
      'a call that is told from others by what it sends',
      `nested deeper than ${deepest} levels`,
    )
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (writesItself(value)) return jsonOf(value.toJSON(), depth + 1)
  const items = itemsOf(value)
  if (Array.isArray(items)) return items.map((item) => jsonOf(item, depth + 1))
  return Object.fromEntries(Object.entries(items).map(([name, item]) => [name, jsonOf(item, depth + 1)]))
}

const writesItself = (value: object): value is { toJSON(): unknown } =>
  'toJSON' in value && typeof value.toJSON === 'function'

const itemsOf = (value: object): object => (value instanceof Map || value instanceof Set ? [...value] : value)

/** Where a value is more than JSON, and what it is there: another call may send the text or list that it is shown as. Places are counted, in the
 *  order of names. Throws where nothing tells a value from others of its class. */
export function madeIn(value: unknown): readonly (readonly [place: number, kind: string])[] {
  const found: (readonly [number, string])[] = []
  let place = 0
  const visit = (item: unknown): void => {
    const kind = kindOf(item)
    place += 1
    if (kind !== null) found.push([place, kind])
    if (typeof item !== 'object' || item === null || item instanceof Uint8Array || writesItself(item)) return
    const inside = itemsOf(item)
    const names = Object.keys(inside)
    if (kind !== null && names.length === 0 && inside === item)
      throw new TypeError(`a body holds a ${kind}, and nothing tells which: its parser should return JSON`)
    for (const name of Array.isArray(inside) ? names : names.sort()) visit(Reflect.get(inside, name))
  }
  visit(value)
  return found
}

/** Null of JSON. */
function kindOf(value: unknown): string | null {
  if (typeof value !== 'object')
    return typeof value === 'symbol' || typeof value === 'function' || value === undefined
      ? typeof value
      : null
  if (value === null || Array.isArray(value)) return null
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype ? null : String(value.constructor?.name)
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
