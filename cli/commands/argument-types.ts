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
