/** Errors as pages, for people: a browser that lands on one shows what to do in place of JSON. Programs get JSON. Source:
 *  decisions/oauth.md, Profiles. */
import type { Endpoint, HttpRequest } from '../contract/http.ts'
import { lazy } from '../lazy.ts'
import { type AuthorizationServerOptions, serviceOf } from './options.ts'
import { htmlPage, oauthFailureOf } from './responses.ts'

/** Loaded with the first page. */
const errorPage = lazy(() => import('../../templates/pages/oauth-error.ts'))

/** `endpoint`, whose failures are pages for who accepts `text/html`, where the profile shows any. Status and `Retry-After` stay. */
export function withErrorPages(
  endpoint: Endpoint,
  options: Pick<AuthorizationServerOptions, 'profile' | 'baseUrl' | 'serviceName'>,
): Endpoint {
  if (!options.profile.showsErrorPages) return endpoint
  const service = serviceOf(options)
  return {
    ...endpoint,
    handle: async (request) => {
      const outcome = await endpoint.handle(request)
      const failure = oauthFailureOf(outcome)
      if (failure === null || !acceptsHtml(request)) return outcome
      const { oauthErrorPage } = await errorPage()
      const page = htmlPage(oauthErrorPage({ service, ...failure }), outcome.status)
      return { ...page, headers: { ...outcome.headers, ...page.headers } }
    },
  }
}

/** Whether the header names `text/html` itself, as browsers do that open an address; a script's `*` + `/*` is no person. Source: RFC 9110, 12.5.1. */
function acceptsHtml({ headers }: HttpRequest): boolean {
  const { accept = '' } = headers
  return String(accept)
    .slice(0, 2048)
    .split(',')
    .some((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    })
}
