/** Requests that the endpoint makes for its client: of tools, and of the probe that judges credentials. */
import type { HeaderMap, HttpRequest, RequestBody } from '../../contract/http.ts'
import { ForwardedRequest, type RequestParts } from '../../http/pipeline/forwarded-request.ts'
import type { HeadersForRoute } from './credentials.ts'

/** The body of a request that has none. */
export const noBody: RequestBody = { kind: 'bytes', contentType: null, read: async () => new Uint8Array() }

/** Where the call goes and what it brings. */
export type CallParts = Omit<RequestParts, 'url'>

/** The request that a route sees when it runs for an MCP client: the client's credential headers, session, address, id
 *  and signal, JSON wanted, what the application has forwarded, and nothing else of the client's own request. Source: rules.md, What the service does 1. */
export class RequestInProcess extends ForwardedRequest {
  constructor(client: HttpRequest, parts: CallParts, headersFor: HeadersForRoute) {
    const { method, path, query, params, body } = parts
    const url = query === null || query.size === 0 ? path : `${path}?${query}`
    const passed = headersFor(client.headers)
    const headers = parts.headers === noHeaders ? passed : { ...passed, ...parts.headers }
    super(client, { method, url, path, query, params, headers, body }) // a copy by spreading costs 2 µs
  }
}

/** Of a call that brings no headers of its own. */
export const noHeaders: HeaderMap = {}
