/** What may refuse a request before a controller exists, in the order of the list; HTTP requests and WebSocket upgrades alike.
 *  Source: house.md, The runtime. */
import type { Guard, HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { Route } from '../../contract/route.ts'
import { jsonResponse } from './error-handler.ts'

/** The guards of a route; `baseUrl` is the public address of the application. A token is looked at where it may have come. A call
 *  is counted before its token is judged, so that those with a false one are counted too. */
export function guardsOf(
  { requiresTls, websocket }: Route,
  baseUrl: string,
  { limit, access }: Readonly<Record<'limit' | 'access', Guard | null>>,
): readonly Guard[] {
  const tls = requiresTls ? requireTls(baseUrl, websocket) : null
  return [tls, limit, access].filter((guard) => guard !== null)
}

/** Returns the response of the first guard that refuses, or null when all let the request pass; at once where no guard waits. */
export function refusalBy(guards: readonly Guard[], request: HttpRequest): MaybePromise<HttpResponse | null> {
  for (const [index, guard] of guards.entries()) {
    const refusal = guard(request)
    if (refusal instanceof Promise)
      return refusal.then((refused) => refused ?? refusalBy(guards.slice(index + 1), request))
    if (refusal !== null) return refusal
  }
  return null
}

const tlsRequired = jsonResponse(412, { error: 'the route needs TLS' })

/** `@requireTls`: plain http is sent to https; an upgrade, which follows no redirect, is refused. */
const requireTls =
  (baseUrl: string, isWebsocket: boolean): Guard =>
  (request) => {
    if (!isPlainHttp(request, baseUrl)) return null
    return isWebsocket ? tlsRequired : redirectToHttps(request, baseUrl)
  }

/** Whether a request came over plain http. TLS may end before this process, and then only the proxy knows: it may say so
 *  with `X-Forwarded-Proto`, else the base URL decides (rules.md, Environment). A client that forges the header redirects only
 *  itself. */
function isPlainHttp({ headers }: Pick<HttpRequest, 'headers'>, baseUrl: string): boolean {
  const forwarded = headers['x-forwarded-proto']
  if (typeof forwarded === 'string') return forwarded.split(',', 1)[0]?.trim().toLowerCase() !== 'https'
  return !baseUrl.startsWith('https:')
}

/** The same address over https, on the base URL's host; a method with a body keeps it (308). */
function redirectToHttps({ method, url }: HttpRequest, baseUrl: string): HttpResponse {
  const { host } = new URL(baseUrl)
  const status = method === 'GET' || method === 'HEAD' ? 302 : 308
  return { status, headers: { location: `https://${host}${url}` }, body: null }
}
