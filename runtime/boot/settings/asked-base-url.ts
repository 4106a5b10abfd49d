/** How the resource names itself in its metadata and challenges. */
import type { HttpRequest } from '../../contract/http.ts'
import { baseUrlByHost } from '../../loopback.ts'
import { profiles } from '../../oauth/profile.ts'
import type { ResolvedConfig } from '../resolved-config.ts'

/** By the base URL; where the profile asks it, on loopback by the name in the request's `Host`. */
export function askedBaseUrl(
  { oauth }: Pick<ResolvedConfig, 'oauth'>,
  baseUrl: string,
): (request: Pick<HttpRequest, 'headers'>) => string {
  if (!profiles[oauth.profile].answersToLoopbackNames) return () => baseUrl
  const byHost = baseUrlByHost(baseUrl)
  return ({ headers }) => byHost(headers.host)
}
