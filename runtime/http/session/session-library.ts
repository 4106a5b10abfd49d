/** `@fastify/session` over our own store. It makes ids, signs and verifies them with rotating secrets, restores values, and
 *  tells whether they have changed. Beside it we do three things of our own, for its hooks would do them for every request and
 *  every route: sessions are opened when they are asked for (`decryptSession`, its way in for requests that its hooks do not
 *  see), `Set-Cookie` goes to the answer of the pipeline, and a session that was destroyed meanwhile is never inserted again. */
import { callbackify } from 'node:util'
import { fastifyCookie, Signer } from '@fastify/cookie'
import fastifySession, {
  type FastifySessionObject,
  type SessionStore as LibraryStore,
} from '@fastify/session'
import type { FastifyInstance, Session } from 'fastify'
import type { SessionStore } from '../../contract/session-store.ts'
import type { Clock } from '../../contract/store.ts'

export interface SessionOptions {
  readonly cookieName: string
  /** The first signs, all verify; each at least 32 bytes. */
  readonly secrets: readonly string[]
  /** Whether the public address is https: the cookie is then `Secure`. */
  readonly secure: boolean
  readonly store: SessionStore
  readonly clock: Clock
}

declare module 'fastify' {
  interface Session {
    /** Under one name, so that no value shadows a member of the library's object. */
    values?: Record<string, unknown>
    /** Whether the store has it: it is then updated, never inserted again. */
    isStored?: boolean
  }
}

export interface SessionLibrary {
  /** The session that a signed cookie names; a new one when it names none. Rejects when the store does. */
  read(cookie: string): Promise<FastifySessionObject>
  create(): FastifySessionObject
}

/** Registers the library in a room of its own, so that its hooks cover no route and an application may register it too. */
export async function loadSessionLibrary(
  app: FastifyInstance,
  { secrets, store, clock }: SessionOptions,
): Promise<SessionLibrary> {
  let scope = app
  await app.register(async (own) => {
    scope = own
    await scope.register(fastifyCookie, { hook: false })
    const secret = new Signer([...secrets]) // given its texts the library requires a package that it does not name
    await scope.register(fastifySession, { secret, store: libraryStore(store, clock) })
  })
  return {
    read: (cookie) =>
      new Promise((resolve, reject) => {
        const request = new SessionRequest()
        scope.decryptSession(cookie, request, (error) => (error ? reject(error) : resolve(request.opened)))
      }),
    create: () => {
      const request = new SessionRequest()
      scope.decryptSession('', request, () => {}) // not signed: nothing is read, and nothing waited for
      return request.opened
    },
  }
}

/** What the library takes for the request. */
class SessionRequest {
  session: FastifySessionObject | null = null

  get opened(): FastifySessionObject {
    if (this.session === null) throw new Error('the library has opened no session')
    return this.session
  }
}

/** What was read has been destroyed since, by signing out; it does not come back. */
export class SessionGone extends Error {}

const anonymousSeconds = 600
const signedInSeconds = 8 * 3600

function libraryStore(store: SessionStore, clock: Clock): LibraryStore {
  const read = async (id: string): Promise<Session | null> => {
    const data = await store.readSession(id)
    if (data === null) return null
    const values = Object.assign(Object.create(null), data) // without a prototype: any name is only a name
    return { values, isStored: true, cookie: { originalMaxAge: null } }
  }
  const write = async (id: string, session: Session): Promise<void> => {
    const data = { ...session.values }
    const expiresAt = clock() + 1000 * ('user_id' in data ? signedInSeconds : anonymousSeconds)
    if (session.isStored !== true) await store.writeSession(id, data, expiresAt)
    else if (!(await store.updateSession(id, data, expiresAt))) throw new SessionGone()
    session.isStored = true
  }
  return {
    get: callbackify(read),
    set: callbackify(write),
    destroy: callbackify((id: string) => store.destroySession(id)),
  }
}
