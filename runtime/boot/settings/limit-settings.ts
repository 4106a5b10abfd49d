/** How often and how long routes may be called where they say nothing of it. */
import type { Clock, Services } from '../../contract/store.ts'
import { RouteLimits } from '../../http/limits/route-limits.ts'
import { intervalScheduler, type Scheduler } from '../../scheduler.ts'
import type { ResolvedConfig } from '../resolve-config.ts'

interface LimitDependencies {
  readonly services: Services
  readonly clock: Clock
  readonly monotonic?: Clock
  readonly every?: Scheduler
}

export function routeLimits(
  { routeCalls, routeSeconds }: ResolvedConfig['limits'],
  { services, clock, monotonic = clock, every = intervalScheduler }: LimitDependencies,
): RouteLimits {
  return new RouteLimits({ routeCalls, routeSeconds, services, clock, monotonic, every })
}
