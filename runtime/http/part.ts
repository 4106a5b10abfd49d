/** What an optional part of the server does with the routes of an application. */
import type { Guard } from '../contract/http.ts'
import type { Route } from '../contract/route.ts'
import type { RouteFacts } from '../contract/route-facts.ts'
import type { CallQuestion } from './pipeline/before-method.ts'
import type { RouteWrapper } from './pipeline/request-context.ts'

export interface RoutePart {
  /** What is asked of the store before the method of a route runs; null = nothing. Asked in the order of the parts. */
  readonly question?: (route: RouteFacts) => CallQuestion | null
  /** What wraps a route; each names its place in `pipeline/wrapper-order.ts`. */
  readonly wrap?: (route: RouteFacts) => readonly RouteWrapper[]
  /** The guards of a socket, of which it may watch what they refuse. */
  readonly watchGuards?: (route: Route, guards: readonly Guard[]) => readonly Guard[]
  /** Whether it must know the caller of the route. */
  readonly asksCaller?: (route: Route) => boolean
}
