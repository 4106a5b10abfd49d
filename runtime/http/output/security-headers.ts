/** Headers that every answer of an application wants and few applications set. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpResponse } from '../../contract/http.ts'
import { isLoopbackUrl } from '../../loopback.ts'

/** A year of `Strict-Transport-Security` on every answer where the base URL is https. Not on loopback, where it would shut
 *  out every other server of the machine. Source: RFC 6797, 6.1. */
export function addStrictTransportSecurity(app: FastifyInstance, baseUrl: string): void {
  if (!baseUrl.startsWith('https:') || isLoopbackUrl(baseUrl)) return
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.setHeader('strict-transport-security', 'max-age=31536000')
    done()
  })
}

const dataType = /^(?:application\/(?:[^\s;]+\+)?(?:json|yaml)|text\/yaml)\b/i

/** The headers of an answer as it is sent, whichever part made it: data (JSON, YAML), bytes, streams and files are not guessed at, and
 *  data is not kept by a cache unless the answer says of caching what it wants. Source: RFC 9111, 5.2.2.5; Fetch, `X-Content-Type-Options`. */
export function sentHeaders({ headers, body }: HttpResponse, reply: FastifyReply): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = {}
  const isData = dataType.test(String(headers['content-type'] ?? ''))
  // what a file's HEAD and 304 have no body of is a file all the same
  const isBytes = typeof body !== 'string' && (body !== null || headers['accept-ranges'] !== undefined)
  if (isData || isBytes) sent['x-content-type-options'] = 'nosniff'
  if (isData) {
    const isCacheSaid = headers['cache-control'] !== undefined || reply.hasHeader('cache-control')
    if (!isCacheSaid) sent['cache-control'] = 'no-store'
  }
  Object.assign(sent, headers)
  return sent
}

/** Of texts and pages in the server's own words. */
export const ownHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** A page, and what may run and be loaded in it. */
export interface OwnPage {
  readonly markup: string
  /** The page's own part of `Content-Security-Policy`. */
  readonly policy: string
}

/** A page of ours beside consent and sign-in, whose policy the specification fixes: no cache keeps it, no site frames it, its address goes nowhere, and another `Accept` gets another answer. */
export function pageResponse(
  { markup, policy }: OwnPage,
  { status, challenge }: { readonly status: number; readonly challenge: string | null },
): HttpResponse {
  return {
    status,
    headers: {
      'cache-control': 'no-store',
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${policy}; form-action 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      vary: 'accept',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...(challenge === null ? {} : { 'www-authenticate': challenge }),
    },
    body: markup,
  }
}
