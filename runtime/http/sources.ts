/** From where a browser may come: the rule of the MCP endpoint, for WebSocket upgrades, which no CORS rule covers.
 *  Source: decisions.md, origins; RFC 6455, 10.2. */
import type { HeaderMap } from '../contract.ts'

export interface AllowedSources {
  /** Each an origin; `http://localhost:*` allows every port. */
  readonly origins: readonly string[]
  /** Host names (without port) that a request may name; null = any. */
  readonly hosts: readonly string[] | null
}

/** What is wrong with the `Host` or the `Origin` of a request, or null; a request without `Origin` comes from no browser. */
export function foreignSource(
  { host, origin }: HeaderMap,
  allowed: AllowedSources,
): 'host' | 'origin' | null {
  const { origins, hosts } = allowed
  if (hosts !== null && !isListed(withoutPort(String(host)), hosts)) return 'host'
  if (origin === undefined) return null
  const text = String(origin).toLowerCase()
  return isListed(text, origins) || isListed(`${withoutPort(text)}:*`, origins) ? null : 'origin'
}

const isListed = (text: string, list: readonly string[]): boolean =>
  list.some((one) => one.toLowerCase() === text)

const withoutPort = (authority: string): string => authority.toLowerCase().replace(/:\d+$/, '')
