/** What the parts of the authorization server add for programs, as one. */
import type { Endpoint } from '../contract/http.ts'
import type { ClientTokens, TokenGrants, TokenPart, TokenRoom } from './token-part.ts'

/** Two parts have what one may have; the message says what. */
export class PartClash extends Error {}

export interface JoinedParts {
  readonly grants: TokenGrants
  readonly endpoints: readonly Endpoint[]
  readonly clientTokens: ClientTokens | null
}

/** Throws `PartClash`. */
export function joinedParts(parts: readonly TokenPart[], room: TokenRoom): JoinedParts {
  const grants = parts.flatMap((part) => [...(part.grants?.(room) ?? [])])
  const endpoints = parts.flatMap((part) => part.endpoints?.(room) ?? [])
  const clientTokens = parts.flatMap((part) => part.clientTokens?.(room) ?? [])
  refuseTwice(grants.map(([name]) => `the grant ${name}`))
  refuseTwice(endpoints.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`)))
  refuseTwice(clientTokens.map(() => 'tokens of clients for themselves'))
  return { grants: new Map(grants), endpoints, clientTokens: clientTokens[0] ?? null }
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new PartClash(`two capabilities have ${twice}`)
}
