import { hash } from 'node:crypto'
import type { HeaderMap } from '../../contract/http.ts'

type HeaderValue = string | readonly string[]

/** The headers that prove who a client is, which alone are passed on to routes: in a fixed order, without absent and empty
 *  ones. Source: specification, What the service does, rule 1. */
export function credentialsOf(headers: HeaderMap): HeaderMap {
  const sent: Record<string, HeaderValue> = {}
  for (const name of credentialNames) {
    const value = headers[name]
    if (isSent(value)) sent[name] = value
  }
  return sent
}

const credentialNames = ['authorization', 'cookie', 'x-api-key'] as const

/** What a route sees of a client's headers: its credentials, and that JSON is wanted. */
export const headersForRoute = (headers: HeaderMap): HeaderMap => ({
  accept: 'application/json',
  ...credentialsOf(headers),
})

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

/** Where it ends can be read from its beginning, so that no two credentials run into the same text. */
function keyPart(value: HeaderValue | undefined): string {
  if (!isSent(value)) return '-'
  return typeof value === 'string' ? `${value.length} ${value}` : JSON.stringify(value)
}
