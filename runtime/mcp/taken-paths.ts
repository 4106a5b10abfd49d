/** Whether the MCP endpoint's addresses are free. */

import type { Endpoint } from '../contract/http.ts'
import { shapeOfPath } from '../http/probes/built-in-addresses.ts'

type EndpointAddress = Pick<Endpoint, 'methods' | 'path'>

const toolboxParameter = '/:toolbox'
const isOfToolboxes = ({ path }: EndpointAddress): boolean => path.endsWith(toolboxParameter)

/** `endpoints` without the methods that one of `others` has at the address of the toolboxes: a route of the application wins
 *  there, and at the address of one toolbox by the router's own rules. Throws when one of `others` is at another address of
 *  the endpoint, which takes every method of its own: the router would refuse both. */
export function besideOthers<One extends EndpointAddress>(
  endpoints: readonly One[],
  others: readonly EndpointAddress[],
): readonly One[] {
  const taken = new Map<string, EndpointAddress[]>()
  for (const other of others) {
    for (const path of withoutOption(other.path)) {
      const shape = shapeOfPath(path)
      taken.set(shape, [...(taken.get(shape) ?? []), other])
    }
  }
  return endpoints.map((endpoint) => {
    const there = taken.get(shapeOfPath(endpoint.path)) ?? []
    const [first] = there
    if (first === undefined) return endpoint
    if (!isOfToolboxes(endpoint))
      throw new Error(
        `mcp.path: ${endpoint.path.replaceAll('::', ':')} is also the path of ${first.methods.join(', ')} ${first.path}`,
      )
    const methods = new Set(there.flatMap((address) => address.methods))
    if (methods.has('GET')) methods.add('HEAD')
    return { ...endpoint, methods: endpoint.methods.filter((method) => !methods.has(method)) }
  })
}

/** An optional parameter at the end is two paths. */
function withoutOption(path: string): readonly string[] {
  if (!path.endsWith('?')) return [path]
  return [path.slice(0, -1), path.replace(/\/[^/]*$/, '')]
}
