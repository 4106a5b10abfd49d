/** What a browser gets at the endpoint's address. The page itself is loaded with the first that asks: a start and an API client
 *  need not wait for it. */
import type { Admission } from '../../../templates/pages/clients.ts'
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import type { ResourceMetadata } from '../../contract/mcp.ts'
import type { PageSignIn } from '../../contract/pages.ts'
import { prefersHtml } from '../../http/output/negotiate.ts'
import { type AllowedSources, sourceTest } from '../../http/server/origins.ts'
import { lazy } from '../../lazy.ts'
import type { Listed, Shown } from './connect-response.ts'

/** The settings of the page. */
export interface PageSettings {
  /** Null = a browser gets what everybody gets. */
  readonly page: {
    /** What people call the service. */
    readonly serviceName: string
    /** Null = no sign-in there. */
    readonly signIn: PageSignIn | null
    /** What clients that sign in here may be. */
    readonly admits: Admission
  } | null
}

export interface ConnectPage {
  /** Whether a person looks at the endpoint: a browser's GET, and none that listens for events. */
  isFor(request: HttpRequest): boolean
  /** `refusal` with the page as its body: it lists no tools. `toolbox` is the one of the address. */
  refused(request: HttpRequest, toolbox: string | null, refusal: HttpResponse): Promise<HttpResponse>
  /** The page with the tools that this address lists; `catalogue` is what the caller may know of. */
  allowed(request: HttpRequest, toolbox: string | null, shown: Listed): Promise<HttpResponse>
}

/** What the page is made from. */
export interface ConnectPageOptions extends PageSettings {
  readonly baseUrl: string
  readonly resourceMetadata: ((request: HttpRequest) => ResourceMetadata) | null
  readonly allowedOrigins: AllowedSources['origins']
  readonly allowedHosts: AllowedSources['hosts']
}

/** The page of the endpoint at `path`, null where it is off. `isOpen`: no request needs a credential. Source: decisions/mcp.md,
 *  The page of the address. */
export function createConnectPage(
  options: ConnectPageOptions,
  path: string,
  isOpen: boolean,
): ConnectPage | null {
  if (options.page === null) return null
  const { serviceName, admits } = options.page
  const load = lazy(() => import('./connect-response.ts'))
  const show = async (request: HttpRequest, toolbox: string | null, shown: Shown): Promise<HttpResponse> => {
    const { connectResponse } = await load()
    const signIn = signInFor(request, options)
    const signsInHere = !isOpen && options.resourceMetadata !== null && issuesFor(request, options)
    const here = { path, toolbox, signIn, admits: signsInHere ? admits : null }
    return connectResponse({ ...options, serviceName, isOpen, ...here }, shown)
  }
  return {
    isFor: ({ method, headers: { accept } }) =>
      (method === 'GET' || method === 'HEAD') &&
      typeof accept === 'string' &&
      !accept.includes('text/event-stream') &&
      prefersHtml(accept),
    refused: (request, toolbox, refusal) => show(request, toolbox, { kind: 'refused', refusal }),
    allowed: (request, toolbox, shown) => show(request, toolbox, { kind: 'allowed', ...shown }),
  }
}

/** Null where a token of ours is no use: another server issues them, or the endpoint takes nothing from our own origin. */
function signInFor(request: HttpRequest, options: ConnectPageOptions): PageSignIn | null {
  const { page, baseUrl, allowedOrigins, allowedHosts } = options
  const source = { host: new URL(baseUrl).host, origin: baseUrl }
  const isOwnOrigin = sourceTest({ origins: allowedOrigins, hosts: allowedHosts })(source) === null
  return issuesFor(request, options) && isOwnOrigin ? (page?.signIn ?? null) : null
}

/** Whether this server is among those whose tokens the endpoint takes. */
const issuesFor = (request: HttpRequest, { baseUrl, resourceMetadata }: ConnectPageOptions): boolean =>
  resourceMetadata?.(request).authorizationServers.includes(baseUrl) ?? true
