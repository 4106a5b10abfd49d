/** The one route that a tool call may reach, whatever its arguments make of the path. Source: house.md, The runtime. */
import type { AppBundle } from '../../contract/bundle.ts'
import type { HttpRequest } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'

export interface PinnedRoute {
  /** The tool's own route, and the shorter addresses of its optional segments. */
  readonly routeIds: ReadonlySet<string>
  /** The path variables without which the action, or a filter before it, does not run. */
  readonly neededVariables: readonly string[]
}

type Params = HttpRequest['params']

/** What the calls of `route` are pinned to. */
export function pinnedRoute(
  route: Route,
  { routes, codecs }: Pick<AppBundle, 'routes' | 'codecs'>,
): PinnedRoute {
  const codec = codecs[route.id]
  const decoders = [...(codec?.params ?? []), ...(codec?.filters.flat() ?? [])]
  const inPath = decoders.filter(({ from }) => from === 'path' || from === 'rest')
  const needed = inPath.filter(({ required }) => required)
  const neededVariables = needed.map(({ name, from }) => (from === 'rest' ? '*' : name))
  const mayMiss = (segment: string): boolean =>
    (segment === '*' || segment.startsWith(':')) && !neededVariables.includes(segment.replace(/^:/, ''))
  const hasVariables = /[:*]/.test(route.path)
  const shorter = hasVariables ? routes.filter((other) => isShorter(other, route, mayMiss)) : []
  return { routeIds: new Set([route.id, ...shorter.map(({ id }) => id)]), neededVariables }
}

/** The compiler names the shorter addresses of a route after what they leave out. */
function isShorter(other: Route, route: Route, mayMiss: (segment: string) => boolean): boolean {
  const isOfAction = other.controller === route.controller && other.verb === route.verb
  if (!isOfAction || !other.id.startsWith(`${route.id}_without_`)) return false
  const [short, long] = [segmentsOf(other.path), segmentsOf(route.path)]
  return short.every((segment, at) => segment === long[at]) && long.slice(short.length).every(mayMiss)
}

const segmentsOf = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '')

/** Whether a call lacks a part of its path, so that no address leads to its route: the route's own parameter step
 *  refuses it. */
export const lacksVariable = (
  { neededVariables }: PinnedRoute,
  { params }: Pick<HttpRequest, 'params'>,
): boolean => neededVariables.some((name) => textOf(params, name) === '')

/** Whether routing came to the same values as the call was made of. The last slash of an address says nothing to it. */
export function hasSameValues(params: Params, called: Params): boolean {
  const names = new Set([...Object.keys(params), ...Object.keys(called)])
  return [...names].every((name) => {
    const [routed, meant] = [textOf(params, name), textOf(called, name)]
    return routed === meant || (name === '*' && `${routed}/` === meant)
  })
}

const textOf = (params: Params, name: string): string =>
  Object.hasOwn(params, name) ? (params[name] ?? '') : ''
