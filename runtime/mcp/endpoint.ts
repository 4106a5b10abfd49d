import type { Tool } from '@modelcontextprotocol/server'
import type { Catalogue, Endpoint, HttpRequest, Outcome } from '../contract.ts'
import { PayloadTooLarge } from '../errors.ts'
import {
  type Authentication,
  type AuthenticationOptions,
  createAuthentication,
  ProbeUnavailable,
} from './authenticate.ts'
import { foreignOrigin, rpcError, unauthorized, unavailable } from './challenge.ts'
import { unknownName } from './near-matches.ts'
import { metadataEndpoints, metadataUrl } from './resource-metadata.ts'
import type { ProtocolOptions, ServeProtocol } from './server.ts'
import { type ToolLists, toolLists } from './tool-list.ts'
import { createTools, type ToolOptions } from './tools.ts'

/** The settings of the MCP endpoint. `baseUrl` has no trailing slash and is the only source of public addresses. An entry
 *  of `allowedOrigins` is an origin; `http://localhost:*` allows every port. `authProbe` is the path or the id of a GET
 *  route. Source: specification, MCP server configuration. */
export interface McpEndpointOptions extends AuthenticationOptions, ToolOptions {
  readonly path: string
  readonly serverName: string
  readonly serverVersion: string
  readonly baseUrl: string
  readonly catalogue: Catalogue
  readonly allowedOrigins: readonly string[]
}

/** The MCP endpoint at `path`, one endpoint per toolbox below it, and the protected resource metadata if configured.
 *  Throws when `authProbe` or a tool names no route. Source: specification, MCP endpoint and Protected resource
 *  metadata. */
export function createMcpEndpoint(options: McpEndpointOptions): readonly Endpoint[] {
  const path = options.path.replace(/\/+$/, '')
  const room = openRoom(options, path)
  const { resourceMetadata, baseUrl } = options
  const { toolboxes } = room.lists
  const mcp = [path === '' ? '/' : path, `${path}/:toolbox`].map((at) => ({
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    path: at,
    handle: (request: HttpRequest) => answer(room, request).catch(unavailableAnswer),
  }))
  if (resourceMetadata === null) return mcp
  return [...mcp, ...metadataEndpoints({ baseUrl, path, toolboxes, resourceMetadata })]
}

interface Room {
  readonly lists: ToolLists
  readonly authentication: Authentication
  readonly serve: ServeProtocol
  readonly isForeign: (request: HttpRequest) => boolean
  readonly challenge: (request: HttpRequest) => Outcome
}

function openRoom(options: McpEndpointOptions, path: string): Room {
  const lists = toolLists(options.catalogue)
  const { serverName, serverVersion, baseUrl, log } = options
  const { instructions } = options.catalogue
  const callByName = createTools(options)
  return {
    lists,
    authentication: createAuthentication(options),
    serve: protocolOf({
      serverName,
      serverVersion,
      instructions,
      address: `${baseUrl}${path}`,
      callByName,
      log,
    }),
    isForeign: originCheck(options.allowedOrigins),
    challenge: (request) => {
      const { toolbox } = request.params
      const at = toolbox !== undefined && lists.toolboxes.has(toolbox) ? `${path}/${toolbox}` : path
      return unauthorized(request, options.resourceMetadata?.(request) ?? null, metadataUrl(baseUrl, at))
    },
  }
}

/** The protocol, and the SDK with it, is loaded with the first request that gets there: a start need not wait for it. */
function protocolOf(options: ProtocolOptions): ServeProtocol {
  let protocol: Promise<ServeProtocol> | null = null
  return async (request, tools) => {
    protocol ??= import('./server.ts').then(({ createProtocol }) => createProtocol(options))
    return (await protocol)(request, tools)
  }
}

/** Origin, then authentication, then everything that could be wrong with the message. Source: decisions.md, Easy to miss. */
async function answer(room: Room, request: HttpRequest): Promise<Outcome> {
  if (room.isForeign(request)) return foreignOrigin
  if (!(await room.authentication.check(request))) return room.challenge(request)
  const tools = listedTools(room.lists, request)
  if (tools === null) return unknownToolbox(room.lists, request)
  return serve(room, request, tools).catch((error: unknown) => {
    if (error instanceof PayloadTooLarge) return rpcError(413, error.message, null)
    throw error
  })
}

function unavailableAnswer(error: unknown): Outcome {
  if (error instanceof ProbeUnavailable) return unavailable(error.retryAfter)
  throw error
}

/** A route's 401 becomes the endpoint's, so that the client signs in again. Source: specification, Authentication, rule 2. */
async function serve(room: Room, request: HttpRequest, tools: readonly Tool[]): Promise<Outcome> {
  const { outcome, isRefusedByRoute } = await room.serve(request, tools)
  if (!isRefusedByRoute || !room.authentication.isOn) return outcome
  room.authentication.forget(request)
  return room.challenge(request)
}

function listedTools(lists: ToolLists, request: HttpRequest): readonly Tool[] | null {
  const { toolbox } = request.params
  if (toolbox !== undefined) return lists.toolboxes.get(toolbox) ?? null
  return request.query.get('toolboxes') === 'all' ? lists.all : lists.root
}

function unknownToolbox(lists: ToolLists, request: HttpRequest): Outcome {
  const error = unknownName('toolbox', request.params.toolbox ?? '', lists.toolboxes.keys())
  return { status: 404, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ error }) }
}

function originCheck(allowedOrigins: readonly string[]): (request: HttpRequest) => boolean {
  const allowed = new Set(allowedOrigins.map((origin) => origin.toLowerCase()))
  return ({ headers }) => {
    if (headers.origin === undefined) return false
    const origin = String(headers.origin).toLowerCase()
    return !allowed.has(origin) && !allowed.has(`${origin.replace(/:\d+$/, '')}:*`)
  }
}
