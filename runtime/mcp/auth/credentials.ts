import { hash } from 'node:crypto'
import type { HeaderMap } from '../../contract/http.ts'

type HeaderValue = string | readonly string[]

/** The headers that prove the client's identity, which alone are passed on to routes: in a fixed order, without absent and empty
 *  ones. Source: rules.md, What the service does 1. */
export const credentialsOf = (headers: HeaderMap): HeaderMap => withCredentials({}, headers)

function withCredentials(sent: Record<string, HeaderValue>, headers: HeaderMap): HeaderMap {
  for (const name of credentialNames) {
    const value = headers[name]
    if (isSent(value)) sent[name] = value
  }
  return sent
}

const credentialNames = ['authorization', 'cookie', 'x-api-key'] as const

/** What a route sees of a client's headers. */
export type HeadersForRoute = (headers: HeaderMap) => HeaderMap

/** Its credentials, and that JSON is wanted. */
export const headersForRoute: HeadersForRoute = (headers) =>
  withCredentials({ accept: 'application/json' }, headers)

/** The same with those that `mcp.forwardHeaders` names, in lower case. */
export function headersWith(forwarded: readonly string[]): HeadersForRoute {
  if (forwarded.length === 0) return headersForRoute
  return (headers) => ({ ...headersForRoute(headers), ...forwardedOf(headers, forwarded) })
}

/** Those of them that the client sent. They prove nothing. */
export function forwardedOf(headers: HeaderMap, forwarded: readonly string[]): HeaderMap {
  const sent: Record<string, HeaderValue> = {}
  for (const name of forwarded) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (isSent(value)) sent[name] = value
  }
  return sent
}

const isSent = (value: HeaderValue | undefined): value is HeaderValue =>
  value !== undefined && value.length > 0

/** Whether the client sent any credential at all. */
export const hasCredentials = (headers: HeaderMap): boolean =>
  isSent(headers.authorization) || isSent(headers.cookie) || isSent(headers['x-api-key'])

/** What stands for the credentials of a request wherever something is kept about them: their SHA-256. */
export function credentialKey(headers: HeaderMap): string {
  const { authorization, cookie, 'x-api-key': key } = headers
  return hash('sha256', keyPart(authorization) + keyPart(cookie) + keyPart(key), 'hex')
}

/** The same of a check that reads the forwarded headers too: a success with one tenant is none with another. */
export function checkedKey(headers: HeaderMap, forwarded: readonly string[]): string {
  if (forwarded.length === 0) return credentialKey(headers)
  const sent = forwardedOf(headers, forwarded)
  return hash('sha256', credentialKey(headers) + forwarded.map((name) => keyPart(sent[name])).join(''), 'hex')
}

/** Where it ends can be read from its beginning, so that no two credentials run into the same text. */
function keyPart(value: HeaderValue | undefined): string {
  if (!isSent(value)) return '-'
  return typeof value === 'string' ? `${value.length} ${value}` : JSON.stringify(value)
}
