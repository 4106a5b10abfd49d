import { hash } from 'node:crypto'
import type { HeaderMap, HttpRequest } from '../contract.ts'

/** The headers that prove who a client is; they alone are passed on to routes. Source: specification, What the service
 *  does, rule 1. */
export const credentialHeaderNames: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-api-key'])

type HeaderValue = string | readonly string[]

/** The credential headers of a request, in a fixed order, without absent and empty ones; `others` go before them. */
export function credentialsOf(headers: HeaderMap, others: HeaderMap = {}): HeaderMap {
  const passed: Record<string, HeaderMap[string]> = { ...others }
  // by name, not in a loop over the names: every request passes here
  const { authorization, cookie, 'x-api-key': key } = headers
  if (isSent(authorization)) passed.authorization = authorization
  if (isSent(cookie)) passed.cookie = cookie
  if (isSent(key)) passed['x-api-key'] = key
  return passed
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

/** Where it ends can be read from its beginning, so that no two credentials run into the same text. */
function keyPart(value: HeaderValue | undefined): string {
  if (!isSent(value)) return '-'
  return typeof value === 'string' ? `${value.length} ${value}` : JSON.stringify(value)
}

/** The same for a client who may have no credential: then its address. */
export const clientKey = ({ headers, ip }: HttpRequest): string =>
  hasCredentials(headers) ? credentialKey(headers) : ip
