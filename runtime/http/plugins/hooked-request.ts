/** A tool call's request as hooks of plugins have left it: headers, path values and body are what a request over HTTP would
 *  have now, all else is the caller's. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpRequest, RequestBody } from '../../contract/http.ts'
import type { McpCall, ToolCallRequest } from '../../contract/mcp.ts'
import { cookiesOf } from '../input/cookies.ts'
import { UnreadBody } from '../input/lazy-body.ts'
import { toolCallOf } from '../pipeline/controller.ts'
import { whenGone } from '../pipeline/on-disconnect.ts'
import type { InjectedCall } from './inject.ts'

/** What the route of `call` is given. A body that a hook has put in place of the sent one is read within `limitBytes`. */
export function hookedRequest(call: InjectedCall, place: HookedPlace): HttpRequest {
  const { raw, params } = place.request
  const parts = {
    headers: call.headersAfterHooks(raw),
    params: params as HttpRequest['params'], // texts, compared with the call's
    body: replacedBody(place) ?? call.request.body,
  }
  const toolCall = toolCallOf(call.request)
  return toolCall === null ? new HookedRequest(call.request, parts) : new HookedToolCall(toolCall, parts)
}

/** Where it arrived. */
interface HookedPlace {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly limitBytes: number
}

/** Null where no hook answered another stream. */
function replacedBody({ request, reply, limitBytes }: HookedPlace): RequestBody | null {
  const { raw, body } = request
  if (body === undefined || body === raw) return null
  const payload = body as Readable // what a `preParsing` hook answered (plugins.ts)
  return new UnreadBody({ headers: raw.headers, payload, response: reply.raw, limitBytes, isHooked: true })
}

type Parts = Pick<HttpRequest, 'headers' | 'params' | 'body'>

class HookedRequest implements HttpRequest {
  readonly headers: HttpRequest['headers']
  readonly params: HttpRequest['params']
  readonly body: RequestBody
  readonly #sent: HttpRequest

  constructor(sent: HttpRequest, { headers, params, body }: Parts) {
    this.#sent = sent
    this.headers = headers
    this.params = params
    this.body = body
  }

  get id(): string {
    return this.#sent.id
  }

  get method(): string {
    return this.#sent.method
  }

  get url(): string {
    return this.#sent.url
  }

  get path(): string {
    return this.#sent.path
  }

  get query(): URLSearchParams {
    return this.#sent.query
  }

  get cookies(): HttpRequest['cookies'] {
    return cookiesOf(this.headers)
  }

  get ip(): string {
    return this.#sent.ip
  }

  get session(): HttpRequest['session'] {
    return this.#sent.session
  }

  get signal(): AbortSignal {
    return this.#sent.signal
  }

  whenGone(gone: () => void): () => void {
    return whenGone(this.#sent, gone)
  }
}

class HookedToolCall extends HookedRequest implements ToolCallRequest {
  readonly #call: ToolCallRequest

  constructor(call: ToolCallRequest, parts: Parts) {
    super(call, parts)
    this.#call = call
  }

  get mcp(): McpCall {
    return this.#call.mcp
  }

  get mistake(): Error | null {
    return this.#call.mistake
  }

  raise(error: Error): void {
    this.#call.raise(error)
  }
}
