/** Tells those who observe tool calls what became of each. */
import type { CallDecision, ObserveCall, ToolCallRecord } from '../contract/calls.ts'
import type { MaybePromise } from '../contract/http.ts'
import type { Refusal } from './protocol/http-refusal.ts'
import type { ToolAnswer, ToolCall } from './tools/tool-answer.ts'

/** Runs a call, and tells of it when it is over. */
export type RecordCall = (
  call: ToolCall,
  run: (call: ToolCall) => MaybePromise<ToolAnswer>,
) => MaybePromise<ToolAnswer>

/** Also calls that are refused and names that do not exist are told of. */
export function createCallRecords(observers: readonly ObserveCall[]): RecordCall {
  if (observers.length === 0) return (call, run) => run(call)
  return async (call, run) => {
    const startedAt = performance.now()
    let answer: ToolAnswer | null = null
    try {
      answer = await run(call)
      return answer
    } finally {
      const record = recordOf(call, answer, performance.now() - startedAt)
      for (const observe of observers) {
        const told = observe(record)
        if (told instanceof Promise) await told
      }
    }
  }
}

const longestName = 64

function recordOf(call: ToolCall, answer: ToolAnswer | null, milliseconds: number): ToolCallRecord {
  const { name, note, client, caller, message, args } = call
  const { tool } = note
  const { auth } = caller
  const status = answer?.kind === 'refused' ? statusOf(answer.refusal) : note.status
  return {
    requestId: client.id,
    tool: tool?.name ?? name.slice(0, longestName),
    route: tool?.route ?? null,
    toolbox: tool?.toolbox ?? null,
    user: auth?.user.id ?? null,
    client: auth?.clientId ?? null,
    grant: auth?.grantId ?? null,
    scopes: auth?.scopes ?? null,
    era: message.era,
    status,
    isError: isError(answer),
    decision: decisionOf(call, answer),
    milliseconds,
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
