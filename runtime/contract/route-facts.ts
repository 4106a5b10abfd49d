import type { ToolEntry } from './mcp.ts'
import type { Route, RouteCodec } from './route.ts'

/** A route of the application, with what the build says of it beside its row. */
export interface RouteFacts {
  readonly route: Route
  readonly codec: RouteCodec
  /** Those that run it. */
  readonly tools: readonly ToolEntry[]
}
