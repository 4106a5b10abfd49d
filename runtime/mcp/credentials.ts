import type { HeaderMap } from '../contract.ts'

/** The headers that prove who a client is; they alone are passed on to routes. Source: specification, What the service
 *  does, rule 1. */
export const credentialHeaderNames: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-api-key'])

/** The credential headers of a request, in a fixed order, without absent and empty ones. */
export function credentialsOf(headers: HeaderMap): HeaderMap {
  const sent = [...credentialHeaderNames].map((name) => [name, headers[name]] as const)
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined && value.length > 0))
}

/** Whether the client sent any credential at all. */
export function hasCredentials(headers: HeaderMap): boolean {
  return Object.keys(credentialsOf(headers)).length > 0
}
