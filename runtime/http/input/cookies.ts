/** Cookie texts: read once per request, written with the attributes that the answer asks for. Source: RFC 6265. */
import { fastifyCookie, type SerializeOptions } from '@fastify/cookie'
import type { FastifyInstance } from 'fastify'
import type { HeaderMap } from '../../contract/http.ts'

/** `@fastify/cookie` loads its parser when it is registered. It is registered in a room of its own, so that its hooks
 *  cover no route and an application may register it too. */
export async function loadCookies(app: FastifyInstance): Promise<void> {
  await app.register(async (room) => {
    await room.register(fastifyCookie, { hook: false })
  })
}

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
