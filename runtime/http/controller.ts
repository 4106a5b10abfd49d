/** The base class of every controller, and the `Rendered` value with which a method answers by itself.
 *  Source: annotations.md, Controllers at run time; specification, Exception handlers 4. */
import type { SerializeOptions } from '@fastify/cookie'
import type { HttpRequest, Services } from '../contract.ts'
import { setCookieText } from './cookies.ts'
import { type Socket, socketOf } from './socket.ts'

/** An answer that a method made itself; it must be returned. Bodies are text or bytes already. */
export class Rendered {
  readonly status: number
  readonly contentType: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly content: RenderedContent
  constructor(
    status: number,
    content: RenderedContent,
    contentType: string | null = null,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.status = status
    this.content = content
    this.contentType = contentType
    this.headers = headers
  }
}

export type RenderedContent =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'json' | 'yaml'; readonly value: unknown }

/** At most one of the body fields. */
export interface RenderOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly yaml?: unknown
  readonly text?: string
  readonly html?: string
  readonly body?: Uint8Array | string
  /** The type of `body`. */
  readonly contentType?: string
}

export type CookieOptions = SerializeOptions

const cookieDefaults: CookieOptions = { path: '/', httpOnly: true, sameSite: 'lax' }

/** The headers that an answer will carry; entity headers are cleared when an exception handler takes over. */
export class ResponseHeaders {
  readonly #values = new Map<string, string | readonly string[]>()
  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value)
  }
  /** Adds a further line of the same name. */
  append(name: string, value: string): void {
    const known = this.#values.get(name.toLowerCase())
    this.#values.set(name.toLowerCase(), known === undefined ? value : [known, value].flat())
  }
  /** Sends a cookie; unless told otherwise for every path, out of reach of scripts, and not with foreign posts. */
  setCookie(name: string, value: string, options: CookieOptions = {}): void {
    this.append('set-cookie', setCookieText(name, value, { ...cookieDefaults, ...options }))
  }
  /** Makes the browser forget a cookie; `path` and `domain` must be those it was set with. */
  clearCookie(name: string, options: CookieOptions = {}): void {
    this.setCookie(name, '', { ...options, expires: new Date(0), maxAge: 0 })
  }
  /** Lines of the same name are joined. */
  get(name: string): string | null {
    const value = this.#values.get(name.toLowerCase())
    if (value === undefined) return null
    return typeof value === 'string' ? value : value.join(', ')
  }
  /** Removes what describes the body that will not be sent (specification, Exception handlers; reference W6). */
  clearEntityHeaders(): void {
    for (const name of this.#values.keys()) {
      if (name.startsWith('content-') || entityHeaders.has(name)) this.#values.delete(name)
    }
  }
  toRecord(): Record<string, string | readonly string[]> {
    return Object.fromEntries(this.#values)
  }
}

const entityHeaders = new Set(['etag', 'last-modified', 'expires', 'accept-ranges'])

/** What the runtime gives to a controller instance. */
export interface Context {
  readonly request: HttpRequest
  readonly response: ResponseHeaders
  readonly services: Services
}

const contexts = new WeakMap<object, Context>()
const responses = new WeakMap<HttpRequest, ResponseHeaders>()

/** Ties a fresh controller instance to its request. Called by the pipeline only. */
export function attach(controller: object, context: Context): void {
  contexts.set(controller, context)
  responses.set(context.request, context.response)
}

/** The headers that a controller had set on the answer to `request`; null when none was made for it. */
export function responseHeadersOf(request: HttpRequest): ResponseHeaders | null {
  return responses.get(request) ?? null
}

/** One instance serves one request, so filters may set fields. */
export abstract class Controller {
  /** Request, response and services of this instance; throws when the instance was made by hand. */
  protected get context(): Context {
    const context = contexts.get(this)
    if (context === undefined) throw new Error('a controller is made by the route pipeline, once per request')
    return context
  }

  get request(): HttpRequest {
    return this.context.request
  }

  get response(): ResponseHeaders {
    return this.context.response
  }

  get services(): Services {
    return this.context.services
  }

  /** The accepted connection of a WebSocket route; throws elsewhere. */
  get socket(): Socket {
    const socket = socketOf(this.request)
    if (socket === null) throw new Error('only the action of a WebSocket route has a socket')
    return socket
  }

  /** An answer with a status (200 by default) and a body. It has no effect unless it is returned. */
  render(options: RenderOptions): Rendered {
    const [content, type] = contentOf(options)
    return new Rendered(options.status ?? 200, content, type, options.headers ?? {})
  }

  /** An answer without a body. */
  head(status: number): Rendered {
    return new Rendered(status, { kind: 'none' })
  }

  redirectTo(address: string, status = 302): Rendered {
    return new Rendered(status, { kind: 'none' }, null, { location: address })
  }
}

function contentOf(options: RenderOptions): [RenderedContent, string | null] {
  if (options.json !== undefined) return [{ kind: 'json', value: options.json }, 'application/json']
  if (options.yaml !== undefined) return [{ kind: 'yaml', value: options.yaml }, 'application/yaml']
  if (options.text !== undefined) return [{ kind: 'text', text: options.text }, 'text/plain; charset=utf-8']
  if (options.html !== undefined) return [{ kind: 'text', text: options.html }, 'text/html; charset=utf-8']
  if (options.body === undefined) return [{ kind: 'none' }, null]
  const type = options.contentType ?? 'application/octet-stream'
  if (typeof options.body === 'string') return [{ kind: 'text', text: options.body }, type]
  return [{ kind: 'bytes', bytes: options.body }, type]
}
