/** What an unhandled exception becomes. Source: specification, Unhandled exceptions. */

import { exceptionPage } from '../../templates/pages/exception.ts'
import type { HttpRequest, Logger, Outcome } from '../contract.ts'
import { PayloadTooLarge } from '../errors.ts'
import { acceptsJson } from './negotiate.ts'
import { headerText } from './request-header.ts'
import { responseHeadersOf } from './response-headers.ts'

export interface ErrorHandlerOptions {
  readonly production: boolean
  /** Names of response headers that survive the reset (specification, Unhandled exceptions). */
  readonly keepHeaders: readonly string[]
  readonly log: Logger
  /** Whether the error says that the store is busy: 503, the request may be sent again. */
  readonly isBusy: (error: unknown) => boolean
}

/** Development: 500 with an HTML page. Production: 500 with `{}` where JSON is acceptable, else without a body.
 *  In both, a body above the limit is 413 and a busy store 503. */
export function unhandledOutcome(
  error: unknown,
  request: HttpRequest,
  options: ErrorHandlerOptions,
): Outcome {
  if (error instanceof PayloadTooLarge) return jsonOutcome(413, { error: error.message })
  if (options.isBusy(error)) return jsonOutcome(503, { error: 'the store is busy' }, { 'retry-after': '1' })
  options.log.error(
    { requestId: request.id, method: request.method, path: request.path, err: error },
    'unhandled exception',
  )
  const kept = keptHeaders(request, options.keepHeaders)
  if (!options.production) {
    const headers = { ...kept, 'content-type': 'text/html; charset=utf-8' }
    return { status: 500, headers, body: exceptionPage(error) }
  }
  return acceptsJson(headerText(request, 'accept')) !== null
    ? jsonOutcome(500, {}, kept)
    : { status: 500, headers: kept, body: null }
}

function keptHeaders(request: HttpRequest, names: readonly string[]): Record<string, string> {
  const headers = responseHeadersOf(request)
  const pairs = names.map((name) => [name.toLowerCase(), headers?.get(name) ?? null] as const)
  return Object.fromEntries(pairs.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

/** A JSON answer outside the pipeline. */
export function jsonOutcome(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Outcome {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  }
}
