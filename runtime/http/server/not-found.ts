/** What is answered where no route is: 404, 405, pages of development, and what a plugin answers there (a single-page application). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint, HeaderMap, HttpResponse } from '../../contract/http.ts'
import { negotiate, prefersHtml } from '../output/negotiate.ts'
import { ownHeaders } from '../output/security-headers.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'
import type { RefusePlugin } from '../plugins/taken-routes.ts'
import { answerProbe, type Probes } from '../probes/probes.ts'
import { readableAs } from './cors-refusals.ts'
import { type MountOptions, toFastifyHandler } from './fastify-adapter.ts'
import { endpointsByPath, methodsOf } from './known-paths.ts'
import { checkRequestTarget } from './limits.ts'
import { onOwnHost } from './own-host.ts'
import { singleRoute, withHead } from './route-groups.ts'
import { sendResponse } from './send.ts'

export interface NotFoundOptions {
  readonly endpoints: readonly Endpoint[]
  readonly rootPage: Endpoint | null
  readonly probes: Probes
  readonly docs: readonly Endpoint[]
  readonly ownHosts: readonly string[] | null
  readonly unclaimed: Unclaimed
}

/** The response to a request for a path without a route, or null. */
export type Unclaimed = (method: string, path: string, headers: HeaderMap) => HttpResponse | null

/** May return a promise. */
type NotFoundHandler = (request: FastifyRequest, reply: FastifyReply) => void

/** What a plugin answers where no route is, and the hooks that it asks for there. */
export interface Fallback {
  readonly options: object
  readonly handler: NotFoundHandler
}

/** Fastify knows one such handler for all that has no prefix, and that is ours. Returns what a plugin has set. */
export function collectFallback(app: FastifyInstance, refuse: RefusePlugin): () => Fallback | null {
  const instance = app as unknown as { setNotFoundHandler(...args: readonly unknown[]): unknown } // it is overloaded
  const { setNotFoundHandler } = instance
  let fallback: Fallback | null = null
  const prefixes = new Set<string>()
  instance.setNotFoundHandler = function (this: FastifyInstance, ...args) {
    const prefix = this.prefix.replace(/\/$/, '')
    if (prefixes.has(prefix)) {
      refuse(setTwice(prefix)) // Fastify throws it where no caller can catch it
      return this
    }
    prefixes.add(prefix)
    if (prefix !== '') return Reflect.apply(setNotFoundHandler, this, args)
    const handler = args.find((arg): arg is NotFoundHandler => typeof arg === 'function')
    if (handler === undefined) return this
    const options = typeof args[0] === 'object' && args[0] !== null ? args[0] : {}
    fallback = { options, handler: handler.bind(this) }
    return this
  }
  return () => {
    instance.setNotFoundHandler = setNotFoundHandler
    return fallback
  }
}

const setTwice = (prefix: string): string =>
  `setNotFoundHandler has been called before for ${prefix === '' ? 'all that has no prefix' : `'${prefix}'`}: keep one of both`

/** A known path under another method is 405 with `Allow`, any other 404 (rules.md, 404 / 405), or what a plugin answers there, unless it
 *  begins as an address of ours does. */
export function setNotFoundHandler(
  app: FastifyInstance,
  options: NotFoundOptions,
  mounted: MountOptions,
  fallback: Fallback | null,
): void {
  const { endpoints } = options
  const ownSegments = new Set(endpoints.filter(isOurs).map(({ path }) => firstSegment(path)))
  const showRoot = rootHandler(options, mounted)
  const showDocs = docsHandlers(options, mounted)
  let endpointsAt: ReturnType<typeof endpointsByPath<Endpoint>> | null = null
  const handler: NotFoundHandler = (request, reply) => {
    if (answerProbe(options.probes, request, reply)) return
    endpointsAt ??= endpointsByPath(endpoints.map(knownEndpoint)) // not at boot: it costs
    const path = (request.raw.url ?? '').split('?', 1)[0] ?? ''
    const found = endpointsAt(path)
    const refuse = (refusal: HttpResponse): void =>
      sendResponse(reply, readableAs(found.find(isReadable) ?? {}, request.headers, refusal))
    const refusal = checkRequestTarget(request.raw, mounted)
    if (refusal !== null) return refuse(refusal)
    const allowed = methodsOf(found)
    const { accept } = request.headers
    if (allowed.length === 0 && fallback !== null && !ownSegments.has(firstSegment(path)))
      return fallback.handler(request, reply)
    if (showRoot !== null && isForRootPage(request)) return showRoot(request, reply)
    if (allowed.length === 0) {
      const show = showDocs.get(docsPathOf(request))
      if (show !== undefined) return show(request, reply)
      const answer = options.unclaimed(request.method, path, request.headers)
      return sendResponse(reply, answer ?? plainError(404, 'not found', accept))
    }
    reply.header('allow', allowed.join(', '))
    refuse(plainError(405, 'method not allowed', accept))
  }
  app.setNotFoundHandler(fallback?.options ?? {}, handler)
}

const isReadable = ({ corsHeaders }: Endpoint): boolean => corsHeaders !== undefined

/** Not of the application. */
const isOurs = ({ routeId, path }: Endpoint): boolean => routeId === undefined && firstSegment(path) !== ''

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? ''

function rootHandler(
  { rootPage, ownHosts }: Pick<NotFoundOptions, 'rootPage' | 'ownHosts'>,
  mounted: MountOptions,
): ReturnType<typeof toFastifyHandler> | null {
  const [page] = rootPage === null ? [] : onOwnHost([rootPage], ownHosts)
  return page === undefined ? null : toFastifyHandler(singleRoute(page).endpoints, mounted)
}

function docsHandlers(
  { docs, ownHosts }: Pick<NotFoundOptions, 'docs' | 'ownHosts'>,
  mounted: MountOptions,
): ReadonlyMap<string, ReturnType<typeof toFastifyHandler>> {
  const pages = onOwnHost(docs, ownHosts)
  return new Map(pages.map((page) => [page.path, toFastifyHandler(singleRoute(page).endpoints, mounted)]))
}

/** The path that a GET or HEAD asks for, without a slash at its end; empty for other methods. */
const docsPathOf = ({ raw: { method, url } }: FastifyRequest): string =>
  method === 'GET' || method === 'HEAD' ? (url?.split('?', 1)[0] ?? '').replace(/\/$/, '') : ''

const isForRootPage = ({ raw: { method, url }, headers: { accept } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && url?.split('?', 1)[0] === '/' && prefersHtml(accept ?? null)

const knownEndpoint = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  methods: endpoint.websocket === true ? endpoint.methods : withHead(endpoint.methods),
})

/** JSON where JSON is acceptable, else plain text. */
function plainError(status: number, error: string, accept: string | undefined): HttpResponse {
  if (negotiate(accept ?? null, ['application/json']) !== null) return jsonResponse(status, { error })
  const headers = { 'content-type': 'text/plain; charset=utf-8', ...ownHeaders }
  return { status, headers, body: error }
}
