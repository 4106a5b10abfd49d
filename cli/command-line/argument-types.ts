/** What words of the command line must be. Each throws what commander shows as bad usage. */
import { InvalidArgumentError } from 'commander'

export function toSeconds(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('It must be a number of seconds.')
}

export function toUrl(text: string): URL {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return new URL(text)
  throw new InvalidArgumentError('It must be an http or https address.')
}

export function toPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text)
  throw new InvalidArgumentError('It must be a port number.')
}

/** A number, or null for `auto`. */
export function toCount(text: string): number | null {
  if (text === 'auto') return null
  if (/^\d{1,3}$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 to 999, or auto.')
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

/** A number of rows, `most` at most. */
export function toRows(most: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,7}$/.test(text) && Number(text) > 0 && Number(text) <= most) return Number(text)
    throw new InvalidArgumentError(`It must be a number of rows, ${most.toLocaleString('en')} at most.`)
  }
}
