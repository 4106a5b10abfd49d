import type { Clock, HeaderMap } from '../contract.ts'
import { credentialKey, hasCredentials } from './credentials.ts'

/** Remembers which credentials passed the endpoint's check. */
export interface AuthCache {
  has(headers: HeaderMap): boolean
  add(headers: HeaderMap): void
  remove(headers: HeaderMap): void
  /** Until when the last success is good, or one of now where none is kept, in milliseconds since the epoch. */
  validUntil(headers: HeaderMap): number
}

const capacity = 10_000

/** A cache of successes, keyed by the SHA-256 of the credential headers, for `ttlSeconds` but never past the `exp` of a
 *  bearer that reads as a JWT; at most 10,000 entries, the least recently used go first; without a credential nothing is
 *  kept. Source: specification, Authentication, rule 3; decisions.md, authentication cache. */
export function createAuthCache(ttlSeconds: number, clock: Clock): AuthCache {
  const expiries = new Map<string, number>()
  let newest = ''
  const expiryOfNow = (headers: HeaderMap): number =>
    Math.min(clock() + ttlSeconds * 1000, bearerExpiry(headers))
  const renew = (key: string, expiresAt: number): void => {
    expiries.delete(key)
    expiries.set(key, expiresAt)
    newest = key
  }
  return {
    has(headers) {
      if (expiries.size === 0 || !hasCredentials(headers)) return false
      const key = credentialKey(headers)
      const expiresAt = expiries.get(key)
      if (expiresAt === undefined) return false
      if (clock() >= expiresAt) {
        expiries.delete(key)
        return false
      }
      if (key !== newest) renew(key, expiresAt)
      return true
    },
    add(headers) {
      if (!hasCredentials(headers)) return
      const expiresAt = expiryOfNow(headers)
      if (expiresAt <= clock()) return
      renew(credentialKey(headers), expiresAt)
      dropOldest(expiries)
    },
    remove(headers) {
      expiries.delete(credentialKey(headers))
    },
    validUntil: (headers) => expiries.get(credentialKey(headers)) ?? expiryOfNow(headers),
  }
}

// A Map iterates in the order of insertion, and a hit (but the newest, which is last already) inserts again: the first
// key is the least recently used.
function dropOldest(expiries: Map<string, number>): void {
  if (expiries.size <= capacity) return
  const [oldest] = expiries.keys()
  if (oldest !== undefined) expiries.delete(oldest)
}

/** Milliseconds since the epoch, or infinity. The token is not verified: its `exp` can only shorten the time. */
function bearerExpiry(headers: HeaderMap): number {
  const bearer = /^Bearer +[^.\s]+\.([^.\s]+)\.[^.\s]*$/i.exec(String(headers.authorization ?? ''))
  const claims = bearer?.[1] === undefined ? null : parseJson(Buffer.from(bearer[1], 'base64url').toString())
  if (typeof claims !== 'object' || claims === null || !('exp' in claims)) return Infinity
  return typeof claims.exp === 'number' ? claims.exp * 1000 : Infinity
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
