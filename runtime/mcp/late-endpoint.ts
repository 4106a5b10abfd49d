/** The endpoint as it is mounted: its settings are checked at boot, everything else (the SDK with it) is loaded with the
 *  first request that gets there, so that a start need not wait for it. */
import type { Endpoint, HttpRequest, Outcome } from '../contract.ts'
import { createAuthentication } from './authenticate.ts'
import type { McpEndpoint, McpEndpointOptions } from './endpoint.ts'
import { metadataEndpoints } from './resource-metadata.ts'
import { metaToolNames, toolLists } from './tool-list.ts'

/** The MCP endpoint of an application. Throws when `authProbe` or a tool names no route, when a tool is named after a
 *  meta tool, and for an answer budget of no tool. Source: specification, MCP endpoint and Protected resource metadata. */
export function lateMcpEndpoint(options: McpEndpointOptions): McpEndpoint {
  createAuthentication(options)
  checkTools(options)
  const path = options.path.replace(/\/+$/, '')
  const late = new LateEndpoint(options)
  const mcp = [path === '' ? '/' : path, `${path}/:toolbox`].map(
    (at, index): Endpoint => ({
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      path: at,
      handle: (request) => late.handle(index, request),
    }),
  )
  return {
    endpoints: [...mcp, ...metadata(options, path)],
    toolsChanged: () => late.loaded?.toolsChanged(),
    close: () => late.loaded?.close(),
  }
}

function checkTools({ catalogue, routes, answerCharsOf }: McpEndpointOptions): void {
  const names = new Set(catalogue.tools.map(({ name }) => name))
  for (const { name, route } of catalogue.tools) {
    if (!routes.has(route))
      throw new Error(`the tool '${name}' runs the route '${route}', which is not served`)
  }
  for (const name of answerCharsOf.keys()) {
    if (!names.has(name)) throw new Error(`mcp.answerCharsOf: there is no tool '${name}'`)
  }
  for (const name of Object.values(metaToolNames)) {
    if (names.has(name)) throw new Error(`the tool name '${name}' is taken by the MCP endpoint itself`)
  }
}

function metadata(
  { resourceMetadata, baseUrl, catalogue }: McpEndpointOptions,
  path: string,
): readonly Endpoint[] {
  if (resourceMetadata === null) return []
  const { toolboxes } = toolLists(catalogue)
  return metadataEndpoints({ baseUrl, path, toolboxes, resourceMetadata })
}

class LateEndpoint {
  loaded: McpEndpoint | null = null
  readonly #options: McpEndpointOptions
  #loading: Promise<McpEndpoint> | null = null

  constructor(options: McpEndpointOptions) {
    this.#options = options
  }

  /** Answers as the `index`th of the endpoints. */
  handle(index: number, request: HttpRequest): Outcome | Promise<Outcome> {
    if (this.loaded !== null) return answerOf(this.loaded, index, request)
    this.#loading ??= this.#load()
    return this.#loading.then((endpoint) => answerOf(endpoint, index, request))
  }

  async #load(): Promise<McpEndpoint> {
    const { createMcpEndpoint } = await import('./endpoint.ts')
    this.loaded = createMcpEndpoint(this.#options)
    return this.loaded
  }
}

function answerOf(
  { endpoints }: McpEndpoint,
  index: number,
  request: HttpRequest,
): Outcome | Promise<Outcome> {
  const endpoint = endpoints[index]
  if (endpoint === undefined) throw new Error('the endpoint has fewer addresses than it was mounted at')
  return endpoint.handle(request)
}
