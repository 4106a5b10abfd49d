/** What a route can do with the MCP client that called it as a tool. */
import type { EndedBy, HeaderMap, HttpRequest } from '../../contract/http.ts'
import type { InputForm, McpCall } from '../../contract/mcp.ts'
import { CapabilityRequired } from '../../errors.ts'
import type { CallTime } from '../../http/limits/call-time.ts'
import { onDisconnect } from '../../http/pipeline/on-disconnect.ts'
import { noHeaders } from '../auth/request-in-process.ts'
import { printableText } from '../calls/json-arguments.ts'
import type { ToolCall } from '../calls/tool-answer.ts'
import type { ToolCaller } from '../calls/tool-request.ts'
import { isObject, metaKeys, traceKeys, type WireObject } from '../protocol/constants.ts'
import type { CallMessage } from '../protocol/message.ts'
import { acceptedContent, answerOf, methodAnswers } from '../questions/answers.ts'

/** The caller of a tool; `toolsChanged` tells every client that listens. What few routes ask for is made when they do. */
export class RouteToolCaller implements ToolCaller {
  readonly request: HttpRequest
  readonly trace: HeaderMap
  /** What the route raised for it; null = nothing. */
  raised: Error | null = null
  /** Why its answer comes too late; null = it does not. */
  expired: Error | null = null
  /** The names of the answers that it looked at; null = none. */
  read: Set<string> | null = null
  readonly #message: CallMessage
  readonly #time: CallTime
  readonly #toolsChanged: () => void
  #mcp: McpCall | null = null

  constructor({ client, message, time }: ToolCall, toolsChanged: () => void) {
    this.request = client.request
    this.trace = traceOf(message.meta)
    this.#message = message
    this.#time = time
    this.#toolsChanged = toolsChanged
  }

  /** In the legacy era going away is no cancellation: MCP 2025-11-25, Streamable HTTP, Sending messages, 6. */
  whenCancelled(cancelled: (by: EndedBy) => void): () => void {
    const forget = this.#time.whenUp(() => cancelled('client'))
    const keep = this.#time.whenCancelled(() => cancelled('client'))
    const isLegacy = this.#message.era === 'legacy'
    const stay = onDisconnect(this.request, (by) => {
      if (!isLegacy || by === 'server') cancelled(by)
    })
    return () => {
      forget()
      keep()
      stay()
    }
  }

  get round(): CallMessage['retry'] {
    const { retry } = this.#message
    return retry && { ...retry, answers: methodAnswers(retry.answers) }
  }

  get mcp(): McpCall {
    this.#mcp ??= new ClientOfCall(this, this.#message, this.#toolsChanged)
    return this.#mcp
  }

  looksAt(answer: string): void {
    this.read ??= new Set()
    this.read.add(answer)
  }

  raise(error: Error): void {
    this.raised = error
  }

  expire(error: Error): void {
    this.expired = error
    this.#time.end()
  }
}

/** The capabilities that the client declared with this call; null in the legacy era, where they are not remembered. */
export function declaredCapabilities({ era, meta }: Pick<CallMessage, 'era' | 'meta'>): WireObject | null {
  const declared = meta[metaKeys.capabilities]
  return era === 'modern' && isObject(declared) ? declared : null
}

class ClientOfCall implements McpCall {
  readonly toolsChanged: () => void
  readonly #caller: RouteToolCaller
  readonly #message: CallMessage
  #cancelled: AbortController | null = null
  #reached = Number.NEGATIVE_INFINITY
  constructor(caller: RouteToolCaller, message: CallMessage, toolsChanged: () => void) {
    this.#caller = caller
    this.#message = message
    this.toolsChanged = toolsChanged
  }

  get signal(): AbortSignal {
    if (this.#cancelled !== null) return this.#cancelled.signal
    const cancelled = new AbortController()
    this.#cancelled = cancelled
    this.#caller.whenCancelled(() => cancelled.abort())
    return cancelled.signal
  }

  get clientName(): string | null {
    const info = this.#message.meta[metaKeys.clientInfo]
    return isObject(info) && typeof info.name === 'string' ? info.name : null
  }

  get state(): unknown {
    return this.#message.retry?.state ?? null
  }

  progress(done: number, total?: number, message?: string): void {
    const { sendProgress, meta } = this.#message
    if (sendProgress === null || !(done > this.#reached)) return
    this.#reached = done
    const details = {
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    }
    sendProgress({ progressToken: meta.progressToken, progress: done, ...details })
  }

  requireCapability(name: string): void {
    if (declaredCapabilities(this.#message)?.[name] === undefined) throw new CapabilityRequired(name)
  }

  answerTo(name: string): unknown {
    this.#caller.looksAt(name)
    return answerOf(this.#message, name)
  }

  accepted(name: string, { schema }: InputForm): WireObject | null {
    this.#caller.looksAt(name)
    return acceptedContent(this.#message, name, schema)
  }
}

/** Trace context is passed to the route under its header names. Source: MCP 2026-07-28, `_meta`, trace context. */
function traceOf(meta: WireObject): HeaderMap {
  let trace = noHeaders
  for (const key of traceKeys) {
    const value = meta[key]
    if (typeof value === 'string') trace = { ...trace, [key]: printableText(value) }
  }
  return trace
}
