/** Whether the application's routes leave the addresses of the authorization server free. The build says so first. */

import type { Endpoint } from '../contract/http.ts'
import { shapeOfPath } from '../http/probes/built-in-addresses.ts'
import { BootError } from './boot-error.ts'

/** Both. Throws `BootError` in one line where a route is at an address of `builtIn`: Fastify would refuse it. */
export function besideBuiltIn(
  routes: readonly Endpoint[],
  builtIn: readonly Endpoint[],
): readonly Endpoint[] {
  const taken = new Map(
    builtIn.flatMap((endpoint) => keysOf(endpoint).map((key) => [key, endpoint] as const)),
  )
  for (const route of routes) {
    const other = keysOf(route).flatMap((key) => taken.get(key) ?? [])[0]
    if (other === undefined) continue
    const { methods, path, routeId = path } = route
    throw new BootError(
      `${methods.join(', ')} ${path} of ${routeId} is an address of the authorization server (${other.methods.join(', ')} ${other.path}): change its path`,
    )
  }
  return [...routes, ...builtIn]
}

const keysOf = ({ methods, path }: Endpoint): readonly string[] =>
  methods.map((method) => `${method} ${shapeOfPath(path)}`)
