/** Answers that are pages of ours beside consent and sign-in, whose policy the specification fixes. */
import type { HttpResponse } from '../../contract/http.ts'

/** A page, and what may run and be loaded in it. */
export interface OwnPage {
  readonly markup: string
  /** The page's own part of `Content-Security-Policy`. */
  readonly policy: string
}

/** No cache keeps it, nobody frames it, its address goes nowhere, and another `Accept` gets another answer. */
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
