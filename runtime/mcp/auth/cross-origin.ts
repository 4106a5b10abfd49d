/** What a browser needs so that a page of an allowed origin may call the endpoint and read what it says. Where the request came from has
 *  been checked before: of what is here nothing is for a foreign origin. Source: Fetch, CORS protocol; rules.md, preflight. */
import type { HeaderMap, HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { SourceTest } from '../../http/server/origins.ts'

/** What no page may read unless it is named, and clients act upon. */
const exposed = 'WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version, Retry-After'

/** DELETE too: a client that would end its session reads that there is none. */
const methods = 'GET, POST, DELETE, OPTIONS'

/** In seconds; browsers take no more. */
const maxAge = '7200'

/** Names of header fields, as a browser lists them. */
const headerNames = /^[\w!#$%&'*+.^`|~, -]+$/

/** The answer to a preflight request; null for any other request. The headers are the browser's own list: clients mirror arguments in
 *  `Mcp-Param-*`, whose names cannot be known before. */
export function preflightAnswer({ method, headers }: HttpRequest): HttpResponse | null {
  const { origin, 'access-control-request-method': requested } = headers
  if (method !== 'OPTIONS' || origin === undefined || requested === undefined) return null
  const names = String(headers['access-control-request-headers'] ?? '')
  return {
    status: 204,
    headers: {
      'access-control-allow-origin': String(origin),
      'access-control-allow-methods': methods,
      ...(headerNames.test(names) ? { 'access-control-allow-headers': names } : {}),
      'access-control-max-age': maxAge,
      'cache-control': 'no-store',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: null,
  }
}

/** Whether an answer says anything of where it may be read: what no browser asks and no cache keeps does not. */
export const isCrossOrigin = ({ method, headers: { origin } }: HttpRequest): boolean =>
  origin !== undefined || method !== 'POST'

/** The answer, readable by a page of the request's origin, which is an allowed one. */
export function readableFrom({ headers: { origin } }: HttpRequest, answer: HttpResponse): HttpResponse {
  const varied = varyingByOrigin(answer)
  if (origin === undefined) return varied
  return { ...varied, headers: { ...varied.headers, ...readableBy(origin) } }
}

const readableBy = (origin: string | readonly string[]): HttpResponse['headers'] => ({
  'access-control-allow-origin': String(origin),
  'access-control-expose-headers': exposed,
})

/** The same of what the server answers in the endpoint's place, by the headers of a request; nothing for a foreign one. */
export function corsHeadersFor(isForeign: SourceTest): (headers: HeaderMap) => HttpResponse['headers'] {
  return (headers) =>
    headers.origin === undefined || isForeign(headers) !== null
      ? {}
      : { ...readableBy(headers.origin), vary: 'Origin' }
}

/** The same answer, which no cache gives to another origin. */
export function varyingByOrigin(answer: HttpResponse): HttpResponse {
  const names = [answer.headers.vary ?? [], 'Origin'].flat()
  return { ...answer, headers: { ...answer.headers, vary: names.join(', ') } }
}
