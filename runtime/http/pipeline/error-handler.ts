/** What an unhandled exception becomes. Source: rules.md, Unhandled exceptions. */

import { inspect } from 'node:util'
import { type ExceptionSection, exceptionPage } from '../../../templates/pages/exception.ts'
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { PayloadTooLarge, ProblemError, RouteTimeout } from '../../errors.ts'
import { codeFrameOf } from '../development/code-frame.ts'
import { BodyRefused } from '../input/body-refused.ts'
import { headerText } from '../input/request-header.ts'
import { redactText, redactUrl } from '../log/redact.ts'
import { causesOf, redactError, redactErrorChain } from '../log/redacted-error.ts'
import { acceptsJson, failureFormat } from '../output/negotiate.ts'
import { responseHeadersOf } from '../output/response-headers.ts'
import { ownHeaders } from '../output/security-headers.ts'
import { dropCallSession, keepsCookies } from '../session/call-session.ts'
import { toolCallOf } from './controller.ts'

export interface ErrorHandlerOptions {
  readonly production: boolean
  /** Names of response headers that survive the reset (rules.md, Unhandled exceptions). */
  readonly keepHeaders: readonly string[]
  /** Names of parameters whose values are shown nowhere. */
  readonly mask: ReadonlySet<string>
  readonly log: Logger
  /** What to say, and for how many seconds to wait, when the error is that the store cannot be used now; else null. */
  readonly unavailable: (error: unknown) => Unavailable | null
}

interface Unavailable {
  readonly message: string
  /** Whether the store is away, and not only busy. */
  readonly isOutage: boolean
  readonly retryAfterSeconds: number
}

/** Development: 500 with an HTML page; JSON or a text for a client that accepts one and not HTML, a text for a tool call: a model reads it. Production: 500 with `{}` where JSON is acceptable, else
 *  without a body. In both, a body above the limit is 413, an unavailable store or too much at once 503. */
export function unhandledResponse(
  error: unknown,
  request: HttpRequest,
  options: ErrorHandlerOptions,
): HttpResponse {
  if (!keepsCookies(options.keepHeaders)) dropCallSession(request)
  if (error instanceof PayloadTooLarge || error instanceof BodyRefused)
    return jsonResponse(error.status, { error: error.message })
  if (error instanceof RouteTimeout) return lateResponse(error, request, options)
  if (error instanceof ProblemError) return problemResponse(error)
  const unavailable = options.unavailable(error)
  if (unavailable !== null) {
    const headers = { 'retry-after': String(unavailable.retryAfterSeconds) }
    const answer = jsonResponse(503, { error: unavailable.message }, headers)
    return unavailable.isOutage ? { ...answer, refusedBy: { kind: 'outage' } } : answer
  }
  options.log.error(
    { ...requestPlace(request, options), err: error === undefined ? nothing : error },
    'unhandled exception',
  )
  const kept = responseHeadersOf(request)?.only(options.keepHeaders) ?? {}
  if (!options.production) return developmentResponse(error, request, { ...options, kept })
  const wantsJson = acceptsJson(headerText(request, 'accept'))
  if (wantsJson) return jsonResponse(500, {}, kept)
  return { status: 500, headers: { 'cache-control': 'no-store', ...kept }, body: null }
}

/** In place of what a rejection does not have: a log leaves `undefined` out. */
const nothing = new Error('undefined was thrown, no error')

/** Source: RFC 9457; RFC 6585, 3. */
function problemResponse(error: ProblemError): HttpResponse {
  const { status, message, retryAfterSeconds } = error
  const { type, title, ...more } = error.problem()
  const headers = { 'content-type': 'application/problem+json; charset=utf-8' }
  const retry = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }
  return jsonResponse(status, { type, title, status, detail: message, ...more }, { ...headers, ...retry })
}

/** Nothing says when the next call would be faster. */
function lateResponse(
  { status, message }: RouteTimeout,
  request: HttpRequest,
  options: ErrorHandlerOptions,
): HttpResponse {
  options.log.warn(requestPlace(request, options), message)
  return jsonResponse(status, { error: message })
}

/** What a line of the log says of a request. */
export const requestPlace = (
  { id, method, path, params }: HttpRequest,
  { mask }: Pick<ErrorHandlerOptions, 'mask'>,
): Readonly<Record<string, string>> => ({
  requestId: id,
  method,
  path: redactUrl(path, mask, params),
})

interface PageOptions extends ErrorHandlerOptions {
  readonly kept: HttpResponse['headers']
}

function developmentResponse(error: unknown, request: HttpRequest, options: PageOptions): HttpResponse {
  const isTool = toolCallOf(request) !== null
  const format = isTool ? 'text' : failureFormat(headerText(request, 'accept'))
  if (format === 'page') return pageResponse(error, request, options)
  const lines = causesOf(error).map((cause) => titleOf(cause, options.mask))
  if (isTool) return textResponse(lines, options)
  const [title] = lines
  const backtrace = redactErrorChain(error, options.mask)
    .stack.split('\n')
    .map((line) => line.trim())
  if (format === 'text') return textResponse([title ?? '', ...backtrace], options, '\n')
  return jsonResponse(500, { error: title, backtrace }, options.kept)
}

function pageResponse(error: unknown, request: HttpRequest, { mask, kept }: PageOptions): HttpResponse {
  const body = exceptionPage({
    request: `${request.method} ${redactUrl(request.url, mask, request.params)}`,
    sections: causesOf(error).map((cause) => sectionOf(cause, mask)),
  })
  // Not by a Content-Security-Policy: it would take the place of the one that a plugin sets.
  const own = { 'content-type': 'text/html; charset=utf-8', 'x-frame-options': 'DENY', ...ownHeaders }
  return { status: 500, headers: { ...kept, ...own }, body }
}

/** The exception and its causes, or its trace, a line each. A model is not given a trace: it is in the log. */
function textResponse(
  lines: readonly string[],
  { kept }: PageOptions,
  between = '\ncaused by ',
): HttpResponse {
  const body = lines.join(between)
  return { status: 500, headers: { ...kept, 'content-type': 'text/plain; charset=utf-8' }, body }
}

/** Of an object that is no error its class alone: it may hold what no answer shows. */
const titleOf = (error: unknown, mask: ReadonlySet<string>): string =>
  redactText(
    error instanceof Error
      ? `${error.constructor.name}: ${error.message === '' ? redactError(error, mask).message : error.message}`
      : inspect(error, { depth: -1, customInspect: false }),
    mask,
  )

function sectionOf(error: unknown, mask: ReadonlySet<string>): ExceptionSection {
  const title = titleOf(error, mask)
  if (!(error instanceof Error)) return { title, frame: null, stack: '' }
  return { title, frame: codeFrameOf(error), stack: redactError(error, mask).stack }
}

/** A JSON answer outside the pipeline; no cache keeps it. */
export function jsonResponse(
  status: number,
  body: unknown,
  headers: HttpResponse['headers'] = {},
): HttpResponse {
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
