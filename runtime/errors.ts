/** The error classes that the framework raises or offers to applications. See templates/docs/errors.md.
 *
 *  `code` says which one it is, `status` with what it is best answered. No status decides by itself: what no handler takes is a
 *  500 (Unhandled exceptions), but for the limits of the server, which come before all handlers. */
// Source: rules.md, Errors raised by the framework. Names: rules.md, names.
import { InputRequired } from './mcp-errors.ts'
import { describeError, ProblemError } from './problem-errors.ts'

export { CapabilityRequired, ForMcpClient, InputDeclined, InputRequired } from './mcp-errors.ts'
export { ProblemError } from './problem-errors.ts'

/** One parameter, or one property of a body, that could not be read. */
export interface ParamFailure {
  readonly parameter: string
  readonly restriction: string
  readonly message: string
}

/** So many failures of one request are told. */
export const maxFailures = 10

/** A parameter could not be read: `parameter` is its public name, `restriction` the expected type's text. */
export class ParamError extends Error {
  readonly parameter: string
  readonly restriction: string
  #failures: readonly ParamFailure[]
  constructor(message: string, parameter: string, restriction: string) {
    super(message)
    this.parameter = parameter
    this.restriction = restriction
    this.#failures = [{ parameter, restriction, message }]
  }

  /** All of the request that could not be read, at most ten, this one first. */
  get failures(): readonly ParamFailure[] {
    return this.#failures
  }

  /** The same error, which tells `others` too: its message names them all. */
  alongWith(others: readonly ParamFailure[]): this {
    this.#failures = [...this.#failures, ...others].slice(0, maxFailures)
    return this.#say()
  }

  /** The same error, of values inside the body that is the parameter `name`: its messages say so. */
  inBody(name: string): this {
    this.#failures = this.#failures.map((failure) => {
      const place = `'${failure.parameter}'`
      return { ...failure, message: failure.message.replace(place, () => `${place} in the body '${name}'`) }
    })
    return this.#say()
  }

  #say(): this {
    const [first] = this.#failures
    this.message =
      this.#failures.length > 1 ? this.#failures.map(withType).join('; ') : (first?.message ?? '')
    return this
  }
}

/** What the field `restriction` says of the first failure, the message of several says of each. */
const withType = ({ message, restriction }: ParamFailure): string =>
  restriction.length > longestType || message.includes(restriction) ? message : `${message} (${restriction})`

const longestType = 100

export type ParamKind = 'parameter' | 'header'

/** What was expected, and what came. */
function detailOf(restriction: string, hint: string, received: string): string {
  const isShort = restriction !== '' && restriction.length <= longestType
  const expected = hint !== '' ? hint : isShort ? `expected ${restriction}` : ''
  const said = [expected, received === '' ? '' : `got ${received}`].filter((part) => part !== '')
  return said.length === 0 ? '' : `: ${said.join(', ')}`
}

/** A required parameter or header is missing. */
export class MissingError extends ParamError {
  declare readonly code: 'missing_parameter'
  declare readonly status: 422
  constructor(parameter: string, restriction: string, kind: ParamKind = 'parameter') {
    super(`missing required ${kind} '${parameter}'`, parameter, restriction)
  }
}

/** A parameter cannot be converted to its type. `hint` says what the text of the type does not, `received` what came: never a text. */
export class ValueError extends ParamError {
  declare readonly code: 'invalid_parameter'
  declare readonly status: 400
  readonly hint: string
  readonly received: string
  constructor(
    parameter: string,
    restriction: string,
    kind: ParamKind = 'parameter',
    hint = '',
    received = '',
  ) {
    const detail = detailOf(restriction, hint, received)
    super(`invalid ${kind} value for '${parameter}'${detail}`, parameter, restriction)
    this.hint = hint
    this.received = received
  }
}

/** A media type problem: `accepts` lists what would have worked. */
export class RouteError extends Error {
  readonly accepts: readonly string[]
  constructor(message: string, accepts: readonly string[]) {
    super(`${message}, accepts: ${accepts.join(', ')}`)
    this.accepts = accepts
  }
}

/** No responder matches `Accept`. */
export class NotAcceptable extends RouteError {
  declare readonly code: 'not_acceptable'
  declare readonly status: 406
  constructor(accepts: readonly string[]) {
    super('no acceptable response format', accepts)
  }
}

/** No parser matches the body's `Content-Type`, or no plugin has decoded its `Content-Encoding`, here `coding`. */
export class UnsupportedMediaType extends RouteError {
  declare readonly code: 'unsupported_media_type'
  declare readonly status: 415
  constructor(accepts: readonly string[], coding: string | null = null) {
    const what = coding === null ? 'format' : `encoding '${coding.slice(0, 64)}'`
    super(`unsupported body ${what}`, accepts)
  }
}

/** The request body is not valid JSON, or not valid in the other format that its type names. */
export class JsonParseError extends Error {
  declare readonly code: 'malformed_body'
  declare readonly status: 400
  constructor(format = 'JSON') {
    super(`the request body is not valid ${format}`)
  }
}

/** The request body, or a part of it, is above the limit; answered with 413 before any handler. */
export class PayloadTooLarge extends Error {
  declare readonly code: 'payload_too_large'
  declare readonly status: 413
  constructor(limit: number, what = 'the request body', excess = `larger than ${limit} bytes`) {
    super(`${what} is ${excess}`)
  }
}

/** The server is doing too much of this already; answered with 503 and `Retry-After` before any handler. */
export class Overloaded extends Error {
  declare readonly code: 'overloaded'
  declare readonly status: 503
  readonly retryAfterSeconds = 1
}

/** The user, or without one the address, has called the route as often as it may (`@limit`); answered with 429 and `Retry-After`,
 *  whatever the status of a handler. */
export class TooManyRequests extends Error {
  declare readonly code: 'too_many_requests'
  declare readonly status: 429
  /** Whole seconds until the next call is let through. */
  readonly retryAfterSeconds: number
  constructor(retryAfterSeconds: number) {
    super(`too many requests: wait ${retryAfterSeconds} s`)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The route took longer than it may (`@timeout`) until its answer began; answered with 503, past every handler: its controller is
 *  still at work. */
export class RouteTimeout extends Error {
  declare readonly code: 'timeout'
  declare readonly status: 503
  constructor(seconds: number) {
    super(`the route took longer than ${seconds} s and was stopped`)
  }
}

const passing = new WeakSet<object>()

/** The same error, which no handler gets. */
export function passingHandlers(error: unknown): unknown {
  if (typeof error === 'object' && error !== null) passing.add(error)
  return error
}

/** Limits of the server, and what was decided before the method, are answered before any handler. */
export const passesHandlers = (error: unknown): boolean =>
  error instanceof PayloadTooLarge ||
  error instanceof Overloaded ||
  error instanceof RouteTimeout ||
  error instanceof ProblemError ||
  (typeof error === 'object' && error !== null && passing.has(error))

/** The client went away before its body had arrived: no client is left to answer. */
export class RequestAborted extends Error {
  declare readonly code: 'request_aborted'
  declare readonly status: 400
  constructor() {
    super('the request was aborted')
  }
}

/** For applications. */
export class Unauthorized extends Error {
  declare readonly code: string
  declare readonly status: number
  constructor(message = 'unauthorized') {
    super(message)
  }
}

/** For applications. */
export class Forbidden extends Error {
  declare readonly code: string
  declare readonly status: number
  constructor(message = 'forbidden') {
    super(message)
  }
}

/** For applications. */
export class NotFound extends Error {
  declare readonly code: string
  declare readonly status: number
  constructor(message = 'not found') {
    super(message)
  }
}

/** For applications. */
export class Conflict extends Error {
  declare readonly code: string
  declare readonly status: number
  constructor(message = 'conflict') {
    super(message)
  }
}

/** An OAuth error: `error` is the code, `error_description` falls back to it. */
// Source: rules.md, OAuth error response.
export class AuthServerError extends Error {
  readonly error: string
  readonly description: string
  readonly status: number
  constructor(error: string, description: string = error, status = 400) {
    super(description)
    this.error = error
    this.description = description
    this.status = status
  }
}

/** For `onSignIn`: this person does not sign in. The reason stands in the log and the audit, no answer has it. */
export class SignInRefused extends Error {
  constructor(reason: string) {
    super(reason)
  }
}

/** What logs call something thrown: the name that it has, of a class that sets none (as ours) the class's. Not a field of the
 *  classes: V8 would print it in traces, which answers may show. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return error.name === 'Error' ? error.constructor.name : error.name
}

const described = [
  [MissingError, 'missing_parameter', 422],
  [ValueError, 'invalid_parameter', 400],
  [NotAcceptable, 'not_acceptable', 406],
  [UnsupportedMediaType, 'unsupported_media_type', 415],
  [JsonParseError, 'malformed_body', 400],
  [PayloadTooLarge, 'payload_too_large', 413],
  [Overloaded, 'overloaded', 503],
  [TooManyRequests, 'too_many_requests', 429],
  [RouteTimeout, 'timeout', 503],
  [RequestAborted, 'request_aborted', 400],
  [InputRequired, 'input_required', 422],
  [Unauthorized, 'unauthorized', 401],
  [Forbidden, 'forbidden', 403],
  [NotFound, 'not_found', 404],
  [Conflict, 'conflict', 409],
] as const

for (const [error, code, status] of described) describeError(error, code, status)
