/** A call of a route, or of a meta tool, as it runs: after the mirrored headers and the limits, and for no longer than it may. */
import type { MaybePromise } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { CallTime } from '../../http/limits/call-time.ts'
import { failure } from '../tools/result.ts'
import type { NamedCall, Runner, ToolAnswer, ToolCall } from '../tools/tool-answer.ts'
import type { CountCall } from './limits.ts'
import type { RunningCalls } from './running-calls.ts'

export interface LimitDependencies {
  readonly countCall: CountCall
  readonly running: RunningCalls
  readonly log: Logger
}

/** A spread costs 2 µs. */
export function underWay({ name, args, sent, client, caller, permission, message }: NamedCall): ToolCall {
  const [note, time] = [
    { tool: null, args: null, status: null, denied: null, accepted: null },
    new CallTime(),
  ]
  return { name, args, sent, client, caller, permission, message, note, time }
}

/** Mirrored headers, then the limits, then the call. */
export function runLimited(
  limiting: LimitDependencies,
  call: ToolCall,
  runner: Pick<Runner, 'run' | 'checkHeaders'>,
): MaybePromise<ToolAnswer> {
  const { countCall, running, log } = limiting
  const { client, caller, message, args } = call
  const mismatch = message.era === 'modern' ? (runner.checkHeaders?.(args, client.headers) ?? null) : null
  if (mismatch !== null) return { kind: 'refused', refusal: { kind: 'headerMismatch', mismatch } }
  const overload = running.overload(caller) ?? countCall(caller)
  if (overload !== null) return { kind: 'refused', refusal: { kind: 'overload', overload } }
  return running.run(caller, {
    time: call.time,
    run: () => runner.run(call),
    tooLong: () => {
      call.note.status = 504
      log.warn({ tool: call.name }, 'a tool call took too long')
      return tooLong
    },
  })
}

/** What the model reads when the time is up. */
const tooLong: ToolAnswer = {
  kind: 'contents',
  contents: {
    kind: 'result',
    result: failure('504 Gateway Timeout\nthe call took too long and was stopped'),
  },
  outputSchema: null,
}
