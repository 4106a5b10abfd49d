/** `@requireTls`: plain http is sent to https before a controller exists. Source: reference/pipeline-and-exceptions, 1.1
 *  and section 2. */
import type { HttpRequest, Outcome } from '../../contract/http.ts'

/** Whether a request came over plain http. TLS may end before this process, and then only the proxy knows: it may say so
 *  with `X-Forwarded-Proto`, else the base URL decides (decisions.md, Environment). A client that forges the header
 *  moves nobody but itself. */
export function isPlainHttp(request: Pick<HttpRequest, 'headers'>, baseUrl: string): boolean {
  const forwarded = request.headers['x-forwarded-proto']
  if (typeof forwarded === 'string') return forwarded.split(',', 1)[0]?.trim().toLowerCase() !== 'https'
  return !baseUrl.startsWith('https:')
}

/** The same address over https, on the base URL's host; a method with a body keeps it (308). */
export function redirectToHttps({ method, url }: HttpRequest, baseUrl: string): Outcome {
  const { host } = new URL(baseUrl)
  const status = method === 'GET' || method === 'HEAD' ? 302 : 308
  return { status, headers: { location: `https://${host}${pathAndQuery(url)}` }, body: null }
}

/** A client may send a whole URL in the request line (RFC 9112, section 3.2.2). */
function pathAndQuery(url: string): string {
  if (url.startsWith('/')) return url
  if (!URL.canParse(url)) return '/'
  const { pathname, search } = new URL(url)
  return pathname + search
}
