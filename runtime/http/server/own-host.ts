/** Refuses what was sent to another host: a page that had its own name rebound to this machine gets no answer. Source:
 *  rules.md, Environment. */
import type { FastifyInstance } from 'fastify'
import type { Endpoint, HttpResponse } from '../../contract/http.ts'
import { hostTest } from '../../loopback.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'
import { sendResponse } from './send.ts'

/** The 403 of every route; other endpoints say the same in their own shape. */
export const foreignHostResponse: HttpResponse = jsonResponse(403, { error: 'this host is not served here' })

/** `endpoints`, which refuse a request that names none of `hosts` (null = any). A tool call names no host at all; every
 *  browser does. */
export function onOwnHost(
  endpoints: readonly Endpoint[],
  hosts: readonly string[] | null,
  refused: HttpResponse = foreignHostResponse,
): readonly Endpoint[] {
  if (hosts === null) return endpoints
  const isOwn = hostTest(hosts)
  return endpoints.map((endpoint) => ({
    ...endpoint,
    handle: (request) => {
      const { host } = request.headers
      return host === undefined || isOwn(host) ? endpoint.handle(request) : refused
    },
  }))
}

/** The same for the routes that plugins add: every one that is none of `endpoints`, which check it themselves. */
export function guardPluginRoutes(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  hosts: readonly string[] | null,
): void {
  if (hosts === null) return
  const isOwn = hostTest(hosts)
  const checked = new Set(endpoints.map(({ path }) => path))
  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request.routeOptions
    if (url === undefined || checked.has(url) || isOwn(request.headers.host)) done()
    else sendResponse(reply, foreignHostResponse)
  })
}
