/** Rate limits of the authorization server, per address and hour. Source: rules.md, Production expectations; rules.md, rate
 *  limits. */
import type { Endpoint, HttpResponse } from '../contract/http.ts'
import type { Clock } from '../contract/store.ts'
import { addressKey, createRateCounter, type ShareCounts } from '../rate-limit.ts'
import { sha256Base64Url } from '../secret.ts'
import { OAuthError } from './oauth-error.ts'
import { errorResponse, withCors } from './responses.ts'

/** Calls per address and hour; null = not limited. */
export interface RateLimits {
  readonly registerPerHour: number | null
  readonly authorizePerHour: number | null
  readonly tokenPerHour: number | null
}

export interface Limiter {
  /** `endpoint`, which responds 429 with `Retry-After` in its own error shape when an address is over the limit. */
  limit(name: keyof RateLimits, endpoint: Endpoint): Endpoint
  /** One exchange of counts with the other instances. */
  exchange(share: ShareCounts): Promise<void>
}

const windowSeconds = 3600
/** Addresses remembered, over all limits: about 4 MB. */
const capacity = 20_000

export function createLimiter(limits: RateLimits, clock: Clock): Limiter {
  const counter = createRateCounter({ windowSeconds, capacity, clock })
  return {
    limit: (name, endpoint) => {
      const limit = limits[name]
      if (limit === null) return endpoint
      return limited(endpoint, (ip) => counter.take(keyOf(name, ip), limit))
    },
    exchange: counter.exchange,
  }
}

/** Shared counts lie in the store: they name no address. */
function keyOf(name: keyof RateLimits, ip: string): string {
  return sha256Base64Url(`${name} ${addressKey(ip)}`)
}

/** A preflight request is not counted: a browser sends it by itself. */
function limited(endpoint: Endpoint, take: (ip: string) => number): Endpoint {
  return {
    ...endpoint,
    handle: async (request) => {
      const waitSeconds = request.method === 'OPTIONS' ? 0 : take(request.ip)
      if (waitSeconds === 0) return endpoint.handle(request)
      const refuse = async (): Promise<HttpResponse> => tooManyRequests(waitSeconds)
      return endpoint.methods.includes('OPTIONS') ? withCors(refuse)(request) : refuse()
    },
  }
}

function tooManyRequests(waitSeconds: number): HttpResponse {
  const error = new OAuthError('temporarily_unavailable', 'too many requests from this address', 429)
  return errorResponse(error, { 'retry-after': String(waitSeconds) })
}
