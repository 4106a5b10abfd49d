/** Which endpoints Fastify knows as one route: registering its routes is the longest part of a start. */
import type { Endpoint } from '../../contract/http.ts'

/** Endpoints of one path, by method. */
export interface RouteGroup {
  readonly url: string
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

/** A GET route takes HEAD too. */
export const withHead = (methods: readonly string[]): readonly string[] =>
  methods.includes('GET') && !methods.includes('HEAD') ? [...methods, 'HEAD'] : methods

/** The endpoint by itself. */
export const singleRoute = (endpoint: Endpoint): RouteGroup => ({
  url: endpoint.path,
  endpoints: new Map(withHead(endpoint.methods).map((method) => [method, endpoint])),
})

/** The endpoints that have the same path and different methods together; a method that a path has already stays alone,
 *  for Fastify to refuse. */
export function groupByPath(endpoints: readonly Endpoint[]): readonly RouteGroup[] {
  const byPath = new Map<string, Map<string, Endpoint>>()
  const alone: RouteGroup[] = []
  for (const endpoint of endpoints) {
    const routeGroup = singleRoute(endpoint)
    const group = byPath.get(routeGroup.url) ?? new Map<string, Endpoint>()
    if ([...routeGroup.endpoints.keys()].some((method) => group.has(method))) alone.push(routeGroup)
    else byPath.set(routeGroup.url, new Map([...group, ...routeGroup.endpoints]))
  }
  return [...Array.from(byPath, ([url, group]) => ({ url, endpoints: group })), ...alone]
}
