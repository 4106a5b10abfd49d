/** Our own endpoints are no client's redirect URI: a code sent to them would lie in our logs, or start a sign-in. Source:
 *  rules.md, safe redirect URI. */

import { isLoopbackUrl, loopbackNames } from '../../loopback.ts'
import { percentDecoded } from '../../utf8.ts'
import type { HeldAddresses } from './confidential-clients.ts'
import type { NativeSchemes } from './redirect-uri.ts'

/** Where this service is. */
export interface OwnAddresses {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** The path of the MCP endpoint. */
  readonly mcpPath: string
  /** The redirect URIs of our own pages, each an address of this service. */
  readonly ownPages: readonly string[]
}

/** What a redirect URI of a client may be. */
export interface RedirectRules extends OwnAddresses {
  readonly nativeSchemes: NativeSchemes
  /** Those of confidential clients, which no other client may have. */
  readonly heldAddresses: HeldAddresses
}

/** Whether `uri`, which a URL parser takes, leads to `/auth…`, `/oauth/…`, the MCP endpoint or a page of this service. */
export function isOwnEndpoint(uri: string, { baseUrl, mcpPath, ownPages }: OwnAddresses): boolean {
  const url = new URL(uri)
  if (!isOwnOrigin(url, new URL(baseUrl))) return false
  const path = withoutLastSlashes(decoded(url.pathname))
  const owned = ['/auth', '/oauth', mcpPath, ...ownPages.map((page) => new URL(page).pathname)]
  return owned.map(decoded).some((own) => path === own || path.startsWith(`${own}/`))
}

/** A regular expression looks at slashes that are not the last as often as there are some. */
function withoutLastSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end -= 1
  return path.slice(0, end)
}

/** A name's final dot changes nothing, and on loopback one server has several names. */
function isOwnOrigin(url: URL, base: URL): boolean {
  const host = url.hostname.replace(/\.$/, '')
  const isOwnHost = host === base.hostname || (isLoopbackUrl(base.href) && loopbackNames.includes(host))
  return isOwnHost && url.protocol === base.protocol && url.port === base.port
}

/** As the router reads a path. */
const decoded = (path: string): string => percentDecoded(path) ?? path
