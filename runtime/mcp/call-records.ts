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
import type { Logger } from '../contract/store.ts'
import { errorCodes } from './protocol/constants.ts'
import { failureOf, type Refusal } from './protocol/http-refusal.ts'
import { failure } from './tools/result.ts'
import type { ToolAnswer, ToolCall } from './tools/tool-answer.ts'

/** Runs a call, and tells of it when it is over. */
export type RecordCall = (
  call: ToolCall,
  run: (call: ToolCall) => MaybePromise<ToolAnswer>,
) => MaybePromise<ToolAnswer>

/** Also calls that are refused and names that do not exist are told of. Where an observer rejects, the model reads that there is no
 *  answer, and the observers after it are told so. */
export function createCallRecords(observers: readonly ObserveCall[], log: Logger): RecordCall {
  return (call, run) => {
    const { watched = null } = call.message
    if (watched === null && observers.length === 0) return run(call)
    return recorded(call, { run, watched, observers, log })
  }
}

interface Recording {
  readonly run: (call: ToolCall) => MaybePromise<ToolAnswer>
  readonly watched: WatchedMessage | null
  readonly observers: readonly ObserveCall[]
  readonly log: Logger
}

async function recorded(call: ToolCall, recording: Recording): Promise<ToolAnswer> {
  const startedAt = performance.now()
  recording.watched?.calls()
  const tell = (end: CallEnd): Promise<ToolAnswer | null> =>
    told(end, recordOf(call, end, performance.now() - startedAt), recording)
  let answer: ToolAnswer
  try {
    answer = await recording.run(call)
  } catch (error) {
    await tell({ answer: null, error: thrownFailure(error) })
    throw error
  }
  const error = answer.kind === 'refused' ? failureOf(answer.refusal) : null
  return (await tell({ answer, error })) ?? answer
}

/** Tells the observers, then who watches. Resolves with what the client gets in place of the answer, null = the answer. */
async function told(
  { answer }: CallEnd,
  record: ToolCallRecord,
  { watched, observers, log }: Recording,
): Promise<ToolAnswer | null> {
  let instead: Contents | null = null
  let known = record
  for (const observe of observers) {
    try {
      const waits = observe(known)
      if (waits instanceof Promise) await waits
    } catch (error) {
      instead = withheld
      known = { ...record, status: 503, isError: true }
      log.error({ requestId: record.requestId, tool: record.tool, err: error }, 'an answer is withheld')
    }
  }
  const sent = instead ?? answer
  watched?.called(known, sent?.kind === 'contents' ? () => resultText(sent) : null)
  return instead
}

type Contents = Extract<ToolAnswer, { kind: 'contents' }>

/** A refused call has not run; the model cannot know, and must not try again before it has looked. */
const withheld: Contents = {
  kind: 'contents',
  contents: {
    kind: 'result',
    result: failure(
      '503 Service Unavailable\nthe call may have run, but it could not be recorded: its answer is withheld',
    ),
  },
  outputSchema: null,
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
    args: note.args ?? args,
    traceId,
    spanId,
  }
}

function decisionOf({ note }: ToolCall, answer: ToolAnswer | null): CallDecision {
  const status = answer?.kind === 'refused' ? statusOf(answer.refusal) : note.denied
  return status === 401 || status === 403 || status === 429 ? status : 'allowed'
}

function isError(answer: ToolAnswer | null): boolean {
  if (answer?.kind !== 'contents') return answer?.kind !== 'input' && answer?.kind !== 'task'
  return answer.contents.kind === 'result' && answer.contents.result.isError === true
}

/** As the protocol answers what is thrown. */
function thrownFailure(error: unknown): ProtocolFailure {
  if (error instanceof ProtocolError) return { code: error.code, message: error.message }
  return { code: errorCodes.internalError, message: 'Internal error' }
}

function resultText({ contents }: Contents): string {
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
