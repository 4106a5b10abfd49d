/** Values that a text stands for. */
import type { JsonShape } from './operation.ts'
import { fromBase64 } from './text.ts'

type ScalarShape = Extract<JsonShape, string>

/** What no value can be made of stays as it came. */
export function readScalar(shape: ScalarShape, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (shape === 'date' && !Number.isNaN(Date.parse(value))) return new Date(value)
  if (shape === 'bigint' && takesScalar(shape, value)) return BigInt(value)
  if (shape === 'bytes' && takesScalar(shape, value)) return fromBase64(value)
  return shape === 'url' && URL.canParse(value) ? new URL(value) : value
}

/** As `toISOString()` writes it: before our era and after the year 9999 it has a sign. */
const dateText = /^(\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Whether the value is one of these, as the server writes them: it knows one form of each. */
export function takesScalar(shape: ScalarShape, value: unknown): boolean {
  switch (shape) {
    case 'json':
      return true
    case 'never':
      return false
    case 'null':
      return value === null
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === shape
    case 'date':
      return typeof value === 'string' && dateText.test(value) && !Number.isNaN(Date.parse(value))
    case 'bigint':
      return typeof value === 'string' && /^(0|-?[1-9]\d*)$/.test(value)
    case 'bytes':
      return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
    case 'url':
      return typeof value === 'string' && URL.canParse(value) && new URL(value).href === value
  }
}
