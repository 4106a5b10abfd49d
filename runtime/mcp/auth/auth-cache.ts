import type { HeaderMap, HttpRequest } from '../../contract/http.ts'
import type { Clock } from '../../contract/store.ts'
import { LruMap } from '../../lru.ts'
import { sha256Hex } from '../../secret.ts'
import { type Caller, callerOfAddress } from './caller.ts'
import { checkedKey, hasCredentials } from './credentials.ts'

type Sent = Pick<HttpRequest, 'headers' | 'url' | 'ip'>

/** Remembers which credentials passed the endpoint's check, and whose they are; and which are refused. */
export interface AuthCache {
  /** The caller that passed with these credentials, while that is good; else null. */
  find(request: Sent): Caller | null
  /** Whether they passed before, be it too long ago. */
  isKnown(request: Sent): boolean
  add(request: Sent, caller: Caller): void
  /** The bearer was not signed here and no `authenticate` judges it, at an endpoint that everybody passes: for ten seconds, or until
   *  something is revoked, it need not be looked at again. */
  addForeign(request: Sent): void
  remove(request: Sent): void
  /** Forgets every success of that user, and those that may be by a session; null = every success. */
  removeUser(userId: string | null): void
  /** Until when the last success is good, or one of now where none is kept, by `monotonic`. */
  validUntil(request: Sent): number
}

export interface AuthCacheOptions {
  readonly ttlSeconds: number
  /** Whether what is checked reads the URL too: then a success is one of that URL only. */
  readonly judgesUrl: boolean
  /** Headers that what is checked reads beside the credentials: a success is one of these values only. */
  readonly forwardHeaders: readonly string[]
  readonly clock: Clock
  /** Milliseconds that never go back (default: the clock). */
  readonly monotonic?: Clock | undefined
}

interface Success {
  readonly caller: Caller
  /** Whether a session may be whose it is. */
  readonly hasCookie: boolean
  readonly until: number
}

const capacity = 10_000
const foreignMs = 10_000

/** A cache of successes, keyed by the SHA-256 of the credential headers and of the forwarded ones, for `ttlSeconds` but never past the `exp` of a
 *  bearer that reads as a JWT; at most 10,000 entries, the least recently used go first; without a credential nothing is
 *  kept. Source: rules.md, Authentication 3; rules.md, authentication cache. */
export function createAuthCache({
  ttlSeconds,
  judgesUrl,
  forwardHeaders,
  clock,
  monotonic = clock,
}: AuthCacheOptions): AuthCache {
  const successes = new LruMap<string, Success>(capacity)
  const foreign = new LruMap<string, number>(capacity)
  const keyOf = ({ headers, url }: Sent): string =>
    judgesUrl
      ? sha256Hex(`${checkedKey(headers, forwardHeaders)} ${url}`)
      : checkedKey(headers, forwardHeaders)
  const leftMs = (headers: HeaderMap, expiresAt = Infinity): number =>
    Math.min(ttlSeconds * 1000, Math.min(bearerExpiry(headers), expiresAt) - clock())
  return {
    find(request) {
      if (successes.size + foreign.size === 0 || !hasCredentials(request.headers)) return null
      const key = keyOf(request)
      const success = successes.get(key)
      if (success !== undefined) return monotonic() < success.until ? success.caller : null
      return monotonic() < (foreign.peek(key) ?? 0) ? callerOfAddress(request.ip) : null
    },
    isKnown: (request) => hasCredentials(request.headers) && successes.peek(keyOf(request)) !== undefined,
    add(request, caller) {
      if (!hasCredentials(request.headers)) return
      const left = leftMs(request.headers, caller.auth?.expiresAt)
      // with a time of nothing it is not found again, but known: it is checked however many others are refused
      if (left < 0 || (left === 0 && ttlSeconds > 0)) return
      const hasCookie = request.headers.cookie !== undefined
      successes.set(keyOf(request), { caller, until: monotonic() + left, hasCookie })
    },
    addForeign: (request) => foreign.set(keyOf(request), monotonic() + foreignMs),
    remove: (request) => successes.delete(keyOf(request)),
    removeUser(userId) {
      foreign.clear()
      for (const [key, { caller, hasCookie }] of successes)
        if (userId === null || hasCookie || caller.auth?.subject === userId) successes.delete(key)
    },
    validUntil: (request) => successes.peek(keyOf(request))?.until ?? monotonic() + leftMs(request.headers),
  }
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
