/** What words of the command line must be. Each throws what commander shows as bad usage. */
import { InvalidArgumentError } from 'commander'

type Parse<Value> = (text: string) => Value

const toNumber =
  (what: string, maxDigits: number, fits: (value: number) => boolean): Parse<number> =>
  (text) => {
    if (/^\d+$/.test(text) && text.length <= maxDigits && fits(Number(text))) return Number(text)
    throw new InvalidArgumentError(`It must be ${what}.`)
  }

export const toSeconds: Parse<number> = toNumber('a number of seconds', 3, (value) => value > 0)

export const toPort: Parse<number> = toNumber('a port number', 5, (value) => value < 65_536)

const toWhole = toNumber('a whole number from 1 to 999, or auto', 3, (value) => value > 0)

/** A number, or null for `auto`. */
export const toCount = (text: string): number | null => (text === 'auto' ? null : toWhole(text))

/** A number of rows, `most` at most. */
export const toRows = (most: number): Parse<number> =>
  toNumber(`a number of rows, ${most.toLocaleString('en')} at most`, 7, (value) => value > 0 && value <= most)

export function toUrl(text: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text)
  throw new InvalidArgumentError('It must be an http or https address.')
}

const unitMs: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
])

/** A time in milliseconds since the epoch: a date or time as ISO 8601 has it (a date begins at midnight UTC), or how long ago. */
export function toTime(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const ago = unitMs.get(unit)
  if (ago !== undefined) return Date.now() - Number(count) * ago
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const time = isTime ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw new InvalidArgumentError(
    'It must be a date as 2026-11-23, a time as 2026-11-23T12:00Z, or how long ago as 30m, 24h or 7d.',
  )
}
