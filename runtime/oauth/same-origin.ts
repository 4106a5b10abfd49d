import type { HttpRequest } from '../contract/http.ts'
import { isLoopbackUrl } from '../loopback.ts'

/** Whether the browser says that another site sent this form. A client that says nothing is no browser of today; `null`,
 *  which sandboxed pages send, is not ours. Source: rules.md, Easy to miss; Fetch, 3.2 (Origin) and Fetch Metadata. */
export function isFromElsewhere({ headers }: Pick<HttpRequest, 'headers'>, baseUrl: string): boolean {
  if (headers['sec-fetch-site'] === 'cross-site') return true
  const { origin, host } = headers
  if (origin === undefined || origin === baseUrl) return false
  // on loopback one server has several names, and only those come this far
  return !isLoopbackUrl(baseUrl) || origin !== `${new URL(baseUrl).protocol}//${host}`
}
