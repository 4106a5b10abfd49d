/** One line for every tool call, never its arguments. Source: issue 12, Operators see what happened. */
import type { MaybePromise } from '../contract/http.ts'
import type { Logger } from '../contract/store.ts'
import { type LogTimes, timeOf } from '../http/log/log.ts'
import type { Refusal } from './protocol/http-refusal.ts'
import type { NamedCall, NotedCall, ToolAnswer } from './tools/tool-answer.ts'

/** Runs a call, and writes its line when it is over. */
export type LogCall = (
  call: NamedCall,
  run: (call: NotedCall) => MaybePromise<ToolAnswer>,
) => MaybePromise<ToolAnswer>

export interface CallLogOptions extends LogTimes {
  readonly log: Logger
  /** Whether lines of this kind are written at all. */
  readonly isWritten: boolean
}

/** Also for calls that are refused and for names that do not exist. */
export function createCallLog(options: CallLogOptions): LogCall {
  if (!options.isWritten) return (call, run) => run(notedCall(call))
  return async (call, run) => {
    const startedAt = performance.now()
    const noted = notedCall(call)
    const write = (answer: ToolAnswer | null): void => {
      const line = lineOf(noted, answer)
      options.log.info({ ...line, ...timeOf(performance.now() - startedAt, options) }, 'tool call')
    }
    let answer: ToolAnswer | null = null
    try {
      answer = await run(noted)
      return answer
    } finally {
      write(answer)
    }
  }
}

const notedCall = ({ name, args, sent, client, caller, message }: NamedCall): NotedCall => ({
  name,
  args,
  sent,
  client,
  caller,
  message,
  note: { tool: null, status: null },
})

const longestName = 64

function lineOf(
  { name, note: { tool, status }, client, caller: { auth }, message }: NotedCall,
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
