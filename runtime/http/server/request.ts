/** An HTTP request as the pipeline sees it: everything that costs is made when the pipeline asks for it. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EndedBy, HeaderMap, HttpRequest, RequestBody } from '../../contract/http.ts'
import { type Decision, keepDecision, type LoggedRequest } from '../access/decision.ts'
import { type Cookies, cookiesOf } from '../input/cookies.ts'
import { LazyBody } from '../input/lazy-body.ts'
import { watchedOf } from '../log/watched-requests.ts'
import { isAsSent } from '../plugins/plugins.ts'
import type { BrowserSession, OpenSession } from '../session/session.ts'
import { plainAddress } from './client-address.ts'
import type { Closing } from './close.ts'

export interface RequestOptions {
  readonly openSession: OpenSession
  readonly bodyLimitBytes: number
  /** Whether hooks of plugins may listen to the request and the answer. */
  readonly isHooked: boolean
  /** Whether the server ends, and when it has waited long enough. */
  readonly closing: Pick<Closing, 'isClosing' | 'whenImpatient'>
}

export class FastifyHttpRequest implements HttpRequest, LoggedRequest {
  readonly method: string
  readonly url: string
  readonly params: HttpRequest['params']
  readonly headers: HeaderMap
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #options: RequestOptions
  #body: LazyBody | null = null
  #query: URLSearchParams | null = null
  #cookies: Cookies | null = null
  #session: BrowserSession | null = null
  #isHeadSent = false
  #gone: AbortController | null = null

  constructor(request: FastifyRequest, reply: FastifyReply, options: RequestOptions) {
    const { raw } = request
    this.#request = request
    this.#reply = reply
    this.#options = options
    this.method = raw.method ?? 'GET'
    this.url = options.isHooked ? request.originalUrl : (raw.url ?? '/') // hooks may have written another
    this.params = request.params as HttpRequest['params'] // Fastify fills it from the path: strings
    this.headers = raw.headers
  }

  get body(): RequestBody {
    const { raw, body } = this.#request
    const isReplaced = body !== undefined && body !== raw
    this.#body ??= new LazyBody({
      headers: raw.headers,
      payload: (body ?? raw) as Readable, // what hooks made of the body, as a stream (plugins.ts)
      isReplaced,
      isEncoded: !isReplaced || isAsSent(body),
      response: this.#reply.raw,
      limitBytes: this.#options.bodyLimitBytes,
      isHooked: this.#options.isHooked,
    })
    return this.#body
  }

  get id(): string {
    return String(this.#request.id)
  }

  get ip(): string {
    const { ip, raw } = this.#request
    return plainAddress(ip) ?? raw.socket.remoteAddress ?? ''
  }

  get path(): string {
    const mark = this.url.indexOf('?')
    return mark === -1 ? this.url : this.url.slice(0, mark)
  }

  get query(): URLSearchParams {
    const mark = this.url.indexOf('?')
    this.#query ??= new URLSearchParams(mark === -1 ? '' : this.url.slice(mark + 1))
    return this.#query
  }

  get cookies(): Cookies {
    this.#cookies ??= cookiesOf(this.headers)
    return this.#cookies
  }

  get session(): BrowserSession {
    if (this.#session === null) {
      this.#session = this.#options.openSession(this.headers)
      if (this.#isHeadSent) this.headSent()
    }
    return this.#session
  }

  /** The head of the answer has left: what changes in the session from now on is stored at once, or refused. */
  headSent(): void {
    this.#isHeadSent = true
    const { log } = this.#reply
    this.#session?.headSent((err) => log.error({ err }, 'what changed in a session is lost'))
  }

  /** The session if the route asked for it or the request carries its cookie; else null. */
  get sessionIfPresent(): BrowserSession | null {
    if (this.#session !== null) return this.#session
    if (this.headers.cookie === undefined) return null
    return this.session.hasCookie ? this.#session : null
  }

  /** Of its span, 32 hexadecimal digits; null where there is none. */
  get traceId(): string | null {
    return watchedOf(this.#request)?.traceId ?? null
  }

  noteDecision(decision: Decision): void {
    keepDecision(this.#request, decision)
  }

  get signal(): AbortSignal {
    if (this.#gone !== null) return this.#gone.signal
    const gone = new AbortController()
    this.#gone = gone
    this.onDisconnect(() => gone.abort())
    return gone.signal
  }

  expire(): void {
    this.#gone ??= new AbortController()
    this.#gone.abort()
  }

  onDisconnect(gone: (by: EndedBy) => void): () => void {
    const response = this.#reply.raw
    const { closing } = this.#options
    let isNotified = false
    const notify = (by: EndedBy): void => {
      if (isNotified) return
      isNotified = true
      gone(by)
    }
    const check = (): void => {
      forget()
      // the events of a server that ends are complete before the client has gone
      if (!response.writableFinished || closing.isClosing) notify('client')
    }
    const forget = closing.whenImpatient(() => notify('server'))
    if (response.destroyed) check()
    else response.once('close', check)
    return () => {
      forget()
      response.off('close', check)
    }
  }
}
