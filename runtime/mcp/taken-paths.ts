/** Whether the MCP endpoint's addresses are free. */
import type { Endpoint } from '../contract/http.ts'
import type { Catalogue } from '../contract/mcp.ts'
import { toolLists } from './tools/tool-list.ts'

type EndpointAddress = Pick<Endpoint, 'methods' | 'path'>

/** Throws when one of `others` answers at an address of the MCP endpoint, which takes every method of its own: the router
 *  would refuse both, or hide a toolbox behind a route. */
export function refuseTakenPaths(
  endpoints: readonly EndpointAddress[],
  others: readonly EndpointAddress[],
  catalogue: Catalogue,
): void {
  const toolboxes = [...toolLists(catalogue).toolboxes.keys()]
  const ours = new Map(
    endpoints.flatMap(({ path }) => addressesOf(path, toolboxes)).map((at) => [shapeOf(at), at]),
  )
  for (const { methods, path } of others) {
    for (const each of withoutOption(path)) {
      const at = ours.get(shapeOf(each))
      if (at !== undefined)
        throw new Error(
          `mcp.path: ${at.replaceAll('::', ':')} is also the path of ${methods.join(', ')} ${path}`,
        )
    }
  }
}

const toolboxParameter = '/:toolbox'

function addressesOf(path: string, toolboxes: readonly string[]): readonly string[] {
  if (!path.endsWith(toolboxParameter)) return [path]
  const above = path.slice(0, -toolboxParameter.length)
  return [path, ...toolboxes.map((name) => `${above}/${name}`)]
}

/** An optional parameter at the end is two paths. */
function withoutOption(path: string): readonly string[] {
  if (!path.endsWith('?')) return [path]
  return [path.slice(0, -1), path.replace(/\/[^/]*$/, '')]
}

/** What the router compares: names of parameters say nothing, nor does a slash at the end. */
const shapeOf = (path: string): string =>
  path
    .replace(/::|:\w+(\([^)]*\))?/g, (found, pattern?: string) =>
      found === '::' || pattern !== undefined ? found : ':',
    )
    .replace(/(?<=.)\/$/, '')
