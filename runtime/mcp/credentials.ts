import { hash } from 'node:crypto'
import type { HeaderMap, HttpRequest } from '../contract.ts'

/** The headers that prove who a client is; they alone are passed on to routes. Source: specification, What the service
 *  does, rule 1. */
export const credentialHeaderNames: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-api-key'])

/** The credential headers of a request, in a fixed order, without absent and empty ones. */
export function credentialsOf(headers: HeaderMap): HeaderMap {
  const credentials: Record<string, string | readonly string[]> = {}
  for (const name of credentialHeaderNames) {
    const value = headers[name]
    if (value !== undefined && value.length > 0) credentials[name] = value
  }
  return credentials
}

/** Whether the client sent any credential at all. */
export function hasCredentials(headers: HeaderMap): boolean {
  for (const _ in credentialsOf(headers)) return true
  return false
}

const keys = new WeakMap<HeaderMap, string>()

/** What stands for the credentials of a request wherever something is kept about them: their SHA-256. */
export function credentialKey(headers: HeaderMap): string {
  const known = keys.get(headers)
  if (known !== undefined) return known
  const key = hash('sha256', JSON.stringify(credentialsOf(headers)), 'hex')
  keys.set(headers, key)
  return key
}

/** Keeps nothing of a request that may be there for hours; the key is worked out again when it is asked for. */
export const forgetKey = (headers: HeaderMap): void => void keys.delete(headers)

/** The same for a client who may have no credential: then its address. */
export const clientKey = ({ headers, ip }: HttpRequest): string =>
  hasCredentials(headers) ? credentialKey(headers) : ip
