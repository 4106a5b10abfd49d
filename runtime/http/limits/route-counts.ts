/** How often each user has called each route. Source: decisions/http.md, Limits and time. */
import type { RouteLimit } from '../../contract/route.ts'
import {
  createRateCounter,
  dayMark,
  type RateCounter,
  type RateCounterOptions,
  type ShareCounts,
  shareNameless,
} from '../../rate-limit.ts'

/** Who calls: a user by id, or an address by its key. */
export interface RouteCaller {
  readonly kind: 'user' | 'address'
  readonly key: string
}

type Clocks = Pick<RateCounterOptions, 'clock' | 'monotonic'>

/** Of each kind and window; who was counted least recently is forgotten. */
const capacity = 10_000

/** A window of a second is over before anybody could share it. */
const shortestShared = 60

export class RouteCounts {
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
