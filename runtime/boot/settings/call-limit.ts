/** The texts of limits in the configuration, which are those of the tags. */
import type { RouteLimit } from '../../contract/route.ts'

const secondsOf: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['min', 60],
  ['h', 3600],
  ['day', 86_400],
])

const maxCalls = 1_000_000

/** `60/min` as `@limit` has it; null = it is none. */
export function callLimit(text: unknown): RouteLimit | null {
  const [, digits = '', unit = ''] = /^([1-9]\d*)\/(s|min|h|day)$/.exec(String(text)) ?? []
  const windowSeconds = secondsOf.get(unit)
  const calls = Number(digits)
  return windowSeconds === undefined || calls > maxCalls ? null : { calls, windowSeconds }
}

/** As `@timeout`. */
export const longestRouteSeconds = 3600
