import type { HttpRequest } from '../../contract/http.ts'

/** The token of `Authorization: Bearer`, whatever it reads like, or null. Source: RFC 6750, 2.1. */
export function bearerOf({ headers: { authorization } }: Pick<HttpRequest, 'headers'>): string | null {
  if (authorization === undefined) return null
  return /^Bearer +(\S.*)$/is.exec(String(authorization))?.[1] ?? null
}
