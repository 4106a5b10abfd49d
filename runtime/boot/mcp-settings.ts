/** The settings of the MCP endpoint that follow from the environment and the authorization server. */

import type { AppBundle } from '../contract/bundle.ts'
import type { Endpoint, HttpRequest } from '../contract/http.ts'
import type { Clock, Logger } from '../contract/store.ts'
import { byTimer, type Regularly } from '../every.ts'
import { loopbackNames, ownHostsOf } from '../loopback.ts'
import type { CallHolder } from '../mcp/call-log.ts'
import { lateMcpEndpoint, type MountedMcp } from '../mcp/lazy-endpoint.ts'
import type { McpEndpointOptions } from '../mcp/server.ts'
import { refuseTakenPaths } from '../mcp/taken-paths.ts'
import type { AuthorizationServer } from '../oauth/server.ts'
import { BootError } from './boot-error.ts'
import type { Environment } from './environment.ts'
import type { ResolvedConfig } from './resolve-config.ts'
import type { RunRoute } from './routes.ts'

/** The lines of tool calls: at the levels that have them, with the holder of a bearer that was verified before. */
export function callLog(
  { log: { ms } }: ResolvedConfig,
  { logLevel }: Environment,
  knownHolderOf: AuthorizationServer['knownHolderOf'],
): McpEndpointOptions['callLog'] {
  const isWritten = ['trace', 'debug', 'info'].includes(logLevel)
  const holderOf = ({ headers }: HttpRequest): CallHolder | null => {
    const [, token] = /^Bearer +(.+)$/i.exec(String(headers.authorization ?? '')) ?? []
    const holder = token === undefined ? null : knownHolderOf(token)
    return holder && { user: holder.user.id, client: holder.clientId, grant: holder.grantId }
  }
  return { isWritten, ms, holderOf }
}

/** The base URL's own origin, and in development loopback on any port: a page under work has a server of its own
 *  (decisions.md, origins). */
export function defaultOrigins({ baseUrl, production }: Environment): readonly string[] {
  const { origin } = new URL(baseUrl)
  if (production) return [origin]
  return [origin, ...loopbackNames.flatMap((host) => [`http://${host}:*`, `https://${host}:*`])]
}

export interface McpSurroundings {
  readonly environment: Environment
  readonly clock: Clock
  readonly regularly?: Regularly
  readonly log: Logger
  readonly run: RunRoute
  readonly userOfToken: (token: string) => Promise<string | null>
  readonly others: readonly Endpoint[]
  readonly knownHolderOf: AuthorizationServer['knownHolderOf']
}

/** The endpoint as the configuration asks for it. Throws `BootError` for a path that is taken, and for a probe or a tool
 *  that names no route. */
export function mcpEndpoint(bundle: AppBundle, config: ResolvedConfig, around: McpSurroundings): MountedMcp {
  const { baseUrl, production } = around.environment
  const { resourceMetadata, authenticator, allowedOrigins, answerCharsOf, ...mcp } = config.mcp
  try {
    const mounted = lateMcpEndpoint({
      ...mcp,
      ...config.toolLimits,
      answerCharsOf: new Map(Object.entries(answerCharsOf)),
      isSdkOnly: false,
      stateSecrets: around.environment.sessionSecrets,
      serverVersion: bundle.version,
      baseUrl,
      catalogue: bundle.catalogue,
      routes: new Map(bundle.routes.map((route) => [route.id, route])),
      invoke: around.run,
      userOfToken: around.userOfToken,
      authenticator: authenticator ?? null,
      resourceMetadata: resourceMetadata ? (request) => resourceMetadata(request, { baseUrl }) : null,
      allowedOrigins: allowedOrigins ?? defaultOrigins(around.environment),
      allowedHosts: ownHostsOf(baseUrl),
      callLog: callLog(config, around.environment, around.knownHolderOf),
      clock: around.clock,
      regularly: around.regularly ?? byTimer,
      log: around.log,
      production,
    })
    refuseTakenPaths(mounted.endpoints, around.others, bundle.catalogue)
    return mounted
  } catch (error) {
    throw new BootError(error instanceof Error ? error.message : String(error))
  }
}
