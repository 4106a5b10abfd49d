/** `@fastify/session` without its registration: its two hooks, and our store as it wants one. */
import type { SerializeOptions } from '@fastify/cookie'
import fastifySession, { type FastifySessionObject } from '@fastify/session'
import type { FastifyInstance } from 'fastify'
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

const anonymousSeconds = 600
const signedInSeconds = 8 * 3600

export type Values = Record<string, unknown>

/** The library's session object: our values hang on it under one name, so that none can shadow its own members. */
export interface LibrarySession {
  readonly sessionId: string
  readonly encryptedSessionId: string
  readonly cookie: { toJSON(): SerializeOptions }
  values?: Values
}

/** What the library's hooks take for the request and the reply. TLS may end before this process: the base URL alone says
 *  what the browser speaks, and the library writes a `Secure` cookie only to a request that it takes for https. */
export interface Carrier {
  readonly cookies: Record<string, string | undefined>
  readonly raw: { readonly url: '/' }
  readonly protocol: 'http' | 'https'
  session: LibrarySession | null
}

export interface ReplyOfHooks {
  setCookie(name: string, value: string, options: SerializeOptions): void
  clearCookie(name: string, options: SerializeOptions): void
}

export interface LibraryHooks {
  onRequest(carrier: Carrier, reply: null, done: Callback): void
  onSend(carrier: Carrier, reply: ReplyOfHooks, payload: null, done: Callback): void
}

/** The library adds its hooks to an instance: this one only keeps them. */
export function libraryHooks(options: SessionOptions): LibraryHooks {
  const hooks: Record<string, unknown> = {}
  const instance = {
    decorate: () => instance,
    decorateRequest: () => instance,
    addHook: (name: string, hook: unknown) => {
      hooks[name] = hook
    },
  }
  const settings = {
    cookieName: options.cookieName,
    secret: [...options.secrets],
    cookie: { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: options.secure },
    saveUninitialized: false,
    rolling: false,
    store: storeAdapter(options),
  }
  // the three members are all that the library uses of an instance
  fastifySession(instance as unknown as FastifyInstance, settings, (error) => {
    if (error) throw error
  })
  return hooks as unknown as LibraryHooks // as the library declares its hooks
}

export function carrierOf({ cookieName, secure }: SessionOptions, cookie: string | undefined): Carrier {
  return {
    cookies: cookie === undefined ? {} : { [cookieName]: cookie },
    raw: { url: '/' },
    protocol: secure ? 'https' : 'http',
    session: null,
  }
}

/** What was read has been destroyed since, by signing out; it does not come back. */
export class SessionGone extends Error {}

export type Callback = (error?: unknown) => void
type ReadCallback = (error: unknown, session?: FastifySessionObject | null) => void

function storeAdapter({ store, clock }: SessionOptions): {
  get(id: string, callback: ReadCallback): void
  set(id: string, session: object, callback: Callback): void
  destroy(id: string, callback: Callback): void
} {
  const expiry = (data: Readonly<Record<string, unknown>>): number =>
    clock() + 1000 * ('user_id' in data ? signedInSeconds : anonymousSeconds)
  const stored = new WeakSet<Values>() // of sessions that the store has: updated, never inserted again
  return {
    get: (id, callback) =>
      settle(store.readSession(id), (error, data) => {
        const values: Values | null = data ? Object.assign(Object.create(null), data) : null
        if (values !== null) stored.add(values)
        // the plugin turns any record into its session object
        callback(error, (values === null ? null : { values }) as unknown as FastifySessionObject | null)
      }),
    set: (id, session, callback) => {
      const { values = {} } = session as LibrarySession // the library hands back the object that it made
      const data = { ...values }
      const isKnown = stored.has(values)
      stored.add(values)
      if (!isKnown) return settle(store.writeSession(id, data, expiry(data)), callback)
      settle(store.updateSession(id, data, expiry(data)), (error, isThere) =>
        callback(error ?? (isThere === true ? null : new SessionGone())),
      )
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
