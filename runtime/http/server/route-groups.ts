/** Which endpoints Fastify knows as one route: registering its routes is the longest part of a start. */
import type { Endpoint } from '../../contract/http.ts'

/** Endpoints of one path, by method. */
export interface RouteGroup {
  readonly url: string
  readonly endpoints: ReadonlyMap<string, Endpoint>
}

/** Every GET answers HEAD too. */
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
  const known = new Map<string, Map<string, Endpoint>>()
  const paths: RouteGroup[] = []
  for (const endpoint of endpoints) {
    const one = singleRoute(endpoint)
    const first = known.get(one.url)
    if (first !== undefined && !overlap(first, one.endpoints)) {
      for (const method of one.endpoints.keys()) first.set(method, endpoint)
      continue
    }
    const own = new Map(one.endpoints)
    known.set(one.url, own)
    paths.push({ url: one.url, endpoints: own })
  }
  return paths
}

function overlap(known: ReadonlyMap<string, Endpoint>, added: ReadonlyMap<string, Endpoint>): boolean {
  for (const method of added.keys()) if (known.has(method)) return true
  return false
}
