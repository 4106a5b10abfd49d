/** The headers that an answer will carry, as filters and methods collect them. */
// Source: language.md, Controllers at run time.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { CookieOptions } from '../../contract/application.ts'
import type { HttpRequest, HttpResponse } from '../../contract/http.ts'
import { setCookieText } from '../input/cookies.ts'
import { discard } from './byte-stream.ts'

/** RFC 9110, sections 8 and 14, and what goes with a body by other standards. `Content-Security-Policy` is none. */
const entityHeaders = new Set([
  'accept-ranges',
  'content-digest',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-md5',
  'content-range',
  'content-type',
  'etag',
  'expires',
  'last-modified',
])

/** Whether a header, in lower case, describes the body of its answer. */
export const isEntityHeader = (name: string): boolean => entityHeaders.has(name)

const cookieDefaults: CookieOptions = { path: '/', httpOnly: true, sameSite: 'lax' }

/** Entity headers are cleared when an exception handler takes over. Names are compared without case. */
export class ResponseHeaders {
  readonly #values = new Map<string, string | readonly string[]>()

  /** Throws for a name or value that HTTP cannot carry. */
  set(name: string, value: string): void {
    this.#write(name, value)
  }

  /** Adds a further line of the same name. */
  append(name: string, value: string): void {
    const known = this.#values.get(name.toLowerCase())
    this.#write(name, value, known === undefined ? value : [known, value].flat())
  }

  /** Sends a cookie; unless told otherwise for every path, out of reach of scripts, and not with foreign posts. */
  setCookie(name: string, value: string, options: CookieOptions = {}): void {
    this.append('set-cookie', setCookieText(name, value, { ...cookieDefaults, ...options }))
  }

  /** Makes the browser forget a cookie; `path` and `domain` must be those it was set with. */
  clearCookie(name: string, options: CookieOptions = {}): void {
    this.setCookie(name, '', { ...options, expires: new Date(0), maxAge: 0 })
  }

  /** All that is set, by name in lower case. */
  get all(): ReadonlyMap<string, string | readonly string[]> {
    return this.#values
  }

  /** Lines of the same name are joined. */
  get(name: string): string | null {
    const value = this.#values.get(name.toLowerCase())
    if (value === undefined) return null
    return typeof value === 'string' ? value : value.join(', ')
  }

  /** The named headers that are set, without those that describe the body. */
  only(names: readonly string[]): HttpResponse['headers'] {
    const wanted = new Set(names.map((name) => name.toLowerCase()))
    const found = [...this.#values].filter(([name]) => wanted.has(name) && !isEntityHeader(name))
    return Object.fromEntries(found)
  }

  /** Removes what describes the body that will not be sent. */
  // Source: rules.md, Exception handlers.
  clearEntityHeaders(): void {
    for (const name of this.#values.keys()) {
      if (isEntityHeader(name)) this.#values.delete(name)
    }
  }

  /** `outcome` with these headers; where both have one, the outcome's own stands, but cookies are all kept. */
  complete(outcome: HttpResponse): HttpResponse {
    const collected = this.#values
    if (collected.size === 0) return outcome
    const headers = { ...Object.fromEntries(collected), ...outcome.headers }
    const cookies = [collected.get('set-cookie') ?? [], outcome.headers['set-cookie'] ?? []].flat()
    if (cookies.length > 0) headers['set-cookie'] = cookies
    return { ...outcome, headers }
  }

  #write(name: string, value: string, values: string | readonly string[] = value): void {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    this.#values.set(name.toLowerCase(), values)
  }
}

/** The same answer. Throws for a header that HTTP cannot carry; a stream is then closed. */
export function checkedResponse(outcome: HttpResponse): HttpResponse {
  try {
    checkHeaders(outcome.headers)
  } catch (error) {
    discard(outcome)
    throw error
  }
  return outcome
}

function checkHeaders(headers: HttpResponse['headers']): void {
  for (const name in headers) checkHeader(name, headers[name] ?? '')
}

function checkHeader(name: string, value: string | readonly string[]): void {
  validateHeaderName(name)
  if (typeof value === 'string') validateHeaderValue(name, value)
  else for (const line of value) validateHeaderValue(name, line)
}

/** Whether HTTP can carry the header; of a plugin's it may be a number too. */
export function isValidHeader(name: string, value: unknown): boolean {
  try {
    checkHeader(name, Array.isArray(value) ? value.map(String) : String(value))
    return true
  } catch {
    return false
  }
}

const remembered = new WeakMap<HttpRequest, ResponseHeaders>()

/** Keeps the headers of a request that failed, for the error handler. */
export function rememberHeaders(request: HttpRequest, headers: ResponseHeaders): void {
  remembered.set(request, headers)
}

/** The headers that a controller had set on the answer to `request` before it failed; null when none was made for it. */
export function responseHeadersOf(request: HttpRequest): ResponseHeaders | null {
  return remembered.get(request) ?? null
}
