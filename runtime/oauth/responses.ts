/** The responses of the authorization server: JSON, pages, text, redirects, and the one error body. */
import type { Endpoint, HttpRequest, HttpResponse } from '../contract/http.ts'
import type { Logger } from '../contract/store.ts'
import { AuthServerError, PayloadTooLarge, RequestAborted } from '../errors.ts'
import { ownHeaders } from '../http/output/security-headers.ts'
import { StoreUnavailable } from '../store/store.ts'
import { ClientRefused, OAuthError } from './oauth-error.ts'
import type { Profile } from './profile.ts'

/** A function from a request to its response. */
export type Handle = (request: HttpRequest) => Promise<HttpResponse>

type Headers = Readonly<Record<string, string>>

const noStore: Headers = { 'cache-control': 'no-store' }

const cors: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate, retry-after',
}

const preflight: Headers = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version',
  'access-control-max-age': '86400',
}

const pageHeaders: Headers = {
  ...noStore,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

/** A JSON response that no cache keeps. */
export function json(status: number, value: unknown, headers: Headers = noStore): HttpResponse {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** An HTML page. The header is exactly the specification's; the stricter rest of the policy stands in the page. */
export function htmlPage(body: string, status = 200): HttpResponse {
  return { status, headers: pageHeaders, body }
}

/** A plain text response. Source: rules.md, Sign-in. */
export function text(status: number, body: string): HttpResponse {
  return { status, headers: { ...ownHeaders, 'content-type': 'text/plain; charset=utf-8' }, body }
}

/** A response without a body. */
export function empty(status: number): HttpResponse {
  return { status, headers: noStore, body: null }
}

/** A redirect with status 303, as everywhere here. */
export function seeOther(location: string): HttpResponse {
  return { status: 303, headers: { ...noStore, location }, body: null }
}

/** How errors are told. */
export interface ErrorTelling {
  readonly log: Logger
  readonly profile: Pick<Profile, 'describesErrors'>
}

/** `handle`, whose every error becomes an OAuth error body with `no-store`. Source: rules.md, OAuth error response. */
export function withOAuthErrors(handle: Handle, telling: ErrorTelling): Handle {
  return async (request) => {
    try {
      return await handle(request)
    } catch (error) {
      return failureResponse(error, request, telling)
    }
  }
}

/** An endpoint that any origin may call: with `method`, or `OPTIONS` for a preflight request. Source: rules.md, Production
 *  expectations. Never for authorize and sign-in. */
export function crossOriginEndpoint(
  method: string,
  path: string,
  handle: Handle,
  telling: ErrorTelling,
): Endpoint {
  return {
    methods: [method, 'OPTIONS'],
    path,
    handle: withCors(withOAuthErrors(handle, telling)),
    corsHeaders: () => cors,
  }
}

/** `handle`, readable from any origin, and the response to a preflight request. */
export function withCors(handle: Handle): Handle {
  return async (request) => {
    if (request.method === 'OPTIONS')
      return { status: 204, headers: { ...cors, ...preflight, ...noStore }, body: null }
    const outcome = await handle(request)
    return { ...outcome, headers: { ...outcome.headers, ...cors } }
  }
}

/** `endpoint`, whose preflight responses allow these headers too: a browser's client sends its own with every request. */
export function allowingHeaders(endpoint: Endpoint, names: readonly string[]): Endpoint {
  if (names.length === 0 || !endpoint.methods.includes('OPTIONS')) return endpoint
  const allowed = [preflight['access-control-allow-headers'], ...names].join(', ')
  return {
    ...endpoint,
    handle: async (request) => {
      const outcome = await endpoint.handle(request)
      if (request.method !== 'OPTIONS') return outcome
      return { ...outcome, headers: { ...outcome.headers, 'access-control-allow-headers': allowed } }
    },
  }
}

/** What responses of ours tell, for the pages that tell it in another form. */
const failures = new WeakMap<HttpResponse, OAuthFailure>()

/** What failed, of a response that `errorResponse` made; null of any other. */
export const oauthFailureOf = (response: HttpResponse): OAuthFailure | null => failures.get(response) ?? null

/** The OAuth error body with the error's status. Source: rules.md, OAuth error response. */
export function errorResponse(failure: OAuthFailure, headers: Headers = {}): HttpResponse {
  const body = { error: failure.error, error_description: failure.description }
  const response = json(failure.status, body, { ...noStore, ...headers })
  failures.set(response, failure)
  return response
}

/** An unavailable store in the OAuth error shape, else null: the response when the session's own store fails around an
 *  endpoint. */
export function unavailableResponse(error: unknown): HttpResponse | null {
  if (!(error instanceof StoreUnavailable)) return null
  const failure = new OAuthError('temporarily_unavailable', error.message, error.status)
  return errorResponse(failure, { 'retry-after': String(error.retryAfterSeconds) })
}

function failureResponse(
  error: unknown,
  { id: requestId }: Pick<HttpRequest, 'id'>,
  { log, profile }: ErrorTelling,
): HttpResponse {
  if (error instanceof PayloadTooLarge)
    return errorResponse(new OAuthError('invalid_request', error.message, error.status))
  if (error instanceof ClientRefused) return errorResponse(error, error.headers)
  if (error instanceof OAuthError) return errorResponse(disclosedError(error, requestId, { log, profile }))
  if (error instanceof RequestAborted)
    return errorResponse(new OAuthError('invalid_request', error.message, error.status)) // the client does not read it
  const failure = oauthFailure(error)
  if (failure !== null) return errorResponse(failure)
  const unavailable = unavailableResponse(error)
  if (unavailable !== null) {
    const cause = error instanceof Error ? String(error.cause) : ''
    log.warn({ requestId, reason: String(error), cause }, 'no store')
    return unavailable
  }
  log.error({ requestId, err: error }, 'authorization server failed')
  return errorResponse(new OAuthError('server_error', 'server_error', 500))
}

/** What a client is told of an error; the log line has the reason, and names the profile that would lift it. */
export function disclosedError(
  { error, description, status, refusal }: OAuthError,
  requestId: string,
  { log, profile }: ErrorTelling,
): OAuthFailure {
  if (refusal === null) return { error, description, status }
  const { reason, hint = null } = refusal
  log.warn({ requestId, error, reason, ...(hint === null ? {} : { hint }) }, 'authorization server refused')
  return { error, status, description: profile.describesErrors ? descriptionText(reason) : description }
}

/** `error_description` has printable ASCII without the quote and the backslash. Source: RFC 6749, 4.1.2.1 and 5.2. */
const descriptionText = (reason: string): string => reason.replace(/"/g, "'").replace(/[^\x20-\x7e]|\\/g, '?')

export type OAuthFailure = Pick<AuthServerError, 'error' | 'description' | 'status'>

/** Ours, or one that a configured component raised with an OAuth type and a status of its own, which it keeps; null for
 *  any other error. Its message stays out: it may tell more than the type does. Source: rules.md, Token 6. */
function oauthFailure(error: unknown): OAuthFailure | null {
  if (error instanceof AuthServerError) return error
  if (!(error instanceof Error)) return null
  const { error: type, status, error_description: description } = { ...error } as Record<string, unknown> // any fields
  if (typeof type !== 'string' || !/^[a-z_]{1,64}$/.test(type)) return null
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) return null
  return { error: type, status, description: typeof description === 'string' ? description : type }
}
