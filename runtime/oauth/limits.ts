/** Rate limits of the authorization server, per address and hour, and of what an open page asks by itself, per user. Source: rules.md, Production expectations; rules.md, rate
 *  limits. */
import type { Endpoint, HttpRequest, HttpResponse } from '../contract/http.ts'
import { addressKey, createRateCounter, type RateCounterOptions, type ShareCounts } from '../rate-limit.ts'
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
  /** `endpoint`, which responds 429 with `Retry-After` in its own error shape when an address is over the limit. A request for which `userOf`
   *  returns a user counts for that user alone: many people share an address. */
  limit(name: keyof RateLimits, endpoint: Endpoint, userOf?: UserOf): Endpoint
  /** One exchange of counts with the other instances. */
  exchange(share: ShareCounts): Promise<void>
}

/** The id of the user for whom a request counts; null = it counts for its address. */
export type UserOf = (request: HttpRequest) => string | null

type Clocks = Pick<RateCounterOptions, 'clock' | 'monotonic'>

const windowSeconds = 3600
/** Addresses remembered, over all limits: about 4 MB. */
const capacity = 20_000

export function createLimiter(limits: RateLimits, clocks: Clocks): Limiter {
  const counter = createRateCounter({
    windowSeconds,
    capacity,
    clock: clocks.clock,
    monotonic: clocks.monotonic,
  })
  return {
    limit: (name, endpoint, userOf = ofNobody) => {
      const limit = limits[name]
      if (limit === null) return endpoint
      return limited(endpoint, (request) => {
        const user = userOf(request)
        const key = user === null ? keyOf(name, addressKey(request.ip)) : keyOf(`${name} of a user`, user)
        return counter.take(key, limit)
      })
    },
    exchange: counter.exchange,
  }
}

const ofNobody: UserOf = () => null

/** An open page asks for its state by itself, again and again. */
export const wantsState = ({ method, headers }: HttpRequest): boolean =>
  method === 'GET' && headers.accept === 'application/json'

/** Whose open page asks, as the session says. */
export const pollingUser: UserOf = (request) => {
  const user = wantsState(request) ? request.session.get('user_id') : null
  return typeof user === 'string' ? user : null
}

/** Shared counts lie in the store: they name no address, and no user. */
const keyOf = (name: string, counted: string): string => sha256Base64Url(`${name} ${counted}`)

/** A preflight request is not counted: a browser sends it by itself. */
function limited(endpoint: Endpoint, take: (request: HttpRequest) => number): Endpoint {
  return {
    ...endpoint,
    handle: async (request) => {
      const waitSeconds = request.method === 'OPTIONS' ? 0 : take(request)
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
