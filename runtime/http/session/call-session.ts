/** The session as a tool call sees it: what the route does to it is the client's when the route has answered, and dropped when
 *  it failed, as over HTTP. Source: rules.md, Unhandled exceptions. */
import type { HttpRequest, Session } from '../../contract/http.ts'
import { toolCallOf } from '../pipeline/controller.ts'
import { assertSessionValue } from './session-value.ts'

interface Entry {
  /** As JSON, which is how sessions are kept. */
  readonly before: string | undefined
  now: unknown
}

/** Each call of a batch has one of its own over the session of the request. */
export class CallSession implements Session {
  readonly #shared: Session
  readonly #entries = new Map<string, Entry>()
  #isDropped = false

  constructor(shared: Session) {
    this.#shared = shared
  }

  get(name: string): unknown {
    return this.#entryOf(name).now
  }

  set(name: string, value: unknown): void {
    assertSessionValue(name, value)
    this.#shared.assertKept?.(name)
    this.#entryOf(name).now = value
  }

  remove(name: string): void {
    this.#entryOf(name).now = undefined
  }

  /** At once, as over HTTP: an id that was given up stays so. */
  async regenerate(): Promise<void> {
    await this.#shared.regenerate()
    this.#entries.clear()
  }

  async read(): Promise<void> {
    await this.#shared.read?.()
    this.#entries.clear()
  }

  /** Hands over what has changed, unless it was dropped. Returns what stores it, where that is not done with the answer. */
  commit(): Promise<unknown> | null {
    if (this.#isDropped) return null
    for (const [name, { before, now }] of this.#entries) {
      if (JSON.stringify(now) === before) continue
      if (now === undefined) this.#shared.remove(name)
      else this.#shared.set(name, now)
    }
    this.#entries.clear()
    return this.#shared.stored?.() ?? null
  }

  /** Nothing will be handed over. */
  drop(): void {
    this.#isDropped = true
  }

  #entryOf(name: string): Entry {
    const known = this.#entries.get(name)
    if (known !== undefined) return known
    const before = JSON.stringify(this.#shared.get(name))
    const entry = { before, now: before === undefined ? undefined : JSON.parse(before) }
    this.#entries.set(name, entry)
    return entry
  }
}

/** Whether what a failing route did to its session survives with its cookie. */
export const keepsCookies = (keepHeaders: readonly string[]): boolean =>
  keepHeaders.some((name) => name.toLowerCase() === 'set-cookie')

/** Drops what a tool call did to its session. */
export function dropCallSession(request: HttpRequest): void {
  const session = toolCallOf(request)?.session
  if (session instanceof CallSession) session.drop()
}
