/** What an unhandled exception becomes. Source: specification, Unhandled exceptions. */

import { exceptionPage } from '../../templates/pages/exception.ts'
import type { HttpRequest, Logger, Outcome } from '../contract.ts'
import { PayloadTooLarge } from '../errors.ts'
import { responseHeadersOf } from './controller.ts'
import { headerText } from './invoke.ts'
import { negotiate } from './negotiate.ts'

export interface ErrorHandlerOptions {
  readonly production: boolean
  /** Names of response headers that survive the reset (specification, Unhandled exceptions). */
  readonly keepHeaders: readonly string[]
  readonly log: Logger
  /** What to say, and for how many seconds to wait, when the error is that the store cannot be used now; else null. */
  readonly unavailable: (error: unknown) => Unavailable | null
}

interface Unavailable {
  readonly message: string
  readonly retryAfterSeconds: number
}

/** Development: 500 with an HTML page. Production: 500 with `{}` where JSON is acceptable, else without a body.
 *  In both, a body above the limit is 413 and an unavailable store 503. */
export function unhandledOutcome(
  error: unknown,
  request: HttpRequest,
  options: ErrorHandlerOptions,
): Outcome {
  if (error instanceof PayloadTooLarge) return jsonOutcome(413, { error: error.message })
  const unavailable = options.unavailable(error)
  if (unavailable !== null) {
    const headers = { 'retry-after': String(unavailable.retryAfterSeconds) }
    return jsonOutcome(503, { error: unavailable.message }, headers)
  }
  options.log.error(
    { requestId: request.id, method: request.method, path: request.path, err: error },
    'unhandled exception',
  )
  const kept = keptHeaders(request, options.keepHeaders)
  if (!options.production) {
    const headers = { ...kept, 'content-type': 'text/html; charset=utf-8' }
    return { status: 500, headers, body: exceptionPage(error) }
  }
  const acceptsJson = negotiate(headerText(request, 'accept'), ['application/json']) !== null
  return acceptsJson ? jsonOutcome(500, {}, kept) : { status: 500, headers: kept, body: null }
}

function keptHeaders(request: HttpRequest, names: readonly string[]): Record<string, string> {
  const headers = responseHeadersOf(request)
  const pairs = names.map((name) => [name.toLowerCase(), headers?.get(name) ?? null] as const)
  return Object.fromEntries(pairs.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

/** A JSON answer outside the pipeline; no cache keeps it. */
export function jsonOutcome(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Outcome {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    },
    body: JSON.stringify(body),
  }
}
