/** The settings under `limits`. */
import type { RouteLimit } from '../../contract/route.ts'
import { type Check, count, is, positive, wholeOrFalse } from './checks.ts'
import { type Limit, limit, type Setting, setting } from './setting.ts'

export class LimitSettings {
  /** A body without its files; default 1,048,576. */
  readonly bodyBytes: Setting<number> = setting(positive, 1024 * 1024)
  /** All header lines together; default 16,384. */
  readonly headerBytes: Setting<number> = setting(positive, 16 * 1024)
  /** The address of a request; default 8,192. */
  readonly urlBytes: Setting<number> = setting(positive, 8 * 1024)
  /** How long the headers of a request may take; default 20. */
  readonly headersSeconds: Setting<number> = setting(positive, 20)
  /** How long a whole request may take, its body included; default 60. */
  readonly requestSeconds: Setting<number> = setting(positive, 60)
  /** How long an idle connection is kept; default 72. */
  readonly keepAliveSeconds: Setting<number> = setting(positive, 72)
  /** Each file of a multipart form; default 10,485,760. */
  readonly fileBytes: Setting<number> = setting(positive, 10 * 1024 * 1024)
  /** How many of them; default 10. */
  readonly files: Setting<number> = setting(count, 10)
  /** How many fields a multipart form has; default 1,000. */
  readonly fields: Setting<number> = setting(count, 1000)
  /** Each of them; default 1,048,576. */
  readonly fieldBytes: Setting<number> = setting(positive, 1024 * 1024)
  /** Registrations of clients per address and hour; default 600. */
  readonly registerPerHour: Limit = limit(wholeOrFalse, 600)
  /** Authorization and sign-in pages; default 6,000. */
  readonly authorizePerHour: Limit = limit(wholeOrFalse, 6000)
  /** Token and revocation; default 6,000. */
  readonly tokenPerHour: Limit = limit(wholeOrFalse, 6000)
  /** Calls of one route by one user, or by one address where no user is known, in a second, minute, hour or day
   *  (`600/min`), where the route has no `@limit`; default: none. */
  readonly routeCalls: Setting<string | false, RouteLimit | null> = {
    check: routeCalls,
    byDefault: null,
    read: callLimit,
  }
  /** How long a route may take until its answer begins, in seconds, where it has no `@timeout`; default: none. */
  readonly routeSeconds: Limit = limit(routeSeconds, null)
  /** Tool calls of a user, of accepted credentials, or of an address without accepted credentials; default 6,000. */
  readonly toolCallsPerMinute: Limit = limit(wholeOrFalse, 6000)
  /** Tool calls of all clients together that run at once; default 1,000. */
  readonly concurrentToolCalls: Limit = limit(wholeOrFalse, 1000)
  /** The same of one of them; default 100. */
  readonly concurrentToolCallsPerUser: Limit = limit(wholeOrFalse, 100)
  /** How long one tool call may run, in seconds; default 300. */
  readonly toolCallSeconds: Limit = limit(wholeOrFalse, 300)
  /** Open streams of one of them; default 100. */
  readonly streamsPerUser: Limit = limit(wholeOrFalse, 100)
}

const isWhole = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0

const routeSeconds: Check = is(
  'whole seconds up to 3600 or false',
  (value) => value === false || (isWhole(value) && Number(value) <= longestRouteSeconds),
)
const routeCalls: Check = is(
  'calls per s, min, h or day (600/min) or false',
  (value) => value === false || callLimit(value) !== null,
)

const secondsOf: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['min', 60],
  ['h', 3600],
  ['day', 86_400],
])

const maxCalls = 1_000_000

/** `60/min` as `@limit` has it; null = it is none. */
function callLimit(text: unknown): RouteLimit | null {
  const [, digits = '', unit = ''] = /^([1-9]\d*)\/(s|min|h|day)$/.exec(String(text)) ?? []
  const windowSeconds = secondsOf.get(unit)
  const calls = Number(digits)
  return windowSeconds === undefined || calls > maxCalls ? null : { calls, windowSeconds }
}

/** As `@timeout`. */
const longestRouteSeconds = 3600
