/** Tells those who observe tool calls what became of each. */
import type { CallDecision, ObserveCall, ToolCallRecord } from '../contract/calls.ts'
import type { MaybePromise } from '../contract/http.ts'
import type { Logger } from '../contract/store.ts'
import type { Refusal } from './protocol/http-refusal.ts'
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
  if (observers.length === 0) return (call, run) => run(call)
  return async (call, run) => {
    const startedAt = performance.now()
    const tell = (answer: ToolAnswer | null): Promise<boolean> =>
      areTold(observers, recordOf(call, answer, performance.now() - startedAt), log)
    let answer: ToolAnswer
    try {
      answer = await run(call)
    } catch (error) {
      await tell(null)
      throw error
    }
    return (await tell(answer)) ? answer : withheld
  }
}

/** Whether the client may get the answer. */
async function areTold(
  observers: readonly ObserveCall[],
  record: ToolCallRecord,
  log: Logger,
): Promise<boolean> {
  let isAllowed = true
  for (const observe of observers) {
    try {
      const told = observe(isAllowed ? record : { ...record, status: 503, isError: true })
      if (told instanceof Promise) await told
    } catch (error) {
      isAllowed = false
      log.error({ requestId: record.requestId, tool: record.tool, err: error }, 'an answer is withheld')
    }
  }
  return isAllowed
}

/** A refused call has not run; the model cannot know, and must not try again before it has looked. */
const withheld: ToolAnswer = {
  kind: 'contents',
  contents: {
    kind: 'result',
    result: failure(
      '503 Service Unavailable\nthe call may have run, but it could not be recorded: its answer is withheld',
    ),
  },
  outputSchema: null,
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
    args: note.args ?? args,
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
