/** Browser sessions: opened only for a request that carries the session cookie or whose handler touches the session.
 *  Source: decisions/http.md, Sessions; rules.md, Authorization server settings. */
import type { FastifySessionObject } from '@fastify/session'
import type { FastifyInstance } from 'fastify'
import type { HeaderMap, Session } from '../../contract/http.ts'
import { cookiesOf, setCookieText } from '../input/cookies.ts'
import {
  loadSessionLibrary,
  SessionGone,
  type SessionLibrary,
  type SessionOptions,
} from './session-library.ts'
import { assertSessionValue } from './session-value.ts'
import { SessionTooLate } from './too-late.ts'

/** The session of one request, and what the transport does with it around the route. */
export interface BrowserSession extends Session {
  /** Whether the request carries the session cookie: it is then read before the route runs. */
  readonly hasCookie: boolean
  /** Whether anything was read or changed, so that it may have to be saved. */
  readonly isOpen: boolean
  read(): Promise<void>
  /** The head of the answer has left: from now on a session that the client knows is written with each change, and `failed` hears of one that
   *  was not; in a new one nothing can be set. */
  headSent(failed: (error: unknown) => void): void
  /** Writes what has changed; the `Set-Cookie` lines that the answer needs. */
  save(): Promise<readonly string[]>
}

export type OpenSession = (headers: HeaderMap) => BrowserSession

/** Makes the sessions of an application. */
export async function createSessions(app: FastifyInstance, options: SessionOptions): Promise<OpenSession> {
  const library = await loadSessionLibrary(app, options)
  const cookie: SessionCookie = { name: options.cookieName, secure: options.secure }
  return (headers) => new LazySession(library, cookie, headers)
}

interface SessionCookie {
  readonly name: string
  readonly secure: boolean
}

class LazySession implements BrowserSession {
  readonly hasCookie: boolean
  readonly #library: SessionLibrary
  readonly #cookie: SessionCookie
  readonly #headers: HeaderMap
  /** The value of the cookie that was read. */
  #sent = ''
  #session: FastifySessionObject | null = null
  /** Null until the head of the answer has left. */
  #failed: ((error: unknown) => void) | null = null
  /** The last write since then, which waits for those before. */
  #stored: Promise<unknown> = Promise.resolve()
  #isWriting = false

  constructor(library: SessionLibrary, cookie: SessionCookie, headers: HeaderMap) {
    this.#library = library
    this.#cookie = cookie
    this.#headers = headers
    this.hasCookie = String(headers.cookie ?? '').includes(`${cookie.name}=`)
  }

  get isOpen(): boolean {
    return this.#session !== null
  }

  async read(): Promise<void> {
    this.#sent = cookiesOf(this.#headers)[this.#cookie.name] ?? ''
    this.#session = await this.#library.read(this.#sent)
  }

  get(name: string): unknown {
    return this.#opened.values?.[name]
  }

  set(name: string, value: unknown): void {
    assertSessionValue(name, value)
    this.assertKept(name)
    const session = this.#opened
    const values: Record<string, unknown> = session.values ?? Object.create(null) // any name is only a name
    values[name] = value
    session.values = values
    this.#storeLate()
  }

  remove(name: string): void {
    delete this.#opened.values?.[name]
    this.#storeLate()
  }

  assertKept(name: string): void {
    if (this.#failed === null || this.#opened.isStored === true) return
    throw new SessionTooLate(name)
  }

  headSent(failed: (error: unknown) => void): void {
    this.#failed = failed
    if (this.#session?.isModified() !== true) return
    if (this.#session.isStored === true) this.#storeLate()
    else failed(new SessionTooLate(Object.keys(this.#session.values ?? {}).join(', ')))
  }

  stored(): Promise<unknown> | null {
    return this.#failed === null ? null : this.#stored
  }

  /** The library's own would write the new session at once, empty. */
  async regenerate(): Promise<void> {
    if (this.#opened.isStored === true) await this.#opened.destroy()
    this.#session = this.#library.create()
  }

  async save(): Promise<readonly string[]> {
    const session = this.#opened
    if (session.isModified()) return (await wasWritten(session)) ? [this.#cookieLine(session)] : []
    if (this.#sent === '' || this.#sent === session.encryptedSessionId) return []
    // signed by an older secret: by the present one from now on
    return [session.isStored === true ? this.#cookieLine(session) : this.#forgettingLine()]
  }

  /** What changes in one go is one write. */
  #storeLate(): void {
    if (this.#failed === null || this.#isWriting || this.#opened.isStored !== true) return
    this.#isWriting = true
    const write = (): Promise<boolean> => {
      this.#isWriting = false
      return wasWritten(this.#opened)
    }
    this.#stored = this.#stored.then(write, write)
    this.#stored.catch(this.#failed)
  }

  #cookieLine({ encryptedSessionId }: FastifySessionObject): string {
    const { name, secure } = this.#cookie
    return setCookieText(name, encryptedSessionId, { path: '/', httpOnly: true, sameSite: 'lax', secure })
  }

  /** A browser ignores a `__Host-` line that is not Secure. */
  #forgettingLine(): string {
    const { name, secure } = this.#cookie
    return setCookieText(name, '', { path: '/', secure, expires: new Date(0), maxAge: 0 })
  }

  get #opened(): FastifySessionObject {
    this.#session ??= this.#library.create()
    return this.#session
  }
}

/** False for one that was destroyed meanwhile. */
async function wasWritten(session: FastifySessionObject): Promise<boolean> {
  try {
    await session.save()
    return true
  } catch (error) {
    if (error instanceof SessionGone) return false
    throw error
  }
}
