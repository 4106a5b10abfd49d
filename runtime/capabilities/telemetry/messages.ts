/** A SERVER span, a duration and an event for every message of the MCP endpoint. Source: semantic-conventions-genai,
 *  docs/gen-ai/mcp.md. */
import type {
  CallDecision,
  ProtocolFailure,
  ToolCallRecord,
  WatchedMessage,
  WatchMessage,
} from '../../contract/calls.ts'
import { isPublished, type Published, publish } from './channels.ts'
import { type MessageFacts, type OfferedNames, readFacts } from './message-facts.ts'
import type { Attributes } from './metrics/registry.ts'
import { attribute, metric, wellKnown } from './names.ts'
import type { Sinks, SpanScope, SpanStart } from './sinks.ts'

export interface MessageOptions {
  readonly offered: OfferedNames
  /** Whether spans carry arguments, and results; secrets (by name) are masked. */
  readonly toolArguments: boolean
  readonly toolResults: boolean
  /** JSON text of a value for a span. */
  readonly shown: (value: unknown) => string
}

export function watchMessages(sinks: Sinks, options: MessageOptions): WatchMessage {
  const { tracing, instruments } = sinks
  return (arrived) => {
    if (tracing === null && instruments === null && !isPublished('message') && !isPublished('toolCall'))
      return null
    const facts = readFacts(arrived, options.offered)
    const published = publish(facts.isToolCall ? 'toolCall' : 'message', () => channelMessage(facts))
    const scope = tracing?.ofMessage(facts.meta, () => startOf(facts, options)) ?? null
    return new MessageUnderWay(facts, { scope, published, sinks, options })
  }
}

const channelMessage = ({ requestId, id, method, tool }: MessageFacts) => ({
  requestId,
  id,
  method,
  ...(tool === null ? {} : { tool: tool.name }),
})

function startOf(facts: MessageFacts, { toolArguments, shown }: MessageOptions): SpanStart {
  const { method, tool, prompt, isKnownPrompt, args } = facts
  const target = tool?.isKnown === true ? tool.name : isKnownPrompt ? prompt : null // others are invented
  return {
    name: target === null ? method : `${method} ${target}`,
    attributes: {
      [attribute.mcpMethod]: method,
      [attribute.operationName]: facts.isToolCall ? wellKnown.executeTool : null,
      [attribute.toolName]: tool?.name ?? null,
      [attribute.proxyTool]: facts.proxy,
      [attribute.promptName]: prompt,
      [attribute.mcpResourceUri]: facts.resourceUri,
      [attribute.requestId]: facts.id,
      [attribute.mcpProtocolVersion]: facts.protocolVersion,
      [attribute.networkProtocolName]: wellKnown.http,
      [attribute.networkTransport]: wellKnown.tcp,
      [attribute.clientAddress]: facts.clientAddress,
      [attribute.toolArguments]: toolArguments && args !== undefined ? shown(args) : null,
    },
  }
}

interface Watching {
  readonly scope: SpanScope | null
  readonly published: Published | null
  readonly sinks: Sinks
  readonly options: MessageOptions
}

interface MessageEnd {
  readonly error: ProtocolFailure | null
  readonly errorType: string | null
}

class MessageUnderWay implements WatchedMessage {
  readonly traceId: string | null
  readonly spanId: string | null
  readonly #facts: MessageFacts
  readonly #watching: Watching
  readonly #startedAt = performance.now()
  #isCall = false

  constructor(facts: MessageFacts, watching: Watching) {
    this.traceId = watching.scope?.traceId ?? null
    this.spanId = watching.scope?.spanId ?? null
    this.#facts = facts
    this.#watching = watching
  }

  run<Answer>(serve: () => Promise<Answer>): Promise<Answer> {
    const { scope, published } = this.#watching
    const inside = published === null ? serve : () => published.run(serve)
    return scope === null ? inside() : scope.run(inside)
  }

  calls(): void {
    this.#isCall = true
  }

  answered({ status, error }: { readonly status: number; readonly error: ProtocolFailure | null }): void {
    if (this.#isCall) return
    const failed = status >= 400 ? String(status) : null
    this.#end({ error, errorType: error === null ? failed : String(error.code) }, { status })
  }

  called(record: ToolCallRecord, result: (() => string) | null): void {
    const { scope, options } = this.#watching
    const { tool, proxy, route, decision, isError, error, status } = record
    const errorType = errorTypeOf(record, result !== null)
    const outcome = outcomeOf(record)
    if (this.#facts.isToolCall) this.#count(tool, { outcome, decision })
    scope?.set({ [attribute.decision]: String(decision), [attribute.routeId]: route })
    if (options.toolResults && result !== null && scope?.isRecording === true)
      scope.set({ [attribute.toolResult]: options.shown(JSON.parse(result())) })
    const { toolbox, user, client, grant, era } = record
    const details = {
      tool,
      proxy,
      route,
      toolbox,
      user,
      client,
      grant,
      era,
      status,
      isError,
      decision,
      outcome,
    }
    this.#end({ error, errorType }, details)
  }

  #count(
    tool: string,
    { outcome, decision }: { readonly outcome: Outcome; readonly decision: CallDecision },
  ): void {
    const { sinks, options } = this.#watching
    const attributes = {
      [attribute.toolName]: options.offered.tools.has(tool) ? tool : wellKnown.other,
      [attribute.outcome]: outcome,
      [attribute.decision]: String(decision),
    }
    sinks.instruments?.add(metric.toolCalls, attributes, 1)
  }

  #end({ error, errorType }: MessageEnd, details: Readonly<Record<string, unknown>>): void {
    const { scope, published, sinks } = this.#watching
    const seconds = (performance.now() - this.#startedAt) / 1000
    sinks.instruments?.record(metric.operationDuration, this.#measured(error, errorType), seconds)
    published?.ended(details)
    scope?.set({
      [attribute.rpcStatus]: error === null ? null : String(error.code),
      [attribute.errorType]: errorType,
    })
    scope?.end(errorType === null ? null : { message: error?.message ?? null })
  }

  #measured(error: ProtocolFailure | null, errorType: string | null): Attributes {
    const { method, tool, isToolCall, protocolVersion } = this.#facts
    const name = tool?.isKnown === false ? wellKnown.other : (tool?.name ?? null)
    return {
      [attribute.mcpMethod]: method,
      [attribute.toolName]: name,
      [attribute.operationName]: isToolCall ? wellKnown.executeTool : null,
      [attribute.errorType]: errorType,
      [attribute.rpcStatus]: error === null ? null : String(error.code),
      [attribute.mcpProtocolVersion]: protocolVersion,
      [attribute.networkProtocolName]: wellKnown.http,
      [attribute.networkTransport]: wellKnown.tcp,
    }
  }
}

/** An error of the protocol by its code, a refusal by its status, a tool that failed as the conventions say. */
function errorTypeOf({ error, isError, decision }: ToolCallRecord, hasResult: boolean): string | null {
  if (error !== null) return String(error.code)
  if (!isError) return null
  return hasResult ? wellKnown.toolError : String(decision)
}

type Outcome = 'ok' | 'tool_error' | 'refused' | 'error'

/** What became of the call for its client. */
function outcomeOf({ isError, error, decision }: ToolCallRecord): Outcome {
  if (decision !== 'allowed') return 'refused'
  if (error !== null) return 'error'
  return isError ? 'tool_error' : 'ok'
}
