import type { Clock, HttpRequest, Logger, Outcome, ResourceMetadata, Route } from '../contract.ts'
import { createAuthCache } from './auth-cache.ts'
import { noBody, noHeaders, RequestInProcess } from './call.ts'
import { hasCredentials } from './credentials.ts'

/** The settings that decide who may use the endpoint. Source: specification, MCP server configuration. */
export interface AuthenticationOptions {
  readonly invoke: (routeId: string, request: HttpRequest) => Outcome | Promise<Outcome>
  readonly routes: ReadonlyMap<string, Pick<Route, 'verb' | 'path'>>
  readonly authProbe: string | null
  readonly authenticator: ((request: HttpRequest) => boolean | Promise<boolean>) | null
  readonly resourceMetadata: ((request: HttpRequest) => ResourceMetadata) | null
  readonly authCacheTtlSeconds: number
  readonly clock: Clock
  readonly log: Logger
}

/** The endpoint's own check, apart from the routes' filters. */
export interface Authentication {
  /** Whether anything is configured; without it everybody passes and a route's 401 stays a failed tool call. */
  readonly isOn: boolean
  /** Whether the request may use the endpoint; asks the cache first, and then answers at once.
   *  Rejects with `ProbeUnavailable` only. */
  readonly check: (request: HttpRequest) => boolean | Promise<boolean>
  /** Forgets that the request's credential passed. */
  readonly forget: (request: HttpRequest) => void
  /** When a request that has passed now must be checked again, in milliseconds since the epoch. */
  readonly validUntil: (request: HttpRequest) => number
}

/** The probe answered 503: whether the credential is good cannot be said now, and a 401 would sign the client out. */
export class ProbeUnavailable extends Error {
  readonly retryAfter: string
  constructor(retryAfter: string) {
    super('authentication is not available')
    this.retryAfter = retryAfter
  }
}

type Check = (request: HttpRequest) => boolean | Promise<boolean>

/** Every request must pass `authenticator`, then `authProbe`, as far as they are configured; with `resourceMetadata`
 *  alone any credential passes. Throws when `authProbe` names no GET route. Source: specification, Authentication, rules
 *  1 to 5; decisions.md, MCP. */
export function createAuthentication(options: AuthenticationOptions): Authentication {
  const cache = createAuthCache(options.authCacheTtlSeconds, options.clock)
  const checks = configuredChecks(options)
  const checkNow = async (request: HttpRequest): Promise<boolean> => {
    for (const check of checks) if (!(await passes(check, request, options.log))) return false
    cache.add(request.headers)
    return true
  }
  return {
    isOn: checks.length > 0,
    check: (request) => checks.length === 0 || cache.has(request.headers) || checkNow(request),
    forget: (request) => cache.remove(request.headers),
    validUntil: (request) => cache.validUntil(request.headers),
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
    if (error instanceof ProbeUnavailable) throw error
    // Only the name: the message could repeat what the client sent.
    log.error(
      { error: error instanceof Error ? error.name : typeof error },
      'the MCP authentication check threw',
    )
    return false
  }
}

function probeCheck(authProbe: string, { routes, invoke }: AuthenticationOptions): Check {
  const [id, { path }] = probeRoute(authProbe, routes)
  return async (client) => {
    const query = new URLSearchParams()
    const request = new RequestInProcess(client, {
      method: 'GET',
      path,
      query,
      params: {},
      headers: noHeaders,
      body: noBody,
    })
    const outcome = await invoke(id, request)
    if (outcome.body instanceof ReadableStream) await outcome.body.cancel()
    if (outcome.status === 503) throw new ProbeUnavailable(String(outcome.headers['retry-after'] ?? '5'))
    return outcome.status >= 200 && outcome.status < 300
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
