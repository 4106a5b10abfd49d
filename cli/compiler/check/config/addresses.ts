/** Routes at addresses that something else has: the authorization server, the MCP endpoint, its toolboxes. */

import { builtInAddresses, shapeOfPath } from '../../../../runtime/http/probes/built-in-addresses.ts'
import { addressTaken, toolboxHidden } from '../../diagnostics/config-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { Controller } from '../../ir/model.ts'
import type { At } from '../../ir/schema.ts'

interface Served {
  /** `GET /notes/:id`. */
  readonly address: string
  /** Without the names of its variables. */
  readonly route: string
  readonly member: string
  readonly routeAt: At
}

const builtIn: ReadonlyMap<string, string> = new Map(
  builtInAddresses.flatMap(({ methods, path }) =>
    methods.map((method) => [`${method} ${shapeOfPath(path)}`, `${method} ${path}`]),
  ),
)

/** At an address of the authorization server, or at `mcpPath` itself, no route can be; at that of a toolbox below it the route
 *  wins. `mcpPath` is null where the build cannot see it. */
export function addressesAreFree(
  routes: readonly Served[],
  controllers: readonly Controller[],
  mcpPath: string | null,
): readonly Diagnostic[] {
  const at = mcpPath === null ? null : decoded(mcpPath).replace(/\/$/, '')
  const toolboxes = new Set(
    controllers.flatMap(({ toolbox }) => (toolbox === null ? [] : `${at}/${toolbox}`)),
  )
  return routes.flatMap(({ address, route, member, routeAt }) => {
    const [verb = '', path = ''] = route.split(' ', 2)
    const server = builtIn.get(`${verb} ${path.replace(/(?<=\/)\*$/, '*')}`)
    if (server !== undefined)
      return [addressTaken(routeAt, address, member, `the authorization server (${server})`)]
    if (at === null) return []
    if (path === (at === '' ? '/' : at))
      return [addressTaken(routeAt, address, member, `the MCP endpoint (mcp.path: '${mcpPath}')`)]
    const isToolbox = toolboxes.has(path) || (path === `${at}/:` && toolboxes.size > 0)
    return isToolbox ? [toolboxHidden(routeAt, address, member, path.replace(/:$/, ':toolbox'))] : []
  })
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // the boot refuses it
  }
}
