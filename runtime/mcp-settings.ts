/** The settings of the MCP endpoint that follow from the environment and the authorization server. */
import type { ResolvedConfig } from './config.ts'
import type { HttpRequest } from './contract.ts'
import type { Environment } from './environment.ts'
import { loopbackNames } from './loopback.ts'
import type { CallHolder } from './mcp/call-log.ts'
import type { McpEndpointOptions } from './mcp/room.ts'
import type { AuthorizationServer } from './oauth/server.ts'

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
