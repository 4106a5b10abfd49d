/** Pages that may read what an endpoint answers may read what the server answers in its place: a browser shows them nothing else of why
 *  their request failed. Source: Fetch, CORS protocol; rules.md, origins. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Endpoint, HeaderMap, HttpResponse } from '../../contract/http.ts'
import { endpointsByPath } from './known-paths.ts'

/** The answer, readable by the pages that may read those of `endpoint`. */
export function readableAs(
  { corsHeaders }: Pick<Endpoint, 'corsHeaders'>,
  headers: HeaderMap,
  answer: HttpResponse,
): HttpResponse {
  if (corsHeaders === undefined) return answer
  const { vary = [], ...cors } = corsHeaders(headers)
  const names = [answer.headers.vary ?? [], vary].flat()
  const varied = names.length === 0 ? {} : { vary: names.join(', ') }
  return { ...answer, headers: { ...answer.headers, ...cors, ...varied } }
}

/** The same of what hooks of plugins answer there; must be added before theirs. */
export function markBeforeHooks(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  const headersAt = new Map(endpoints.map(({ path, corsHeaders }) => [path, corsHeaders]))
  app.addHook('onRequest', (request, reply, done) => {
    const corsHeaders = headersAt.get(request.routeOptions.url ?? '')
    if (corsHeaders !== undefined) set(reply, corsHeaders(request.headers))
    done()
  })
}

function set(reply: FastifyReply, headers: HttpResponse['headers']): void {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value)
}

/** Those headers of a request that is read no further; `packet` is what has come of it. */
export type FindCorsHeaders = (packet: Buffer | undefined) => HttpResponse['headers']

/** Finds them by the request line and the headers, as far as the packet has them. */
export function corsHeadersFinder(endpoints: readonly Endpoint[]): FindCorsHeaders {
  let endpointsAt: ReturnType<typeof endpointsByPath<Endpoint>> | null = null
  return (packet) => {
    const head = packet?.toString('latin1') ?? ''
    const [, path] = requestLine.exec(head) ?? []
    if (path === undefined) return {}
    endpointsAt ??= endpointsByPath(endpoints.filter(({ corsHeaders }) => corsHeaders !== undefined))
    const [endpoint] = endpointsAt(path)
    return endpoint?.corsHeaders?.({ origin: headerIn(head, 'origin'), host: headerIn(head, 'host') }) ?? {}
  }
}

const requestLine = /^[A-Z]+ (\/[^\s?]*)/

const headerIn = (head: string, name: string): string | undefined =>
  new RegExp(`\r\n${name}:[ \t]*([^\r\n]*)`, 'i').exec(head)?.[1]?.trimEnd()
