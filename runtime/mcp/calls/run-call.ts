/** A call of a route, or of a meta tool, as it runs: unless it is refused before, for no longer than it may, and with a record of what it
 *  came to. */
import type { MaybePromise } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import type { CancellableCalls } from '../limits/cancellable-calls.ts'
import type { CountCall } from '../limits/limits.ts'
import type { RunningCalls } from '../limits/running-calls.ts'
import type { Refusal } from '../protocol/http-refusal.ts'
import type { CallRecords } from './call-records.ts'
import {
  type CallEnd,
  endedCall,
  failedCall,
  type Runner,
  refusedAnswer,
  type ToolCall,
} from './tool-answer.ts'

type Running = Pick<Runner, 'run' | 'subject' | 'checkHeaders'>

/** Rejects with what the client is told as an error of the protocol. */
export type RunCall = (call: ToolCall, runner: Running) => Promise<CallEnd>

/** `next` runs the call, and may be called again. The first is the outermost. */
export type WrapRun = (call: ToolCall, next: () => Promise<CallEnd>) => Promise<CallEnd>

export interface RunCallOptions {
  /** Why a call does not run now, or null. */
  readonly refusalOf: (call: ToolCall, runner: Running) => Refusal | null
  readonly running: RunningCalls
  readonly records: CallRecords
  /** Null where the client cannot cancel a call by its id. */
  readonly cancellable: Pick<CancellableCalls, 'add'> | null
  /** What lies around each run: outside, a call has neither a place nor a deadline. */
  readonly wraps: readonly WrapRun[]
  readonly log: Logger
  /** What runs: for the log, and as its client is told. */
  readonly noun: { readonly logged: string; readonly shown: string }
}

export function createRunCall(options: RunCallOptions): RunCall {
  const { refusalOf, running, records, cancellable, wraps, log, noun } = options
  const tooLate = tooLong(noun)
  const run = (call: ToolCall, runner: Running): Promise<CallEnd> =>
    running.run(call.client.caller, {
      time: call.time,
      run: () => runner.run(call),
      tooLong: () => {
        log.warn({ tool: call.name }, `a ${noun.logged} took too long`)
        return endedCall(runner.subject(call), tooLate, 504)
      },
    })
  const wrapped = wraps.reduceRight<typeof run>(
    (inside, wrap) => (call, runner) => wrap(call, () => inside(call, runner)),
    run,
  )
  const judged = (call: ToolCall, runner: Running): Promise<CallEnd> => {
    const refusal = refusalOf(call, runner)
    if (refusal === null) return wrapped(call, runner)
    const subject = { tool: null, args: call.args }
    return Promise.resolve(endedCall(subject, refusedAnswer(refusal)))
  }
  return (call, runner) => {
    const startedAt = records.begin(call)
    const forget = cancellable?.add(call)
    const ended = (end: CallEnd): MaybePromise<CallEnd> => {
      forget?.()
      return records.ended(call, end, startedAt)
    }
    const failed = async (error: unknown): Promise<never> => {
      await records.failed(call, runner.subject(call), { error, startedAt })
      forget?.()
      throw error
    }
    return judged(call, runner).then(ended, failed)
  }
}

/** Mirrored headers, then the limits. */
export const refusalBefore =
  ({ countCall, running }: { readonly countCall: CountCall; readonly running: RunningCalls }) =>
  ({ client: { request, caller }, message, args }: ToolCall, { checkHeaders }: Running): Refusal | null => {
    const mismatch =
      checkHeaders === null || message.era === 'legacy' ? null : checkHeaders(args, request.headers)
    if (mismatch !== null) return { kind: 'headerMismatch', mismatch }
    const overload = running.overload(caller) ?? countCall(caller)
    return overload === null ? null : { kind: 'overload', overload }
  }

/** What the model reads when the time is up. */
const tooLong = ({ shown }: RunCallOptions['noun']): CallEnd['answer'] =>
  failedCall(`504 Gateway Timeout\nthe ${shown} took too long and was stopped`)
