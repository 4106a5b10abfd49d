/** A SERVER span, a duration and an event for every HTTP request. Source: semantic-conventions, docs/http/http-spans.md and
 *  http-metrics.md. */
import type { ArrivedRequest, WatchedRequest, WatchRequest } from '../../contract/calls.ts'
import { type Published, publish } from './channels.ts'
import type { Instruments } from './metrics/instruments.ts'
import { attribute, metric, wellKnown } from './names.ts'
import type { Sinks, SpanScope, SpanStart } from './sinks.ts'

/** The public address, as every request is counted for it. */
export interface PublicAddress {
  readonly scheme: string
  readonly host: string
  readonly port: number
}

export function watchRequests({ tracing, instruments }: Sinks, at: PublicAddress): WatchRequest {
  return (arrived) => {
    const published = publish('request', () => messageOf(arrived()))
    if (tracing === null && instruments === null && published === null) return null
    const request = arrived()
    const scope = tracing?.ofRequest(request.headers, () => startOf(request, at)) ?? null
    return new RequestUnderWay(request, { scope, published, instruments, scheme: at.scheme })
  }
}

const messageOf = ({ id, method, route, path }: ArrivedRequest) => ({ requestId: id, method, route, path })

/** Those of RFC 9110 and PATCH. */
const knownMethods: ReadonlySet<string> = new Set(
  'CONNECT,DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT,TRACE'.split(','),
)

const methodOf = (method: string): string => (knownMethods.has(method) ? method : wellKnown.other)

function startOf(request: ArrivedRequest, { scheme, host, port }: PublicAddress): SpanStart {
  const { id, method, route, path, query, httpVersion, address, peer, headers } = request
  const isKnown = knownMethods.has(method)
  const agent = headers['user-agent']
  const verb = isKnown ? method : 'HTTP'
  return {
    name: route === null ? verb : `${verb} ${route}`,
    attributes: {
      [attribute.httpMethod]: methodOf(method),
      [attribute.httpMethodOriginal]: isKnown ? null : method,
      [attribute.httpRequestId]: id,
      [attribute.httpRoute]: route,
      [attribute.urlPath]: path,
      [attribute.urlQuery]: query,
      [attribute.urlScheme]: scheme,
      [attribute.serverAddress]: host,
      [attribute.serverPort]: port,
      [attribute.clientAddress]: address,
      [attribute.networkPeerAddress]: peer?.address ?? null,
      [attribute.networkPeerPort]: peer?.port ?? null,
      [attribute.networkProtocolVersion]: httpVersion,
      [attribute.userAgent]: typeof agent === 'string' ? agent : null,
    },
  }
}

interface Watching {
  readonly scope: SpanScope | null
  readonly published: Published | null
  readonly instruments: Instruments | null
  readonly scheme: string
}

/** Holds nothing of the request but what is counted: answers may stay open for hours. */
class RequestUnderWay implements WatchedRequest {
  readonly traceId: string | null
  readonly spanId: string | null
  readonly #watching: Watching
  readonly #method: string
  readonly #route: string | null
  readonly #version: string
  readonly #startedAt = performance.now()
  #isOver = false

  constructor({ method, route, httpVersion }: ArrivedRequest, watching: Watching) {
    this.traceId = watching.scope?.traceId ?? null
    this.spanId = watching.scope?.spanId ?? null
    this.#watching = watching
    this.#method = methodOf(method)
    this.#route = route
    this.#version = httpVersion
    this.#countActive(1)
  }

  run(next: () => void): void {
    const { scope, published } = this.#watching
    const inside = published === null ? next : () => published.run(next)
    if (scope === null) inside()
    else scope.run(inside)
  }

  ended({ status, isComplete }: { readonly status: number | null; readonly isComplete: boolean }): void {
    if (this.#isOver) return
    this.#isOver = true
    const { scope, published, instruments, scheme } = this.#watching
    const errorType = errorTypeOf(status, isComplete)
    this.#countActive(-1)
    instruments?.record(
      metric.requestDuration,
      {
        [attribute.httpMethod]: this.#method,
        [attribute.urlScheme]: scheme,
        [attribute.httpRoute]: this.#route,
        [attribute.httpStatus]: status,
        [attribute.errorType]: errorType,
        [attribute.networkProtocolVersion]: this.#version,
      },
      (performance.now() - this.#startedAt) / 1000,
    )
    published?.ended({ status, isComplete })
    scope?.set({ [attribute.httpStatus]: status, [attribute.errorType]: errorType })
    scope?.end(errorType === null ? null : { message: null }) // the status code says why
  }

  #countActive(by: number): void {
    const { instruments, scheme } = this.#watching
    instruments?.add(
      metric.activeRequests,
      { [attribute.httpMethod]: this.#method, [attribute.urlScheme]: scheme },
      by,
    )
  }
}

/** What only the server can be blamed for, and an answer that its client did not wait for. */
function errorTypeOf(status: number | null, isComplete: boolean): string | null {
  if (status !== null && status >= 500) return String(status)
  return isComplete ? null : 'RequestAborted'
}
