/** The answers of the authorization server: JSON, pages, text, redirects, and the one error body. */
import type { HttpRequest, Logger, Outcome } from '../contract.ts'
import { AuthServerError, PayloadTooLarge } from '../errors.ts'
import { ClientLimit, StoreBusy } from '../store/store.ts'

/** A function from a request to its answer. */
export type Handle = (request: HttpRequest) => Promise<Outcome>

type Headers = Readonly<Record<string, string>>

const noStore: Headers = { 'cache-control': 'no-store' }

const cors: Headers = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'www-authenticate, retry-after',
}

const preflight: Headers = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version',
  'access-control-max-age': '86400',
}

const pageHeaders: Headers = {
  ...noStore,
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

/** A JSON answer that no cache keeps. */
export function json(status: number, value: unknown, headers: Headers = noStore): Outcome {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** An HTML page. The header is exactly the specification's; the stricter rest of the policy stands in the page. */
export function htmlPage(body: string): Outcome {
  return { status: 200, headers: pageHeaders, body }
}

/** A plain text answer. Source: specification, Errors (sign-in callback failures). */
export function text(status: number, body: string): Outcome {
  return { status, headers: { ...noStore, 'content-type': 'text/plain; charset=utf-8' }, body }
}

/** A redirect with status 303, as everywhere here. */
export function seeOther(location: string): Outcome {
  return { status: 303, headers: { ...noStore, location }, body: null }
}

/** `handle`, whose every error becomes an OAuth error body with `no-store`. Source: specification, OAuth error response. */
export function withOAuthErrors(handle: Handle, log: Logger): Handle {
  return async (request) => {
    try {
      return await handle(request)
    } catch (error) {
      return errorAnswer(error, log)
    }
  }
}

/** `handle`, readable from any origin, and the answer to a preflight request. Source: specification, Production
 *  expectations; never for authorize and sign-in. */
export function withCors(handle: Handle): Handle {
  return async (request) => {
    if (request.method === 'OPTIONS')
      return { status: 204, headers: { ...cors, ...preflight, ...noStore }, body: null }
    const outcome = await handle(request)
    return { ...outcome, headers: { ...outcome.headers, ...cors } }
  }
}

function errorAnswer(error: unknown, log: Logger): Outcome {
  if (error instanceof AuthServerError) return oauthError(error)
  if (error instanceof PayloadTooLarge)
    return oauthError(new AuthServerError('invalid_request', error.message, 413))
  if (error instanceof StoreBusy || error instanceof ClientLimit) {
    const answer = oauthError(new AuthServerError('temporarily_unavailable', error.message, error.status))
    return { ...answer, headers: { ...answer.headers, 'retry-after': '1' } }
  }
  log.error({ error: error instanceof Error ? error.stack : String(error) }, 'authorization server failed')
  return oauthError(new AuthServerError('server_error', 'server_error', 500))
}

function oauthError(error: AuthServerError): Outcome {
  return json(error.status, { error: error.error, error_description: error.description })
}
