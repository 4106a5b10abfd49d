/** Browser sessions: `@fastify/session` over our own store. Source: reference/oauth-and-storage, 3.6; decisions.md,
 *  Easy to miss (cookie name and secret are settings). */
import fastifyCookie from '@fastify/cookie'
import fastifySession, { type FastifySessionObject } from '@fastify/session'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock, Session, SessionStore } from '../contract.ts'

export interface SessionOptions {
  readonly cookieName: string
  /** The first signs, all verify; each at least 32 bytes. */
  readonly secrets: readonly string[]
  /** Whether the public address is https: the cookie is then `Secure`. */
  readonly secure: boolean
  readonly store: SessionStore
  readonly clock: Clock
}

const anonymousSeconds = 600
const signedInSeconds = 8 * 3600

/** Registers cookies and sessions on `app`. */
export async function registerSessions(app: FastifyInstance, options: SessionOptions): Promise<void> {
  await app.register(fastifyCookie)
  if (options.secure) app.addHook('onRequest', async (request) => declareHttps(request))
  await app.register(fastifySession, {
    cookieName: options.cookieName,
    secret: [...options.secrets],
    cookie: { path: '/', httpOnly: true, sameSite: 'lax', secure: options.secure },
    saveUninitialized: false,
    rolling: false,
    store: storeAdapter(options),
  })
}

/** TLS may end before this process; the base URL alone says what the browser speaks, and the session plugin writes a
 *  `Secure` cookie only to a request that it takes for https. */
function declareHttps(request: FastifyRequest): void {
  Object.defineProperty(request, 'protocol', { value: 'https' })
}

type Callback = (error?: unknown) => void
type ReadCallback = (error: unknown, session?: FastifySessionObject | null) => void

function storeAdapter({ store, clock }: SessionOptions): {
  get(id: string, callback: ReadCallback): void
  set(id: string, session: object, callback: Callback): void
  destroy(id: string, callback: Callback): void
} {
  const expiry = (data: Readonly<Record<string, unknown>>): number =>
    clock() + 1000 * ('user_id' in data ? signedInSeconds : anonymousSeconds)
  return {
    get: (id, callback) =>
      settle(store.readSession(id), (error, data) =>
        // the plugin turns any record into its session object
        callback(error, data as unknown as FastifySessionObject | null),
      ),
    set: (id, session, callback) => {
      const { cookie: _, ...data } = JSON.parse(JSON.stringify(session))
      settle(store.writeSession(id, data, expiry(data)), callback)
    },
    destroy: (id, callback) => settle(store.destroySession(id), callback),
  }
}

function settle<T>(work: Promise<T>, callback: (error: unknown, value?: T) => void): void {
  work.then(
    (value) => callback(null, value),
    (error: unknown) => callback(error),
  )
}

/** The session of a request, behind the contract's four verbs. */
export function sessionOf(request: FastifyRequest): Session {
  return {
    get: (name) => request.session.get(name as never), // the plugin types names by declaration merging; ours are open
    set: (name, value) => request.session.set(name as never, value as never), // likewise
    remove: (name) => request.session.set(name as never, undefined as never), // likewise; JSON drops it
    regenerate: () => request.session.regenerate(),
  }
}
