/** Values on their way to libsql and back. Its native code ends the process for a boolean, so that nothing reaches it that it
 *  was not shown to take. */
import { exactInteger } from '../exact-integers.ts'

/** What libsql takes. */
type Bound = null | number | bigint | string | Uint8Array

const int64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n }

/** The parameters of a statement as SQLite stores them: booleans as 1 and 0, `undefined` as null. Throws a `TypeError` (or a
 *  `RangeError` for an integer beyond 64 bits) that tells the parameter's number and what to write instead, never its value. */
export const bindable = (parameters: readonly unknown[]): readonly Bound[] => parameters.map(bound)

function bound(value: unknown, index: number): Bound {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      if (Number.isNaN(value)) throw refused(index, 'NaN', 'SQLite would store null')
      return value
    case 'boolean':
      return value ? 1 : 0
    case 'undefined':
      return null
    case 'bigint':
      if (value >= int64.least && value <= int64.most) return value
      throw new RangeError(
        `parameter ${index + 1} of the SQLite statement is an integer of more than 64 bits`,
      )
    case 'object':
      if (value === null || isBytes(value)) return value
      throw refused(index, kindOf(value), adviceOf(value))
    default:
      throw refused(index, typeof value, 'it has no form in a database')
  }
}

const refused = (index: number, kind: string, advice: string): TypeError =>
  new TypeError(`SQLite takes no ${kind} (parameter ${index + 1} of the statement): ${advice}`)

/** A clamped array has bytes too; arrays of wider numbers depend on the machine's byte order. */
const isBytes = (value: object): value is Uint8Array =>
  value instanceof Uint8Array || value instanceof Uint8ClampedArray

function kindOf(value: object): string {
  if (Array.isArray(value)) return 'array'
  const name = Object.getPrototypeOf(value)?.constructor?.name
  return typeof name === 'string' && name !== '' ? name : 'object'
}

function adviceOf(value: object): string {
  if (value instanceof Date) return 'write toISOString(), or getTime() for a number'
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return 'write a Uint8Array of its bytes'
  if (value instanceof Promise) return 'await it'
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return 'write valueOf()'
  return 'write JSON.stringify(value)'
}

/** Makes the rows those of both engines: libsql's bytes become a `Buffer`, as pg's are. Changes `rows`, which no other caller has. Returns
 *  whether a number among them may be an integer that was rounded. */
export function convertRows(rows: readonly unknown[]): boolean {
  let isRounded = false
  for (const row of rows as Record<string, unknown>[]) // libsql gives objects
    for (const name in row) {
      const value = row[name]
      if (typeof value === 'number') {
        if (value > largest || value < -largest) isRounded = true
      } else if (typeof value === 'object' && value instanceof ArrayBuffer) row[name] = Buffer.from(value)
    }
  return isRounded
}

const largest = Number.MAX_SAFE_INTEGER

/** The same for rows whose integers libsql read as bigints: in columns other than `bigints` they are numbers where that is exact. */
export function convertExactRows(rows: readonly unknown[], bigints: ReadonlySet<string>): void {
  for (const row of rows as Record<string, unknown>[])
    for (const name in row) {
      const value = row[name]
      if (value instanceof ArrayBuffer) row[name] = Buffer.from(value)
      else if (typeof value === 'bigint' && !bigints.has(name)) row[name] = exactInteger(value)
    }
}
