/** Cookie texts: read once per request, written with the attributes that the answer asks for. Source: RFC 6265. */
import { fastifyCookie, type SerializeOptions } from '@fastify/cookie'
import type { HeaderMap } from '../../contract/http.ts'

export type Cookies = Readonly<Record<string, string | undefined>>

const none: Cookies = Object.freeze(Object.create(null))

/** The cookies of a request by name; a value that is not percent-encoded text stays as it is. */
export function cookiesOf(headers: HeaderMap): Cookies {
  const { cookie } = headers
  if (cookie === undefined) return none
  return fastifyCookie.parse(typeof cookie === 'string' ? cookie : cookie.join('; '))
}

/** One `Set-Cookie` line. */
export function setCookieText(name: string, value: string, options: SerializeOptions): string {
  return fastifyCookie.serialize(name, value, options)
}
