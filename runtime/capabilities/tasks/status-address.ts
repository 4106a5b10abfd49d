/** The address that a route names with 202: it is asked with the credentials of the client that asks for the task, and its answer, when it
 *  is no 202 any more, is the result. Source: RFC 9110, 15.3.3; decisions/mcp.md, Tasks. */
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { locationOf } from '../../mcp/answers/result.ts'
import { headersWith } from '../../mcp/auth/credentials.ts'
import { noBody, noHeaders, RequestInProcess } from '../../mcp/auth/request-in-process.ts'
import type { TaskParts } from './task-parts.ts'

type StatusOptions = Pick<TaskParts, 'baseUrl' | 'invoke' | 'forwardHeaders' | 'settings'>

/** Path and query, where a GET route of this application answers there; null for any other address: no credential goes elsewhere. */
export function ownAddress(href: string, { baseUrl, settings }: StatusOptions): string | null {
  if (!URL.canParse(href, baseUrl)) return null
  const { origin, pathname, search } = new URL(href, baseUrl)
  const isOwn = origin === new URL(baseUrl).origin && settings.findStatusRoute(pathname) !== null
  return isOwn ? pathname + search : null
}

/** What an address came to: `address` is where it was found, after redirections. */
export interface StatusAnswer {
  readonly address: string
  readonly outcome: HttpResponse
}

const maxRedirections = 3
const redirections: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Null where nothing is served there any more. */
export async function askStatus(
  address: string,
  client: HttpRequest,
  options: StatusOptions,
): Promise<StatusAnswer | null> {
  let at = address
  for (let hops = 0; ; hops += 1) {
    const outcome = await get(at, client, options)
    if (outcome === null) return null
    const next = redirections.has(outcome.status) ? locationOf(outcome, options.baseUrl + at) : null
    const own = next === null ? null : ownAddress(next, options)
    if (own === null || hops === maxRedirections) return { address: at, outcome }
    at = own
  }
}

/** Whether the work goes on, or that cannot be said now. */
export const isUnderWay = ({ status }: HttpResponse): boolean =>
  status === 202 || status === 429 || status === 503

async function get(
  address: string,
  client: HttpRequest,
  { baseUrl, invoke, settings, forwardHeaders }: StatusOptions,
): Promise<HttpResponse | null> {
  const { pathname: path, searchParams: query } = new URL(address, baseUrl)
  const route = settings.findStatusRoute(path)
  if (route === null) return null
  const parts = { method: 'GET', path, query, params: route.params, headers: noHeaders, body: noBody }
  return invoke(route.id, new RequestInProcess(client, parts, headersWith(forwardHeaders)))
}
