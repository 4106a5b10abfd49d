/** Browser sessions: `@fastify/session` over our own store. Its two hooks run only for a request that carries the session
 *  cookie or whose handler touches the session. Source: reference/oauth-and-storage, 3.6; decisions.md, Easy to miss
 *  (cookie name and secret are settings). */
import { fastifyCookie } from '@fastify/cookie'
import type { HeaderMap, Session } from '../../contract/http.ts'
import { cookiesOf, setCookieText } from '../input/cookies.ts'
import {
  type Callback,
  type Carrier,
  carrierOf,
  type LibraryHooks,
  libraryHooks,
  type ReplyOfHooks,
  SessionGone,
  type SessionOptions,
  type Values,
} from './session-library.ts'

/** The session of one request, and what the transport does with it around the route. */
export interface BrowserSession extends Session {
  /** Whether the request carries the session cookie: it is then read before the route runs. */
  readonly hasCookie: boolean
  /** Whether anything was read or changed, so that it may have to be saved. */
  readonly isOpen: boolean
  read(): Promise<void>
  /** Writes what has changed; the `Set-Cookie` lines that the answer needs. */
  save(): Promise<readonly string[]>
}

export type OpenSession = (headers: HeaderMap) => BrowserSession

/** Makes the sessions of an application. `loadCookies` must have run before the first request. */
export function createSessions(options: SessionOptions): OpenSession {
  const room = {
    options,
    hooks: libraryHooks(options),
    signer: fastifyCookie.signerFactory([...options.secrets]),
  }
  const mark = `${options.cookieName}=`
  return (headers) => {
    const { cookie } = headers
    return new LazySession(room, headers, cookie !== undefined && String(cookie).includes(mark))
  }
}

interface Room {
  readonly options: SessionOptions
  readonly hooks: LibraryHooks
  readonly signer: {
    sign(value: string): string
    unsign(text: string): { valid: boolean; renew: boolean; value: string | null }
  }
}

class LazySession implements BrowserSession {
  readonly hasCookie: boolean
  readonly #room: Room
  readonly #headers: HeaderMap
  #carrier: Carrier | null = null
  /** The id under which the store holds this session; null for a new one. */
  #storedId: string | null = null
  #isSignedAnew = false

  constructor(room: Room, headers: HeaderMap, hasCookie: boolean) {
    this.#room = room
    this.#headers = headers
    this.hasCookie = hasCookie
  }

  get isOpen(): boolean {
    return this.#carrier !== null
  }

  async read(): Promise<void> {
    const { options, hooks, signer } = this.#room
    const text = cookiesOf(this.#headers)[options.cookieName]
    const sent = signer.unsign(text ?? '')
    // the library takes a cookie that an older secret signed for a foreign one, so it sees the present signature
    const carried = sent.valid && sent.value !== null ? signer.sign(sent.value) : text
    this.#isSignedAnew = sent.valid && sent.renew
    const carrier = carrierOf(options, carried)
    await new Promise<void>((resolve, reject) => {
      hooks.onRequest(carrier, null, (error) => (error ? reject(error) : resolve()))
    })
    this.#carrier = carrier
    const found = carrier.session?.sessionId ?? null
    this.#storedId = sent.valid && found === sent.value ? found : null
  }

  get(name: string): unknown {
    return this.#open().session?.values?.[name]
  }

  set(name: string, value: unknown): void {
    const { session } = this.#open()
    if (session === null) return
    session.values ??= Object.create(null) as Values // without a prototype: any name is only a name
    session.values[name] = value
  }

  remove(name: string): void {
    delete this.#open().session?.values?.[name]
  }

  async regenerate(): Promise<void> {
    const { options, hooks } = this.#room
    const stored = this.#storedId
    if (stored !== null) await options.store.destroySession(stored)
    this.#storedId = null
    const fresh = carrierOf(options, undefined)
    hooks.onRequest(fresh, null, throwIfGiven)
    this.#open().session = fresh.session
  }

  async save(): Promise<readonly string[]> {
    const { options, hooks } = this.#room
    const carrier = this.#open()
    const lines: string[] = []
    const secure = options.secure
    const reply: ReplyOfHooks = {
      setCookie: (name, value, attributes) => lines.push(setCookieText(name, value, attributes)),
      // a browser ignores a `__Host-` line that is not Secure
      clearCookie: (name, attributes) =>
        lines.push(setCookieText(name, '', { ...attributes, secure, expires: new Date(0), maxAge: 0 })),
    }
    const isGone = await new Promise<boolean>((resolve, reject) => {
      hooks.onSend(carrier, reply, null, (error) => {
        if (error && !(error instanceof SessionGone)) reject(error)
        else resolve(error instanceof SessionGone)
      })
    })
    if (isGone) return []
    const { session } = carrier
    if (lines.length === 0 && this.#isSignedAnew && this.#storedId !== null && session !== null) {
      reply.setCookie(options.cookieName, session.encryptedSessionId, session.cookie.toJSON())
    }
    return lines
  }

  /** Without a cookie the library makes a new session at once. */
  #open(): Carrier {
    if (this.#carrier !== null) return this.#carrier
    const carrier = carrierOf(this.#room.options, undefined)
    this.#room.hooks.onRequest(carrier, null, throwIfGiven)
    this.#carrier = carrier
    return carrier
  }
}

const throwIfGiven: Callback = (error) => {
  if (error) throw error
}
