import type { HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { ResourceMetadata } from '../../contract/mcp.ts'
import type { Route } from '../../contract/route.ts'
import type { AuthInfo, Clock, Logger } from '../../contract/store.ts'
import { errorName } from '../../errors.ts'
import type { Scopes } from '../../scopes.ts'
import { type AuthCache, createAuthCache } from './auth-cache.ts'
import type { Caller } from './caller.ts'
import { AuthenticationUnavailable, Judge, retryAfterOutage } from './check-credentials.ts'
import { hasCredentials, headersForRoute, headersWith } from './credentials.ts'
import { noBody, noHeaders, RequestInProcess } from './request-in-process.ts'

/** The settings that decide which clients may use the endpoint. Source: rules.md, MCP server configuration. */
export interface AuthenticationOptions {
  readonly invoke: (routeId: string, request: HttpRequest) => Promise<HttpResponse>
  readonly routes: ReadonlyMap<string, Pick<Route, 'verb' | 'path'>>
  readonly authProbe: string | null
  readonly authenticator: ((request: HttpRequest) => MaybePromise<boolean>) | null
  readonly resourceMetadata: ((request: HttpRequest) => ResourceMetadata) | null
  /** Whose a bearer token is that the application issued or accepts and that is good now, else null; `request` came with it. */
  readonly findAuthInfo: (token: string, request: HttpRequest) => Promise<AuthInfo | null>
  /** Whether our key signed a token, whatever else is wrong with it. */
  readonly isSignedHere: (token: string) => Promise<boolean>
  /** Whether the application judges tokens that none of our keys signed. */
  readonly judgesForeign: boolean
  /** What the application declares. */
  readonly scopes: Scopes
  readonly authCacheTtlSeconds: number
  /** The headers of a client that its calls carry beside its credentials, in lower case. */
  readonly forwardHeaders: readonly string[]
  /** Is told of each request with a credential whether that had passed before; null = not called. */
  readonly onLookUp: ((isHit: boolean) => void) | null
  readonly clock: Clock
  /** Milliseconds that never go back, of how long a success is good. */
  readonly monotonic: Clock
  readonly log: Logger
}

/** The endpoint's own check, apart from the routes' filters. Both checks resolve with whose request it is, or null when it may not
 *  use the endpoint; they reject with `AuthenticationUnavailable` only. */
export interface Authentication {
  /** Whether anything is configured; without it everybody passes and a route's 401 stays a failed tool call. */
  readonly isOn: boolean
  /** Whose request it is when it has passed before and that is still good, else null. */
  readonly find: (request: HttpRequest) => Caller | null
  /** For one that is not found. */
  readonly check: (request: HttpRequest) => MaybePromise<Caller | null>
  /** For one that has passed before, however many others were refused meanwhile; asks the cache first. */
  readonly recheck: (request: HttpRequest) => MaybePromise<Caller | null>
  /** The same without the cache: what another process revoked without telling this one is refused. */
  readonly checkAnew: (request: HttpRequest) => Promise<Caller | null>
  /** Forgets that the request's credential passed. */
  readonly forget: (request: HttpRequest) => void
  /** Forgets every credential of that user that passed; null = of everybody. */
  readonly forgetUser: (userId: string | null) => void
  /** When a request that has passed now must be checked again, by `monotonic`. */
  readonly validUntil: (request: HttpRequest) => number
}

type Check = (request: HttpRequest) => MaybePromise<boolean>

/** Every request must pass `authenticator` and `authProbe`, as far as they are configured; with `resourceMetadata`
 *  alone any credential passes. Throws when `authProbe` names no GET route. Source: rules.md, Authentication 1 to 5; rules.md,
 *  MCP. */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const { authCacheTtlSeconds: ttlSeconds, authenticator, forwardHeaders, clock, monotonic } = options
  const judgesUrl = authenticator !== null
  const cache = createAuthCache({ ttlSeconds, judgesUrl, forwardHeaders, clock, monotonic })
  const checks = configuredChecks(options)
  const passesAll = async (request: HttpRequest): Promise<boolean> => {
    for (const check of checks) if (!(await passes(check, request, options.log))) return false
    return true
  }
  const accepts = options.authProbe !== null || authenticator !== null
  const judge = new Judge({
    passes: passesAll,
    accepts,
    needsAuth: options.scopes.declared.length > 0,
    judgesUrl,
    findAuthInfo: options.findAuthInfo,
    isSignedHere: options.isSignedHere,
    judgesForeign: options.judgesForeign,
    cache,
    clock,
    monotonic,
  })
  const isOn = checks.length > 0
  return {
    isOn,
    find: countedLookUps(cache, options),
    check: (request) => (isOn ? judge.check(request, false) : judge.identify(request)),
    recheck: (request) => cache.find(request) ?? judge.check(request, true),
    checkAnew: (request) => judge.check(request, true),
    forget: (request) => cache.remove(request),
    forgetUser: (userId) => judge.forgetUser(userId),
    validUntil: (request) => cache.validUntil(request),
  }
}

function countedLookUps(
  { find }: AuthCache,
  { onLookUp }: Pick<AuthenticationOptions, 'onLookUp'>,
): Authentication['find'] {
  if (onLookUp === null) return find
  return (request) => {
    const found = find(request)
    if (found !== null || hasCredentials(request.headers)) onLookUp(found !== null)
    return found
  }
}

function configuredChecks(options: AuthenticationOptions): readonly Check[] {
  const probe = options.authProbe === null ? null : probeCheck(options.authProbe, options)
  const checks = [options.authenticator, probe].filter((check) => check !== null)
  if (checks.length > 0 || options.resourceMetadata === null) return checks
  options.log.warn(
    {},
    'mcp.resourceMetadata without authProbe or authenticator: any credential passes the endpoint',
  )
  return [(request) => hasCredentials(request.headers)]
}

async function passes(check: Check, request: HttpRequest, log: Logger): Promise<boolean> {
  try {
    return (await check(request)) === true
  } catch (error) {
    if (error instanceof AuthenticationUnavailable) throw error
    // Only the name: the message could repeat what the client sent.
    log.error({ error: errorName(error) }, 'the MCP authentication check threw')
    return false
  }
}

/** Forwarded headers go along with a credential alone: none of them passes for one. */
function probeCheck(authProbe: string, { routes, invoke, forwardHeaders }: AuthenticationOptions): Check {
  const [id, { path }] = probeRoute(authProbe, routes)
  const passed = headersWith(forwardHeaders)
  return async (client) => {
    const parts = { method: 'GET', path, query: null, params: {}, headers: noHeaders, body: noBody }
    const request = new RequestInProcess(
      client,
      parts,
      hasCredentials(client.headers) ? passed : headersForRoute,
    )
    const outcome = await invoke(id, request)
    if (outcome.body instanceof ReadableStream) await outcome.body.cancel()
    const { status } = outcome
    if (status === 503)
      throw new AuthenticationUnavailable(status, String(outcome.headers['retry-after'] ?? retryAfterOutage))
    return status >= 200 && status < 300
  }
}

function probeRoute(
  authProbe: string,
  routes: AuthenticationOptions['routes'],
): readonly [string, { readonly path: string }] {
  const gets = [...routes].filter(([, route]) => route.verb === 'GET')
  const found = gets.find(([id, route]) => id === authProbe || bare(route.path) === bare(authProbe))
  if (found === undefined)
    throw new Error(`mcp.authProbe: '${authProbe}' is neither the path nor the id of a GET route`)
  return found
}

const bare = (path: string): string => path.replace(/(?<=.)\/+$/, '')
