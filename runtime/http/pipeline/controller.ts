/** The base class of every controller, and the `Rendered` value with which a method answers by itself. See
 *  templates/docs/controllers.md. */
// Source: language.md, Controllers at run time; rules.md, Exception handlers 4.
import type { HttpRequest, HttpResponse, MaybePromise } from '../../contract/http.ts'
import type { IdempotentCall } from '../../contract/idempotent-call.ts'
import type { McpCall, ToolCallRequest } from '../../contract/mcp.ts'
import type { Access } from '../../contract/scopes.ts'
import type { Services } from '../../contract/store.ts'
import { encodedText } from '../input/media-type.ts'
import { isStreamLike, type StreamLike } from '../output/byte-stream.ts'
import type { FileOptions } from '../output/files.ts'
import type { ResponseHeaders } from '../output/response-headers.ts'

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
  | { readonly kind: 'blob'; readonly blob: Blob }
  | { readonly kind: 'stream'; readonly stream: StreamLike }
  | { readonly kind: 'events'; readonly events: AsyncIterable<unknown> }
  | { readonly kind: 'file'; readonly path: string; readonly options: FileOptions }
  | { readonly kind: 'answer'; readonly make: () => MaybePromise<HttpResponse> }

/** At most one of the body fields. */
export interface RenderOptions {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly yaml?: unknown
  readonly text?: string
  readonly html?: string
  /** Sent as it is; a stream consists of texts or bytes. */
  readonly body?: Uint8Array | string | Blob | StreamLike
  /** Server-Sent Events, one per item. */
  readonly events?: AsyncIterable<unknown>
  /** The type of `body`. */
  readonly contentType?: string
}

/** What the runtime gives to a controller instance. */
export interface Context {
  readonly request: HttpRequest
  readonly response: ResponseHeaders
  readonly services: Services
  /** Throws when it could not be found out. */
  readonly access: Access | null
  requireScopes(names: readonly string[]): void
  /** Throws where the route has no `@idempotencyKey`. */
  readonly idempotency: IdempotentCall
}

/** Ties a fresh controller instance to its request. Called by the pipeline only. */
export let attach: (controller: object, context: Context) => void

/** The last answer that `controller` made with `render`, `head` or `redirectTo` since this was last asked. */
export let takeRendered: (controller: object) => Rendered | null

/** The request as a tool call, or null over HTTP. */
export function toolCallOf(request: HttpRequest): ToolCallRequest | null {
  return isToolCall(request) ? request : null
}

const isToolCall = (request: HttpRequest): request is ToolCallRequest => 'mcp' in request

/** One instance serves one request, so filters may set fields. */
export abstract class Controller {
  #context: Context | null = null
  #rendered: Rendered | null = null

  static {
    attach = (controller, context): void => {
      if (#context in controller) controller.#context = context
    }
    takeRendered = (controller): Rendered | null => {
      if (!(#rendered in controller)) return null
      const rendered = controller.#rendered
      controller.#rendered = null
      return rendered
    }
  }

  /** Request, response and services of this instance; throws when the instance was made by hand. */
  protected get context(): Context {
    if (this.#context === null)
      throw new Error('a controller is made by the route pipeline, once per request')
    return this.#context
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

  /** Whose the access token of the request is, and what it may do; null without a valid one. */
  get access(): Access | null {
    return this.context.access
  }

  /** Goes on only if the access token grants all of these scopes; else the request is answered as the guard of `@scope` does: 401
   *  or 403, whatever the exception handlers say. Throws, so that nothing need be awaited; to be called before anything is
   *  rendered. */
  // Source: decisions/http.md, The guard of scopes.
  requireScopes(...names: readonly string[]): void {
    this.context.requireScopes(names)
  }

  /** The MCP client whose tool call this instance answers, or null over HTTP. */
  get mcp(): McpCall | null {
    return toolCallOf(this.request)?.mcp ?? null
  }

  /** The idempotency key of this call; a route with `@idempotencyKey transaction` marks it in the transaction that holds its effects. Throws
   *  where the route has no such tag. */
  // Source: decisions/http.md, Idempotency.
  get idempotency(): IdempotentCall {
    return this.context.idempotency
  }

  /** An answer with a status (200 by default) and a body. An action or filter must return it; in an exception handler
   *  the call alone decides. */
  // Source: rules.md, Exception handlers 4 and 9.
  render(options: RenderOptions): Rendered {
    const [content, type] = contentOf(options)
    return this.#keep(new Rendered(options.status ?? 200, content, type, options.headers ?? {}))
  }

  /** An answer without a body. */
  head(status: number): Rendered {
    return this.#keep(new Rendered(status, { kind: 'none' }))
  }

  /** The file at `path` with its type, length and validators; conditional and range requests are answered from them.
   *  A missing file is `NotFound`. Where a part of `path` comes from a request, `root` must be given. */
  file(path: string, options: FileOptions = {}): Rendered {
    return this.#keep(new Rendered(200, { kind: 'file', path, options }))
  }

  redirectTo(address: string, status = 302): Rendered {
    return this.#keep(new Rendered(status, { kind: 'none' }, null, { location: address }))
  }

  #keep(rendered: Rendered): Rendered {
    this.#rendered = rendered
    return rendered
  }
}

function contentOf(options: RenderOptions): [RenderedContent, string | null] {
  if (options.json !== undefined) return [{ kind: 'json', value: options.json }, 'application/json']
  if (options.yaml !== undefined) return [{ kind: 'yaml', value: options.yaml }, 'application/yaml']
  if (options.text !== undefined) return [{ kind: 'text', text: options.text }, 'text/plain; charset=utf-8']
  if (options.html !== undefined) return [{ kind: 'text', text: options.html }, 'text/html; charset=utf-8']
  if (options.events !== undefined) return [{ kind: 'events', events: options.events }, null]
  if (options.body === undefined) return [{ kind: 'none' }, null]
  return bodyContent(options.body, options.contentType ?? null)
}

function bodyContent(
  body: NonNullable<RenderOptions['body']>,
  contentType: string | null,
): [RenderedContent, string | null] {
  if (body instanceof Blob) return [{ kind: 'blob', blob: body }, contentType]
  const type = contentType ?? 'application/octet-stream'
  if (typeof body === 'string') {
    const sent = encodedText(body, type)
    return [{ kind: 'bytes', bytes: Buffer.from(sent.body) }, sent.contentType]
  }
  if (isStreamLike(body)) return [{ kind: 'stream', stream: body }, type]
  return [{ kind: 'bytes', bytes: body }, type]
}
