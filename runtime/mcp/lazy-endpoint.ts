/** The endpoint as it is mounted: its settings are checked at boot, everything else (the SDK with it) is loaded with the
 *  first request that gets there, so that a start need not wait for it. */
import { METHODS } from 'node:http'
import type { Endpoint, HttpRequest, HttpResponse } from '../contract/http.ts'
import { lazy } from '../lazy.ts'
import type { ShareCounts } from '../rate-limit.ts'
import { type Authentication, createAuthentication } from './auth/authenticate.ts'
import { resourceMetadataEndpoints } from './auth/resource-metadata.ts'
import type { McpEndpoint } from './endpoint.ts'
import type { CallLimits } from './limits/limits.ts'
import { routerPath } from './mcp-path.ts'
import type { McpEndpointOptions } from './server.ts'
import { metaToolNames, toolLists } from './tools/tool-list.ts'

/** The streams on which clients listen for changes of the list of tools. */
export interface OpenStreams {
  /** Tells every client that listens that the list has changed. */
  toolsChanged(): void
  /** Ends them. */
  close(): void
}

/** The MCP endpoint as the composition sees it. */
export interface MountedMcp {
  /** To mount: the endpoint, one per toolbox below it, and the protected resource metadata if configured. */
  readonly endpoints: readonly Endpoint[]
  readonly streams: OpenStreams
  /** A credential of that user has been revoked: all of them are checked anew, those of open streams now. */
  userRevoked(userId: string): void
  /** Exchanges the counts of tool calls with the other instances; rejects with what `share` does. */
  readonly exchangeCounts: CallLimits['exchange']
}

/** The MCP endpoint of an application. Throws when `authProbe` or a tool names no route, when a tool is named after a
 *  meta tool, and for an answer budget of no tool. Source: specification, MCP endpoint and Protected resource metadata. */
export function lazyMcpEndpoint(options: McpEndpointOptions): MountedMcp {
  checkTools(options)
  const path = options.path.replace(/\/+$/, '')
  const late = new LazyEndpoint(options, path, createAuthentication(options))
  const mounted = routerPath(path)
  const mcp = [mounted === '' ? '/' : mounted, `${mounted}/:toolbox`].map(
    (at): Endpoint => ({
      methods: everyMethod,
      path: at,
      handle: (request) => late.handle(request),
    }),
  )
  const userRevoked = (userId: string): void => late.userRevoked(userId)
  const exchangeCounts: CallLimits['exchange'] = (share) => late.exchangeCounts(share)
  return {
    endpoints: [...mcp, ...metadata(options, path)],
    streams: late.streams,
    userRevoked,
    exchangeCounts,
  }
}

/** The endpoint itself answers whatever Node reads, so that 401 comes before 405; CONNECT never comes as a request. */
const everyMethod: readonly string[] = METHODS.filter((method) => method !== 'CONNECT')

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
  return resourceMetadataEndpoints({ baseUrl, path, toolboxes, resourceMetadata })
}

class LazyEndpoint {
  readonly streams: OpenStreams
  readonly #options: McpEndpointOptions
  readonly #path: string
  readonly #authentication: Authentication
  #loaded: McpEndpoint | null = null
  /** What failed is tried again with the next request. Node (20.20) itself remembers a module that it could not load: then
   *  that fails too, and each failure is in the log. */
  readonly #whenLoaded: () => Promise<McpEndpoint> = lazy(() => this.#load())

  constructor(options: McpEndpointOptions, path: string, authentication: Authentication) {
    this.#options = options
    this.#path = path
    this.#authentication = authentication
    this.streams = {
      toolsChanged: () => this.#loaded?.streams.toolsChanged(),
      close: () => this.#loaded?.streams.close(),
    }
  }

  handle(request: HttpRequest): Promise<HttpResponse> {
    return this.#loaded === null
      ? this.#whenLoaded().then((endpoint) => endpoint.handle(request))
      : this.#loaded.handle(request)
  }

  userRevoked(userId: string): void {
    this.#authentication.forgetUser(userId)
    this.#loaded?.streams.recheck(userId)
  }

  /** Nothing is counted before the endpoint is loaded. */
  async exchangeCounts(share: ShareCounts): Promise<void> {
    await this.#loaded?.exchangeCounts(share)
  }

  async #load(): Promise<McpEndpoint> {
    try {
      const { createMcpEndpoint } = await import('./endpoint.ts')
      this.#loaded = createMcpEndpoint(this.#options, this.#path, this.#authentication)
      return this.#loaded
    } catch (error) {
      this.#options.log.error({ err: error }, 'the MCP endpoint could not be loaded')
      throw error
    }
  }
}
