/** The guard's own answers, and the error by which a controller raises them. Source: decisions/http.md, The guard of scopes;
 *  RFC 6750, 3. */
import type { HttpResponse } from '../../contract/http.ts'
import { jsonResponse } from '../pipeline/error-handler.ts'

/** Why a route is not run. `invalid_token`: there is no valid one. `forbidden`: more permission is not to be had. */
export type AccessError = 'invalid_token' | 'insufficient_scope' | 'forbidden'

/** Raised by `requireScopes`; no exception handler decides about its status or challenge. */
export class AccessRefusal extends Error {
  /** What the request needs, route and caller together, in the order of declaration. */
  readonly needed: readonly string[]
  constructor(needed: readonly string[]) {
    super('the access token does not allow this')
    this.needed = needed
  }
}

export interface RefusalFacts {
  readonly error: AccessError
  readonly needed: readonly string[]
  readonly hasBearer: boolean
  /** Where the metadata of the resource is, or null where none is configured. */
  readonly metadataUrl: string | null
}

/** The answer to a request that the guard does not let past; `handled` is what the route's handler of `Forbidden` answered, of which
 *  body and content type count. */
export function refusedResponse(
  facts: RefusalFacts,
  handled: HttpResponse | null,
  words?: string,
): HttpResponse {
  const status = facts.error === 'invalid_token' ? 401 : 403
  const text = challengeText(facts)
  const headers = text === null ? {} : { 'www-authenticate': text }
  const scope = facts.error === 'insufficient_scope' ? facts.needed.join(' ') : null
  const refusedBy = { kind: 'access', scope } as const
  const answer = jsonResponse(status, { error: facts.error, message: words }, headers)
  if (handled === null) return { ...answer, refusedBy }
  const type = handled.headers['content-type']
  const described = type === undefined ? {} : { 'content-type': type }
  const kept = { ...described, 'cache-control': 'no-store', ...headers }
  return { status, headers: kept, body: handled.body, refusedBy }
}

/** `Bearer` with what a client can do about it; null where it can do nothing. */
function challengeText({ error, needed, hasBearer, metadataUrl }: RefusalFacts): string | null {
  if (error === 'forbidden') return null
  const isNamed = error === 'insufficient_scope' || hasBearer
  const parameters = [
    ...(isNamed ? [`error="${error}"`] : []),
    ...(error === 'insufficient_scope' ? [`scope="${needed.join(' ')}"`] : []), // scope tokens need no escape
    ...(metadataUrl === null ? [] : [`resource_metadata="${metadataUrl}"`]),
  ]
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`
}
