/** The settings under `approval`. */
import { type Check, is } from './checks.ts'
import type { Setting } from './setting.ts'

/** How calls of routes with `@approval` are approved. See templates/docs/approval.md. */
export class ApprovalSettings {
  /** Who approves must have signed in at the identity provider so lately, as `30s`, `5m` or `1h`, and is asked to otherwise: a program that
   *  drives their browser cannot. Default: whoever is signed in. */
  readonly reauthenticate: Setting<string, number | null> = {
    check: duration(),
    byDefault: null,
    read: milliseconds,
  }
}

const units: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])
const longest = 24 * 3_600_000

function milliseconds(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([smh])$/.exec(text) ?? []
  return Number(count) * (units.get(unit ?? '') ?? Number.NaN)
}

function duration(): Check {
  return is(
    "a time in s, m or h up to 24h, as '5m'",
    (value) => typeof value === 'string' && milliseconds(value) <= longest,
  )
}
