/** The MCP endpoint as it is mounted: its settings are checked at boot, everything else (the SDK with it) is loaded with the
 *  first request that gets there, so that a start need not wait for it. */
import { METHODS } from 'node:http'
import type { Endpoint, HttpRequest, HttpResponse, MaybePromise } from '../contract/http.ts'
import { sourceTest } from '../http/server/origins.ts'
import { lazy } from '../lazy.ts'
import { createAuthentication } from './auth/authenticate.ts'
import { corsHeadersFor } from './auth/cross-origin.ts'
import { resourceMetadataEndpoints } from './auth/resource-metadata.ts'
import type { McpEndpoint, McpEndpointOptions } from './endpoint.ts'
import type { CallLimits } from './limits/limits.ts'
import { routerPath } from './protocol/mcp-path.ts'
import { serverCardEndpoint } from './server-card.ts'
import type { Streams } from './streams/streams.ts'
import { metaToolNames, toolLists } from './tools/tool-list.ts'

export type { McpEndpointOptions } from './endpoint.ts'

/** The streams on which clients listen for changes of lists and resources. */
export type OpenStreams = Pick<
  Streams,
  'toolsChanged' | 'listsChanged' | 'resourceChanged' | 'anythingChanged' | 'close' | 'count'
>

/** The MCP server as the composition sees it. */
export interface McpServer {
  /** To mount: the endpoint, one per toolbox below it, and the protected resource metadata if configured. */
  readonly endpoints: readonly Endpoint[]
  readonly streams: OpenStreams
  /** A credential of that user has been revoked, null = maybe of any user: all of them are checked anew, those of open streams
   *  now; optional parts are told. */
  userRevoked(userId: string | null): void
  /** That client may do other things for that user from now on: those of its open streams that had others are told that the
   *  list of tools has changed. */
  accessChanged(granted: {
    readonly userId: string
    readonly clientId: string
    readonly scopes: readonly string[]
  }): void
  /** Exchanges the counts of tool calls with the other instances; rejects with what `share` does. */
  readonly exchangeCounts: CallLimits['exchange']
}

/** The MCP server of an application. Throws when `authProbe` or a tool names no route, when a tool is named after a
 *  meta tool, and for an answer budget of no tool. Source: rules.md, MCP endpoint and Protected resource metadata. */
export function createMcpServer(options: McpEndpointOptions): McpServer {
  checkTools(options)
  refuseForwardedArguments(options)
  const path = options.path.replace(/\/+$/, '')
  const authentication = createAuthentication(options)
  let loaded: McpEndpoint | null = null
  let areStreamsClosed = false
  // What failed is tried again with the next request. Node (20.20) itself remembers a module that it could not load: then
  // that fails too, and each failure is in the log.
  const load = lazy(async () => {
    try {
      const { createMcpEndpoint } = await import('./endpoint.ts')
      loaded = await createMcpEndpoint(options, path, authentication)
      if (areStreamsClosed) loaded.streams.close() // by a request on a connection that was kept
      return loaded
    } catch (error) {
      options.log.error({ err: error }, 'the MCP endpoint could not be loaded')
      throw error
    }
  })
  const handle = (request: HttpRequest): MaybePromise<HttpResponse> =>
    loaded === null ? load().then((endpoint) => endpoint.handle(request)) : loaded.handle(request)
  const mounted = routerPath(path)
  const paths = [mounted === '' ? '/' : mounted, `${mounted}/:toolbox`]
  const { allowedOrigins: origins, allowedHosts: hosts } = options
  const corsHeaders = corsHeadersFor(sourceTest({ origins, hosts }))
  return {
    endpoints: [
      ...paths.map((at): Endpoint => ({ methods: everyMethod, path: at, handle, corsHeaders })),
      ...metadata(options, path),
      ...serverCards(options, path),
    ],
    streams: {
      toolsChanged: () => loaded?.streams.toolsChanged(),
      listsChanged: () => loaded?.streams.listsChanged(),
      resourceChanged: (uri) => loaded?.streams.resourceChanged(uri),
      anythingChanged: () => loaded?.streams.anythingChanged(),
      close() {
        areStreamsClosed = true
        loaded?.streams.close()
      },
      count: () => loaded?.streams.count() ?? 0,
    },
    userRevoked(userId) {
      authentication.forgetUser(userId)
      loaded?.streams.recheck(userId)
      for (const part of options.parts) part.userRevoked?.(userId)
    },
    accessChanged: (granted) => loaded?.streams.accessChanged(granted),
    exchangeCounts: async (share) => loaded?.exchangeCounts(share), // nothing is counted before it is loaded
  }
}

/** The endpoint itself handles whatever Node reads, so that 401 comes before 405; CONNECT never comes as a request. */
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

/** The build, which could not read the setting, has made arguments of them: a model would say whose data it wants. */
function refuseForwardedArguments({ catalogue, forwardHeaders }: McpEndpointOptions): void {
  const { tools, prompts = [], resources = [] } = catalogue
  for (const { name, arguments: own } of [...tools, ...prompts, ...resources]) {
    const taken = own.find(
      (argument) => argument.from === 'header' && forwardHeaders.includes(argument.name.toLowerCase()),
    )
    if (taken === undefined) continue
    throw new Error(
      `mcp.forwardHeaders: the build could not read the setting, and made ${taken.name} an argument of '${name}': write the names as texts`,
    )
  }
}

function serverCards(
  { serverCard: card, serverName, serverVersion: version, baseUrl }: McpEndpointOptions,
  path: string,
): readonly Endpoint[] {
  return card === null ? [] : [serverCardEndpoint({ card, title: serverName, version, baseUrl, path })]
}

function metadata(
  { resourceMetadata, baseUrlOf, catalogue }: McpEndpointOptions,
  path: string,
): readonly Endpoint[] {
  if (resourceMetadata === null) return []
  const { toolboxes } = toolLists(catalogue)
  return resourceMetadataEndpoints({ baseUrlOf, path, toolboxes, resourceMetadata })
}
