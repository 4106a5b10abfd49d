import type { HttpRequest } from '../../contract/http.ts'

/** The token of an `Authorization` header whose scheme is `Bearer`, in upper or lower case, whatever it reads like; null where there is none.
 *  Source: RFC 9110, 11.1; RFC 6750, 2.1. */
export function bearerToken(authorization: string | null | undefined): string | null {
  if (authorization === null || authorization === undefined) return null
  return /^Bearer +(\S.*)$/is.exec(authorization)?.[1] ?? null
}

/** The same of a request. */
export const bearerOf = ({ headers: { authorization } }: Pick<HttpRequest, 'headers'>): string | null =>
  bearerToken(authorization === undefined ? null : String(authorization))
