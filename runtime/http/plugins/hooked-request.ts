/** A tool call's request as hooks of plugins have left it: headers, path values and body are what a request over HTTP would
 *  have now, all else is the caller's. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HeaderMap, HttpRequest, RequestBody } from '../../contract/http.ts'
import type { JsonArguments, McpCall, ToolCallRequest } from '../../contract/mcp.ts'
import { LazyBody } from '../input/lazy-body.ts'
import { toolCallOf } from '../pipeline/controller.ts'
import { ForwardedRequest, type RequestParts } from '../pipeline/forwarded-request.ts'
import type { InjectedCall } from './inject.ts'

/** What the route of `call` is given. A body that a hook has put in place of the sent one is read within `limitBytes`. */
export function hookedRequest(call: InjectedCall, place: HookedPlace): HttpRequest {
  const { raw } = place.request
  const { method, url, path, query, params } = call.request // it was routed to them
  const headers = call.headersAfterHooks(raw)
  const parts = {
    method,
    url,
    path,
    query,
    headers,
    params,
    body: replacedBody(place, headers) ?? call.request.body,
  }
  const toolCall = toolCallOf(call.request)
  return toolCall === null ? new ForwardedRequest(call.request, parts) : new HookedToolCall(toolCall, parts)
}

/** Where it arrived. */
interface HookedPlace {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly limitBytes: number
}

/** Null where no hook returned another stream. It has a media type where a hook names one: a tool call has none of its own. */
function replacedBody({ request, reply, limitBytes }: HookedPlace, headers: HeaderMap): RequestBody | null {
  const { raw, body } = request
  if (body === undefined || body === raw) return null
  const payload = body as Readable // what a `preParsing` hook returned (plugins.ts)
  const type = headers['content-type']
  const source = {
    headers: { ...raw.headers, 'content-type': typeof type === 'string' ? type : undefined },
    payload,
  }
  return new LazyBody({
    ...source,
    response: reply.raw,
    limitBytes,
    isHooked: true,
    isReplaced: true,
    isEncoded: false,
  })
}

class HookedToolCall extends ForwardedRequest implements ToolCallRequest {
  readonly #call: ToolCallRequest

  constructor(call: ToolCallRequest, parts: RequestParts) {
    super(call, parts)
    this.#call = call
  }

  get json(): JsonArguments {
    return this.#call.json
  }

  get mcp(): McpCall {
    return this.#call.mcp
  }

  get round(): ToolCallRequest['round'] {
    return this.#call.round
  }

  get mistake(): Error | null {
    return this.#call.mistake
  }

  raise(error: Error): void {
    this.#call.raise(error)
  }

  expire(error: Error): void {
    this.#call.expire?.(error)
  }
}
