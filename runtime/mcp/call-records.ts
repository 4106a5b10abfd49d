/** Tells those who observe tool calls what became of each. */
import { ProtocolError } from '@modelcontextprotocol/server'
import type {
  CallDecision,
  ObserveCall,
  ProtocolFailure,
  SpanIds,
  ToolCallRecord,
  WatchedMessage,
} from '../contract/calls.ts'
import type { MaybePromise } from '../contract/http.ts'
import { errorCodes } from './protocol/constants.ts'
import { failureOf, type Refusal } from './protocol/http-refusal.ts'
import type { ToolAnswer, ToolCall } from './tools/tool-answer.ts'

/** Runs a call, and tells of it when it is over. */
export type RecordCall = (
  call: ToolCall,
  run: (call: ToolCall) => MaybePromise<ToolAnswer>,
) => MaybePromise<ToolAnswer>

/** Also calls that are refused and names that do not exist are told of. */
export function createCallRecords(observers: readonly ObserveCall[]): RecordCall {
  return (call, run) => {
    const { watched = null } = call.message
    if (watched === null && observers.length === 0) return run(call)
    return recorded(call, { run, watched, observers })
  }
}

interface Recording {
  readonly run: (call: ToolCall) => MaybePromise<ToolAnswer>
  readonly watched: WatchedMessage | null
  readonly observers: readonly ObserveCall[]
}

async function recorded(call: ToolCall, { run, watched, observers }: Recording): Promise<ToolAnswer> {
  const startedAt = performance.now()
  watched?.calls()
  let ended: CallEnd = { answer: null, error: null }
  try {
    const answer = await run(call)
    ended = { answer, error: answer.kind === 'refused' ? failureOf(answer.refusal) : null }
    return answer
  } catch (error) {
    ended = { answer: null, error: thrownFailure(error) }
    throw error
  } finally {
    const record = recordOf(call, ended, performance.now() - startedAt)
    const { answer } = ended
    watched?.called(record, answer?.kind === 'contents' ? () => resultText(answer) : null)
    for (const observe of observers) {
      const told = observe(record)
      if (told instanceof Promise) await told
    }
  }
}

interface CallEnd {
  readonly answer: ToolAnswer | null
  readonly error: ProtocolFailure | null
}

const longestName = 64
const noSpan: SpanIds = { traceId: null, spanId: null }

function recordOf(call: ToolCall, { answer, error }: CallEnd, milliseconds: number): ToolCallRecord {
  const { name, note, client, caller, message, args } = call
  const { tool } = note
  const { auth } = caller
  const { traceId, spanId } = message.watched ?? noSpan
  const status = answer?.kind === 'refused' ? statusOf(answer.refusal) : note.status
  return {
    requestId: client.id,
    tool: tool?.name ?? name.slice(0, longestName),
    proxy: tool === null || tool.name === name ? null : name,
    route: tool?.route ?? null,
    toolbox: tool?.toolbox ?? null,
    user: auth?.user.id ?? null,
    client: auth?.clientId ?? null,
    grant: auth?.grantId ?? null,
    scopes: auth?.scopes ?? null,
    era: message.era,
    status,
    isError: isError(answer),
    error,
    decision: decisionOf(call, answer),
    milliseconds,
    traceId,
    spanId,
    args,
  }
}

function decisionOf({ note }: ToolCall, answer: ToolAnswer | null): CallDecision {
  const status = answer?.kind === 'refused' ? statusOf(answer.refusal) : note.denied
  return status === 401 || status === 403 || status === 429 ? status : 'allowed'
}

function isError(answer: ToolAnswer | null): boolean {
  if (answer?.kind !== 'contents') return answer?.kind !== 'input'
  return answer.contents.kind === 'result' && answer.contents.result.isError === true
}

/** As the protocol answers what is thrown. */
function thrownFailure(error: unknown): ProtocolFailure {
  if (error instanceof ProtocolError) return { code: error.code, message: error.message }
  return { code: errorCodes.internalError, message: 'Internal error' }
}

function resultText({ contents }: Extract<ToolAnswer, { kind: 'contents' }>): string {
  return contents.kind === 'json' ? contents.text : JSON.stringify(contents.result)
}

function statusOf(refusal: Refusal): number {
  switch (refusal.kind) {
    case 'unauthorized':
      return 401
    case 'insufficientScope':
      return 403
    case 'overload':
      return refusal.overload.status
    default:
      return 400
  }
}
