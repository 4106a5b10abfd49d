/** How often and how long the routes of an application may be called. Source: decisions/http.md, Limits and time. */
import type { Guard, HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { Route, RouteLimit } from '../../contract/route.ts'
import type { Clock, Services } from '../../contract/store.ts'
import { TooManyRequests } from '../../errors.ts'
import {
  addressKey,
  createRateCounter,
  dayMark,
  type RateCounter,
  type RateCounterOptions,
  type ShareCounts,
  shareNameless,
} from '../../rate-limit.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { RouteAccess } from '../access/route-access.ts'
import { RouteTime } from './route-timeout.ts'

export interface RouteLimitOptions {
  /** Of routes without a limit of their own; null = none. */
  readonly routeCalls: RouteLimit | null
  /** The same in seconds. */
  readonly routeSeconds: number | null
  /** What handlers of errors have. */
  readonly services: Services
  readonly clock: Clock
  readonly monotonic: Clock
  readonly every: Scheduler
}

type AnswerTooMany = (
  error: TooManyRequests,
  request: HttpRequest,
  services: Services,
) => Promise<HttpResponse>

/** Counts a call; the error when it is one too many. */
type CountRouteCall = (request: HttpRequest) => MaybePromise<TooManyRequests | null>

export class RouteLimits {
  readonly #options: RouteLimitOptions
  readonly #counts: RouteCounts
  readonly #times = new Map<number, RouteTime>()

  constructor(options: RouteLimitOptions) {
    this.#options = options
    this.#counts = new RouteCounts({ clock: options.clock, monotonic: options.monotonic })
  }

  /** Null = it may be called without limit. A default spares preflights, which carry no credentials. */
  limitOf({ limit, verb }: Pick<Route, 'limit' | 'verb'>): RouteLimit | null {
    if (limit !== undefined) return limit || null
    return verb === 'OPTIONS' ? null : this.#options.routeCalls
  }

  /** Null = it has no end. */
  timeOf({ timeoutSeconds, websocket }: Pick<Route, 'timeoutSeconds' | 'websocket'>): RouteTime | null {
    const seconds = timeoutSeconds ?? this.#options.routeSeconds
    if (websocket || seconds === null || seconds === false) return null
    const known = this.#times.get(seconds)
    if (known !== undefined) return known
    const made = new RouteTime(seconds, this.#options)
    this.#times.set(seconds, made)
    return made
  }

  /** Refuses one call too many; `answer` is asked for what the route's handlers say of it. Null where there is no limit. */
  guard(route: Route, access: RouteAccess | null, answer: AnswerTooMany): Guard | null {
    const count = this.#counting(route, access)
    if (count === null) return null
    const { services } = this.#options
    return (request) => {
      const counted = count(request)
      if (counted instanceof Promise)
        return counted.then((error) => error && answer(error, request, services))
      return counted && answer(counted, request, services)
    }
  }

  /** Counts by the user whom the credentials prove, else by the address: a caller with none, or false ones, uses up its own count alone. */
  #counting(route: Route, access: RouteAccess | null): CountRouteCall | null {
    const limit = this.limitOf(route)
    if (limit === null) return null
    const id = route.shortOf ?? route.id
    const count = (caller: RouteCaller): TooManyRequests | null => {
      const seconds = this.#counts.take(id, caller, limit)
      return seconds === 0 ? null : new TooManyRequests(seconds)
    }
    return (request) => {
      const user = access?.subjectOf(request) ?? null
      if (user instanceof Promise) return user.then((found) => count(callerOf(found, request)))
      return count(callerOf(user, request))
    }
  }

  /** One exchange of counts with the other instances. */
  readonly exchangeCounts = (share: ShareCounts): Promise<void> => this.#counts.exchange(share)
}

const callerOf = (userId: string | null, { ip }: HttpRequest): RouteCaller =>
  userId === null ? { kind: 'address', key: addressKey(ip) } : { kind: 'user', key: userId }

/** The answer to one call too many; `handled` is what the route's handler answered, of which body and content type count. */
export function tooManyResponse(error: TooManyRequests, handled: HttpResponse | null): HttpResponse {
  const { status, message, retryAfterSeconds } = error
  const type = handled === null ? 'application/json; charset=utf-8' : handled.headers['content-type']
  return {
    status,
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      'cache-control': 'no-store',
      'retry-after': String(retryAfterSeconds),
    },
    body: handled === null ? JSON.stringify({ error: message }) : handled.body,
  }
}

/** The caller: a user by id, or an address by its key. */
interface RouteCaller {
  readonly kind: 'user' | 'address'
  readonly key: string
}

type Clocks = Pick<RateCounterOptions, 'clock' | 'monotonic'>

/** Of each kind and window; the caller counted least recently is forgotten. */
const capacity = 10_000

/** A window of a second is over before another instance could be told. */
const shortestShared = 60

class RouteCounts {
  readonly #clocks: Clocks
  /** Users and addresses apart, so that a flood of addresses makes no user forgotten. */
  readonly #counters = new Map<string, { readonly counter: RateCounter; readonly windowSeconds: number }>()

  constructor(clocks: Clocks) {
    this.#clocks = clocks
  }

  /** Counts a call of the route. Returns 0 when it may run, else the whole seconds until one may. */
  take(route: string, { kind, key }: RouteCaller, { calls, windowSeconds }: RouteLimit): number {
    return this.#counterOf(kind, windowSeconds).take(`${route} ${key}`, calls)
  }

  /** One exchange with the other instances; rejects with what `share` does. */
  async exchange(share: ShareCounts): Promise<void> {
    for (const [name, { counter, windowSeconds }] of this.#counters) {
      if (windowSeconds < shortestShared) continue
      const mark = windowSeconds === secondsOfDay ? dayMark : ''
      await counter.exchange(shareNameless(share, `${mark}route call ${name}`))
    }
  }

  #counterOf(kind: RouteCaller['kind'], windowSeconds: number): RateCounter {
    const name = `${kind} ${windowSeconds}`
    const known = this.#counters.get(name)
    if (known !== undefined) return known.counter
    const counter = createRateCounter({ windowSeconds, capacity, ...this.#clocks })
    this.#counters.set(name, { counter, windowSeconds })
    return counter
  }
}

const secondsOfDay = 86_400
