/** Pages that may read what an endpoint answers may read what the server answers in its place: a browser shows them nothing else of why
 *  their request failed. Source: Fetch, CORS protocol; rules.md, origins. */
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
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

/** What the route of `endpoint` has for that where hooks of plugins may answer in its place; routes of others pay nothing. */
export function readableRoute({ corsHeaders }: Pick<Endpoint, 'corsHeaders'>): ReadableRoute {
  if (corsHeaders === undefined) return { config: {} }
  return {
    config: { [corsKey]: corsHeaders },
    onSend: (request, reply, _payload, done) => {
      makeReadable(request, reply)
      done()
    },
  }
}

const corsKey = Symbol('who may read what is answered here')

interface ReadableRoute extends Pick<RouteOptions, 'onSend'> {
  readonly config: object
}

interface Marked {
  readonly [corsKey]?: Endpoint['corsHeaders']
}

/** Marks an answer that a hook, or an error handler, gives in place of the endpoint. What a plugin says of it stays. */
export function makeReadable({ routeOptions, headers }: FastifyRequest, reply: FastifyReply): void {
  const { [corsKey]: corsHeaders } = routeOptions.config as Marked // by `readableRoute`
  if (corsHeaders === undefined || reply.hasHeader('access-control-allow-origin')) return
  const { vary = [], ...cors } = corsHeaders(headers)
  for (const [name, value] of Object.entries(cors)) reply.header(name, value)
  const said = [reply.getHeader('vary') ?? []].flat().join(', ')
  const known = said.toLowerCase().split(/\s*,\s*/)
  const names = [vary].flat().filter((name) => !known.includes(name.toLowerCase()))
  if (names.length > 0) reply.header('vary', [...(said === '' ? [] : [said]), ...names].join(', '))
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
