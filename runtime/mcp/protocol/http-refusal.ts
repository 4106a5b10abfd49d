/** Tool calls that end as an HTTP answer of the endpoint instead of a result. */
import type { ProtocolFailure } from '../../contract/calls.ts'
import type { HttpResponse } from '../../contract/http.ts'
import { errorCodes, type WireObject } from './constants.ts'
import type { HeaderMismatch } from './param-headers.ts'

/** The answer to one HTTP request, and why a tool call in it came to no result. */
export interface Served {
  readonly outcome: HttpResponse
  readonly refusal: Refusal | null
  /** Whether it is known to hold no half of a surrogate pair; absent = not looked at yet. */
  readonly isUnicode?: boolean
}

export const servedAs = (outcome: HttpResponse): Served => ({ outcome, refusal: null })

/** A message of JSON-RPC as JSON. */
export const messageAnswer = (body: string): HttpResponse => ({ status: 200, headers: json, body })

const json = Object.freeze({ 'content-type': 'application/json; charset=utf-8' })

/** The endpoint puts its own answer in place of the outcome. */
export const servedRefusal = (refusal: Refusal): Served => ({ outcome: replaced, refusal })

const replaced: HttpResponse = { status: 500, headers: {}, body: null }

/** Why a call does not run now. */
export interface Overload {
  readonly status: 429 | 503
  readonly retryAfterSeconds: number
  /** What there is too much of. */
  readonly of: 'calls' | 'messages'
}

/** Why there is no result. */
export type Refusal =
  | { readonly kind: 'unauthorized' }
  /** `scope` as the route names it, or null. */
  | { readonly kind: 'insufficientScope'; readonly scope: string | null }
  | { readonly kind: 'overload'; readonly overload: Overload }
  | { readonly kind: 'headerMismatch'; readonly mismatch: HeaderMismatch }
  | { readonly kind: 'missingCapability'; readonly required: WireObject }
  /** Of the `initialize` revisions. */
  | { readonly kind: 'resourceNotFound'; readonly uri: string }

/** A route's 401, and its 403 that says `insufficient_scope`, are answered by the endpoint, so that the client signs in
 *  again or asks for more. Source: rules.md, Authentication 2; MCP 2025-11-25, Authorization, scope challenge; RFC 6750 3.1. */
export function refusalByRoute(outcome: HttpResponse): Refusal | null {
  if (outcome.status === 401) return { kind: 'unauthorized' }
  const challenge = scopeChallenge(outcome)
  return challenge === null ? null : { kind: 'insufficientScope', ...challenge }
}

/** What a 403 asks for that says `insufficient_scope`, else null: a route may write a challenge of its own. Source: RFC 6750, 3.1. */
export function scopeChallenge({ status, headers, refusedBy }: HttpResponse): ScopeChallenge | null {
  if (status !== 403) return null
  if (refusedBy?.kind === 'access') return refusedBy.scope === null ? null : { scope: refusedBy.scope }
  const challenge = String(headers['www-authenticate'] ?? '')
  if (!/^Bearer\b.*\berror="insufficient_scope"/i.test(challenge)) return null
  return { scope: /\bscope="([^"\\]*)"/.exec(challenge)?.[1] ?? null }
}

type ProtocolRefusal = Exclude<Refusal, { kind: 'unauthorized' | 'insufficientScope' }>
type ScopeChallenge = Pick<Extract<Refusal, { kind: 'insufficientScope' }>, 'scope'>

/** The answer to what is wrong with the call itself; `id` is JSON. Source: MCP 2026-07-28, error codes. */
export function refusedCall(refusal: ProtocolRefusal, id: string): HttpResponse {
  const error = errorOf(refusal)
  if (refusal.kind !== 'overload')
    return rpcFailure(refusal.kind === 'resourceNotFound' ? 200 : 400, id, error)
  const { status, retryAfterSeconds } = refusal.overload
  const { headers, body } = rpcFailure(status, id, error)
  return { status, headers: { ...headers, 'retry-after': String(retryAfterSeconds) }, body }
}

/** The error in that answer; null for what is an answer of HTTP alone. */
export const failureOf = (refusal: Refusal): ProtocolError | null =>
  refusal.kind === 'unauthorized' || refusal.kind === 'insufficientScope' ? null : errorOf(refusal)

interface ProtocolError extends ProtocolFailure {
  readonly data?: object
}

function errorOf(refusal: ProtocolRefusal): ProtocolError {
  switch (refusal.kind) {
    case 'overload':
      return overloadError(refusal.overload)
    case 'headerMismatch': {
      const { mismatch } = refusal
      const message = `Bad Request: the request headers and body disagree: ${mismatch.body}`
      return { code: errorCodes.headerMismatch, message, data: { mismatch } }
    }
    case 'resourceNotFound':
      return { code: errorCodes.resourceNotFound, message: 'Resource not found', data: { uri: refusal.uri } }
    case 'missingCapability': {
      const { required } = refusal
      const message = `Missing required client capabilities: ${Object.keys(required).join(', ')}`
      return { code: errorCodes.missingCapability, message, data: { requiredCapabilities: required } }
    }
  }
}

function overloadError({ status, of }: Overload): ProtocolFailure {
  if (status === 503) return { code: errorCodes.busy, message: 'Too many tool calls are running' }
  const message = of === 'calls' ? 'Too many tool calls' : 'Too many messages'
  return { code: errorCodes.tooManyCalls, message }
}

/** A JSON-RPC error under an HTTP status; `id` is JSON. */
export function rpcFailure(status: number, id: string, error: object): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: `{"jsonrpc":"2.0","error":${JSON.stringify(error)},"id":${id}}`,
  }
}
