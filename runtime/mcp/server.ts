/** Puts the parts of the MCP endpoint together. */
import type { HttpRequest } from '../contract/http.ts'
import type { Catalogue } from '../contract/mcp.ts'
import type { Clock } from '../contract/store.ts'
import type { Scheduler } from '../scheduler.ts'
import { sha256Hex } from '../secret.ts'
import type { Authentication, AuthenticationOptions } from './auth/authenticate.ts'
import { type CallLogOptions, createCallLog } from './call-log.ts'
import { type CallLimits, createLimits, type LimitOptions } from './limits/limits.ts'
import { createRunningCalls, type RunningOptions } from './limits/running-calls.ts'
import { type Era, metaKeys, modernVersion } from './protocol/constants.ts'
import { createFastPath, type ServeFast } from './protocol/fast-path.ts'
import { type AskForPage, createListCache } from './protocol/list-cache.ts'
import { createRequestStates } from './protocol/request-state.ts'
import { resultWriter } from './protocol/result-writer.ts'
import { createSdkPath, type ServeBySdk } from './protocol/sdk-path.ts'
import { createProtocol, type ServeProtocol } from './protocol/sdk-server.ts'
import { createStreams, type StreamOptions, type Streams } from './streams/streams.ts'
import { type ToolLists, toolLists } from './tools/tool-list.ts'
import { createTools, type ToolOptions } from './tools/tools.ts'

/** The settings of the MCP endpoint. `baseUrl` has no trailing slash and is the only source of public addresses. An entry
 *  of `allowedOrigins` is an origin; `http://localhost:*` allows every port. `authProbe` is the path or the id of a GET
 *  route. Source: specification, MCP server configuration. */
export interface McpEndpointOptions
  extends AuthenticationOptions,
    ToolOptions,
    LimitOptions,
    RunningOptions,
    Pick<StreamOptions, 'streamsPerUser'> {
  /** Canonical. */
  readonly path: string
  readonly serverName: string
  readonly serverVersion: string
  readonly baseUrl: string
  readonly catalogue: Catalogue
  readonly allowedOrigins: readonly string[]
  /** Host names (lower case, without port) that a request may name; null = any. */
  readonly allowedHosts: readonly string[] | null
  /** How many tools one page of a list has. */
  readonly listPageSize: number
  /** What signs the state of multi round-trip requests: the first signs, all verify. */
  readonly stateSecrets: readonly string[]
  readonly callLog: Omit<CallLogOptions, 'log'>
  readonly clock: Clock
  readonly every: Scheduler
  /** Whether everything goes through the SDK, which the tests compare with. */
  readonly isSdkOnly: boolean
}

/** Everything that answers a request. */
export interface McpServices {
  readonly lists: ToolLists
  readonly authentication: Authentication
  readonly serveFast: ServeFast | null
  readonly serveBySdk: ServeBySdk
  readonly limits: CallLimits
  readonly streams: Streams
}

/** Puts the endpoint at `path` together, which has no trailing slash. */
export function createMcpServer(
  options: McpEndpointOptions,
  path: string,
  authentication: Authentication,
): McpServices {
  const { catalogue, clock, every, baseUrl, log, streamsPerUser, isSdkOnly } = options
  const serverInfo = { name: options.serverName, version: options.serverVersion }
  const lists = toolLists(catalogue)
  const texts = resultWriter(serverInfo)
  const version = sha256Hex(JSON.stringify(catalogue)).slice(0, 16)
  const streams = createStreams({ authentication, texts, version, streamsPerUser, clock, every })
  const states = createRequestStates(options.stateSecrets, clock)
  const limits = createLimits(options)
  const { countCall } = limits
  const running = createRunningCalls(options)
  const { toolsChanged } = streams
  const logCall = createCallLog({ ...options.callLog, log })
  const deps = { authenticates: authentication.isOn, countCall, running, logCall, states, toolsChanged }
  const tools = createTools(options, deps)
  const paging = { pageSize: options.listPageSize, version }
  const protocol = { instructions: catalogue.instructions, address: `${baseUrl}${path}`, paging, log }
  const serve = createProtocol({ ...protocol, serverInfo, tools, states, leavesListsEmpty: !isSdkOnly })
  const listBytes = createListCache(askThrough(serve))
  const serveBySdk = isSdkOnly ? serve : createSdkPath(serve, { lists: listBytes, streams })
  const serveFast = isSdkOnly ? null : createFastPath({ tools, texts, lists: listBytes, streams, log })
  return { lists, authentication, serveFast, serveBySdk, limits, streams }
}

/** Asks for a page as a client does. */
function askThrough(serve: ServeProtocol): AskForPage {
  return async (listed, era, cursor) => {
    const { head, value } = listRequest(era, cursor)
    const { outcome } = await serve({ head, client: null, body: { kind: 'json', value }, listed })
    const text = String(outcome.body)
    const message = /^data: ([^\r\n]*)/m.exec(text)?.[1] ?? text
    return 'result' in JSON.parse(message) ? message : null
  }
}

function listRequest(
  era: Era,
  cursor: string | undefined,
): { readonly head: Pick<HttpRequest, 'method' | 'headers' | 'signal'>; readonly value: object } {
  const method = 'tools/list'
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const { signal } = new AbortController()
  const page = cursor === undefined ? {} : { cursor }
  if (era === 'legacy') {
    return {
      head: { method: 'POST', headers, signal },
      value: { jsonrpc: '2.0', id: 0, method, params: page },
    }
  }
  const _meta = { [metaKeys.version]: modernVersion, [metaKeys.capabilities]: {} }
  const standard = { 'mcp-protocol-version': modernVersion, 'mcp-method': method }
  return {
    head: { method: 'POST', headers: { ...headers, ...standard }, signal },
    value: { jsonrpc: '2.0', id: 0, method, params: { ...page, _meta } },
  }
}
