/** The base class of every controller, and the `Rendered` value with which a method answers by itself.
 *  Source: annotations.md, Controllers at run time; specification, Exception handlers 4. */
import type { HttpRequest, McpCall, Services, ToolCallRequest } from '../contract.ts'

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

/** The headers that an answer will carry; entity headers are cleared when an exception handler takes over. */
export class ResponseHeaders {
  readonly #values = new Map<string, string>()
  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), value)
  }
  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null
  }
  /** Removes what describes the body that will not be sent (specification, Exception handlers; reference W6). */
  clearEntityHeaders(): void {
    for (const name of this.#values.keys()) {
      if (name.startsWith('content-') || entityHeaders.has(name)) this.#values.delete(name)
    }
  }
  toRecord(): Record<string, string> {
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

/** The tool call that a route runs for, or null over HTTP. */
export function mcpCallOf(request: HttpRequest): McpCall | null {
  const call: HttpRequest & Partial<ToolCallRequest> = request
  return call.mcp ?? null
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

  /** The MCP client whose tool call this instance answers, or null over HTTP. */
  get mcp(): McpCall | null {
    return mcpCallOf(this.context.request)
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
  return [{ kind: 'bytes', bytes: Buffer.from(options.body) }, type]
}
