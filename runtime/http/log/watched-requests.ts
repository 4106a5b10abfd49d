/** Tells the watchers of every request that comes over a connection, from its headers to the end of its answer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ArrivedRequest, SpanIds, WatchedRequest, WatchRequest } from '../../contract/calls.ts'
import { injectedCall } from '../plugins/inject.ts'
import { plainAddress } from '../server/client-address.ts'
import { knownRoute } from '../server/request-target.ts'
import { maskedByDefault, redactUrl } from './redact.ts'

export interface WatchedRequestOptions {
  /** Names whose values are masked. */
  readonly mask: readonly string[]
  /** Probes, which come every second. */
  readonly isProbe: (request: FastifyRequest) => boolean
}

/** Must come before every hook of a plugin, which then runs in the context of the request. An injected call is part of another
 *  request. Probes are left out. Does nothing without a watcher. */
export function watchRequestsOf(
  app: FastifyInstance,
  watch: WatchRequest | null,
  { mask, isProbe }: WatchedRequestOptions,
): void {
  if (watch === null) return
  const names = new Set([...maskedByDefault, ...mask])
  app.addHook('onRequest', (request, reply, done) => {
    if (injectedCall(request.raw) !== null || isProbe(request)) return done()
    const watched = watch(() => arrivedOf(request, names))
    if (watched === null) return done()
    keepWatched(request, watched)
    endWith(reply.raw, watched)
    watched.run(done)
  })
}

/** A function of its own: an open answer must hold on to nothing else. Not Fastify's hook: streams let go of it. */
function endWith(raw: FastifyReply['raw'], watched: WatchedRequest): void {
  let isFinished = false // an injected request's own field does not say so
  raw.on('finish', () => {
    isFinished = true
  })
  raw.on('close', () => {
    const status = raw.headersSent ? raw.statusCode : null
    // a client that listens to events leaves before their end
    const isComplete = isFinished || (status !== null && isEndless(raw))
    watched.ended({ status, isComplete })
  })
}

/** What is written as things happen has its headers sent past those that are kept. */
function isEndless(raw: FastifyReply['raw']): boolean {
  const type = raw.getHeader('content-type')
  return type === undefined || String(type).startsWith('text/event-stream')
}

function arrivedOf(request: FastifyRequest, names: ReadonlySet<string>): ArrivedRequest {
  const { id, raw, routeOptions, headers, params } = request
  const url = redactUrl(raw.url ?? '/', names, params)
  const mark = url.indexOf('?')
  const { remoteAddress, remotePort } = raw.socket
  return {
    id: String(id),
    method: raw.method ?? 'GET',
    route: knownRoute(routeOptions.url),
    path: mark === -1 ? url : url.slice(0, mark),
    query: mark === -1 ? null : url.slice(mark + 1),
    httpVersion: raw.httpVersion,
    address: plainAddress(request.ip) ?? remoteAddress ?? '',
    peer:
      remoteAddress === undefined || remotePort === undefined
        ? null
        : { address: remoteAddress, port: remotePort },
    headers,
  }
}

const watchedKey = Symbol('watched')

interface Kept {
  [watchedKey]?: WatchedRequest
}

function keepWatched(request: FastifyRequest, watched: WatchedRequest): void {
  ;(request as Kept)[watchedKey] = watched // only this file knows the symbol
}

/** Null for a request without a watcher. */
export const watchedOf = (request: object): WatchedRequest | null => (request as Kept)[watchedKey] ?? null

interface TracedRequest {
  /** Null where no span is active for it. */
  readonly traceId: string | null
}

/** Of the span of a request of ours, 32 hexadecimal digits; null where there is none. */
export const traceIdOf = (request: object): string | null =>
  (request as Partial<TracedRequest>).traceId ?? null

interface SpanFields {
  readonly trace_id?: string
  readonly span_id?: string
}

const noFields: SpanFields = {}

/** The fields of a log line by which it is found from its span. Source: OpenTelemetry, Trace Context in non-OTLP log formats. */
export function spanFields(ids: SpanIds | null): SpanFields {
  if (ids === null || ids.traceId === null || ids.spanId === null) return noFields
  return { trace_id: ids.traceId, span_id: ids.spanId }
}
