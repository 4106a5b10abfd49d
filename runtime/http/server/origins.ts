/** From where a browser may come: to the MCP endpoint, and to WebSockets, which no CORS rule covers. Source: rules.md, origins;
 *  RFC 6455, 10.2. */
import type { HeaderMap } from '../../contract/http.ts'
import { hostTest, withoutPort } from '../../loopback.ts'

export interface AllowedSources {
  /** Each an origin; `http://localhost:*` allows every port. */
  readonly origins: readonly string[]
  /** Host names (without port) that a request may name; null = any. */
  readonly hosts: readonly string[] | null
}

/** What is wrong with the `Host` or the `Origin` of a request, or null; a request without `Origin` comes from no browser. */
export type SourceTest = (headers: HeaderMap) => 'host' | 'origin' | null

export function sourceTest(allowed: AllowedSources): SourceTest {
  const origins = new Set(allowed.origins.map((origin) => origin.toLowerCase()))
  const isOwnHost = hostTest(allowed.hosts)
  return ({ host, origin }) => {
    if (!isOwnHost(host)) return 'host'
    if (origin === undefined) return null
    const text = String(origin).toLowerCase()
    return origins.has(text) || origins.has(`${withoutPort(text)}:*`) ? null : 'origin'
  }
}
