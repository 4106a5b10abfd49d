/** One line for every tool call, never its arguments. Source: issue 12, Operators see what happened. */
import type { MaybePromise } from '../contract/http.ts'
import type { Logger } from '../contract/store.ts'
import { type LogTimes, timeOf } from '../http/log/log.ts'
import type { Refusal } from './protocol/http-refusal.ts'
import type { ToolAnswer, ToolCall } from './tools/tool-answer.ts'

/** Runs a call, and writes its line when it is over. */
export type LogCall = (
  call: ToolCall,
  run: (call: ToolCall) => MaybePromise<ToolAnswer>,
) => MaybePromise<ToolAnswer>

export interface CallLogOptions extends LogTimes {
  readonly log: Logger
  /** Whether lines of this kind are written at all. */
  readonly isWritten: boolean
  /** Whether scopes are declared: lines then say what they decided, and what the token grants. */
  readonly hasScopes: boolean
}

/** Also for calls that are refused and for names that do not exist. */
export function createCallLog(options: CallLogOptions): LogCall {
  if (!options.isWritten) return (call, run) => run(call)
  return async (call, run) => {
    const startedAt = performance.now()
    let answer: ToolAnswer | null = null
    try {
      answer = await run(call)
      return answer
    } finally {
      const time = timeOf(performance.now() - startedAt, options)
      const decided = options.hasScopes ? decisionOf(call, answer) : {}
      options.log.info({ ...lineOf(call, answer), ...decided, ...time }, 'tool call')
    }
  }
}

const longestName = 64

function lineOf(
  { name, note: { tool, status }, client, caller: { auth }, message }: ToolCall,
  answer: ToolAnswer | null,
): Readonly<Record<string, unknown>> {
  return {
    requestId: client.id,
    event: 'tool call',
    tool: tool?.name ?? name.slice(0, longestName),
    route: tool?.route ?? null,
    toolbox: tool?.toolbox ?? null,
    user: auth?.user.id ?? null,
    client: auth?.clientId ?? null,
    grant: auth?.grantId ?? null,
    era: message.era,
    status: answer?.kind === 'refused' ? statusOf(answer.refusal) : status,
    isError: isError(answer),
  }
}

interface Decision {
  readonly decision: 'allowed' | 401 | 403
  /** Null without a token. */
  readonly scopes: readonly string[] | null
}

function decisionOf({ note, caller: { auth } }: ToolCall, answer: ToolAnswer | null): Decision {
  const scopes = auth?.scopes ?? null
  const status = answer?.kind === 'refused' ? statusOf(answer.refusal) : note.denied
  return { decision: status === 401 || status === 403 ? status : 'allowed', scopes }
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
