/** The record of each tool call, for those who observe them. */
import { ProtocolError } from '@modelcontextprotocol/server'
import type {
  CallDecision,
  ObserveCall,
  ProtocolFailure,
  SpanIds,
  ToolCallRecord,
  WatchedMessage,
} from '../../contract/calls.ts'
import type { MaybePromise } from '../../contract/http.ts'
import type { Logger } from '../../contract/store.ts'
import { type LogTimes, timeOf } from '../../http/log/log.ts'
import { spanFields } from '../../http/log/watched-requests.ts'
import { errorCodes } from '../protocol/constants.ts'
import { failureOf, type Refusal } from '../protocol/http-refusal.ts'
import type { ToolArguments } from './json-arguments.ts'
import { type CallEnd, type CallSubject, failedCall, type ToolAnswer, type ToolCall } from './tool-answer.ts'

/** What becomes of a call, for the observers of calls and the watcher of its message: also one that is refused, and one of a name that
 *  does not exist. */
export interface CallRecords {
  /** It begins; returns when, in milliseconds. */
  begin(call: ToolCall): number
  /** It came to that. Returns, or resolves with, what its client gets: where an observer rejects, the model reads that there is no
   *  answer, and the observers after it are told so. */
  ended(call: ToolCall, end: CallEnd, startedAt: number): MaybePromise<CallEnd>
  /** It threw. Never rejects. */
  failed(call: ToolCall, subject: CallSubject, thrown: Thrown): MaybePromise<unknown>
}

interface Thrown {
  readonly error: unknown
  readonly startedAt: number
}

export function createCallRecords(observers: readonly ObserveCall[], log: Logger): CallRecords {
  const isUnobserved = ({ client: { watched } }: ToolCall): boolean => observers.length === 0 && !watched
  const observe = (
    call: ToolCall,
    record: ToolCallRecord,
    { args, answer }: { readonly args: ToolArguments; readonly answer: ToolAnswer | null },
  ): MaybePromise<ToolAnswer | null> => {
    const watched = call.client.watched ?? null
    for (let index = 0; index < observers.length; index += 1) {
      const waits = observed(observers[index], record, args)
      if (!(waits instanceof Promise)) continue
      const others = observers.slice(index + 1)
      return observedInTurn(record, { waits, others, args, log, watched, answer })
    }
    notifyWatcher(watched, record, answer)
    return null
  }
  return {
    begin(call) {
      if (isUnobserved(call)) return 0
      call.client.watched?.calls()
      return performance.now()
    },
    ended(call, end, startedAt) {
      if (isUnobserved(call)) return end
      const { answer } = end
      const error = answer.kind === 'refused' ? failureOf(answer.refusal) : null
      const instead = observe(call, recordOf(call, end, { answer, error, startedAt }), end)
      if (!(instead instanceof Promise)) return end
      return instead.then((withheld) => (withheld === null ? end : { ...end, answer: withheld }))
    },
    failed(call, { tool, args }, { error, startedAt }) {
      if (isUnobserved(call)) return null
      const end = { tool, status: null, denied: null }
      const outcome = { answer: null, error: thrownFailure(error), startedAt }
      return observe(call, recordOf(call, end, outcome), { args, answer: null })
    },
  }
}

function observed(
  observe: ObserveCall | undefined,
  record: ToolCallRecord,
  args: ToolArguments,
): MaybePromise<void> {
  try {
    return observe?.(record, args)
  } catch (error) {
    return Promise.reject(error)
  }
}

interface Observing {
  /** What the first of them resolves with that is waited for. */
  readonly waits: Promise<void>
  readonly others: readonly ObserveCall[]
  readonly args: ToolArguments
  readonly log: Logger
  readonly watched: WatchedMessage | null
  readonly answer: ToolAnswer | null
}

/** What the client gets in place of the answer; null = the answer. */
async function observedInTurn(
  record: ToolCallRecord,
  { waits: first, others, args, log, watched, answer }: Observing,
): Promise<ToolAnswer | null> {
  let known = record
  const settle = async (waits: MaybePromise<void>): Promise<void> => {
    try {
      await waits
    } catch (error) {
      known = { ...record, status: 503, isError: true }
      const { requestId, tool } = record
      log.error({ requestId, tool, err: error }, 'an answer is withheld')
    }
  }
  await settle(first)
  for (const observe of others) await settle(observed(observe, known, args))
  const instead = known === record ? null : withheld
  notifyWatcher(watched, record, instead ?? answer)
  return instead
}

function notifyWatcher(
  watched: WatchedMessage | null,
  record: ToolCallRecord,
  sent: ToolAnswer | null,
): void {
  watched?.called(record, sent?.kind === 'contents' ? () => resultText(sent) : null)
}

type Contents = Extract<ToolAnswer, { kind: 'contents' }>

/** A refused call has not run; the model cannot know, and must not try again before it has looked. */
const withheld = failedCall(
  '503 Service Unavailable\nthe call may have run, but it could not be recorded: its answer is withheld',
)

const longestName = 64
const noSpan: SpanIds = { traceId: null, spanId: null }

/** How it came to its end; `answer`: null when it threw. */
interface Outcome {
  readonly answer: ToolAnswer | null
  readonly error: ProtocolFailure | null
  readonly startedAt: number
}

function recordOf(
  call: ToolCall,
  { tool, status, denied }: Pick<CallEnd, 'tool' | 'status' | 'denied'>,
  { answer, error, startedAt }: Outcome,
): ToolCallRecord {
  const { name, client, message } = call
  const { request, watched } = client
  const { auth } = client.caller
  const { traceId, spanId } = watched ?? noSpan
  const refused = answer?.kind === 'refused' ? statusOf(answer.refusal) : null
  return {
    event: 'tool-call',
    requestId: request.id,
    tool: tool?.name ?? name.slice(0, longestName),
    proxy: tool === null || tool.name === name ? null : name,
    route: tool?.route ?? null,
    toolbox: tool?.toolbox ?? null,
    user: auth?.user?.id ?? null,
    client: auth?.clientId ?? null,
    grant: auth?.grantId ?? null,
    scopes: auth?.scopes ?? null,
    era: message.era,
    status: refused ?? status,
    isError: isError(answer),
    error,
    decision: decisionOf(refused ?? denied),
    milliseconds: performance.now() - startedAt,
    traceId,
    spanId,
  }
}

const decisionOf = (status: number | null): CallDecision =>
  status === 401 || status === 403 || status === 429 ? status : 'allowed'

function isError(answer: ToolAnswer | null): boolean {
  if (answer?.kind !== 'contents') return answer?.kind !== 'input' && answer?.kind !== 'typed'
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

export interface CallLogOptions extends LogTimes {
  readonly log: Logger
  /** Whether lines of this kind are written at all. */
  readonly isWritten: boolean
  /** Whether scopes are declared: lines then say what they decided, and what the token grants. */
  readonly hasScopes: boolean
}

/** One line for every tool call, never its arguments. Source: decisions/mcp.md, The log of calls. */
export function createCallLog({
  log,
  isWritten,
  hasScopes,
  ...times
}: CallLogOptions): readonly ObserveCall[] {
  if (!isWritten) return []
  return [
    (record) => {
      const decided = hasScopes ? loggedDecision(record) : {}
      const time = timeOf(record.milliseconds, times)
      log.info({ ...lineOf(record), ...decided, ...spanFields(record), ...time }, 'tool call')
    },
  ]
}

function lineOf(record: ToolCallRecord): Readonly<Record<string, unknown>> {
  const { requestId, tool, route, toolbox, user, client, grant, era, status, isError } = record
  return { requestId, event: 'tool call', tool, route, toolbox, user, client, grant, era, status, isError }
}

/** Scopes say nothing of a call that is one too many. */
function loggedDecision({ decision, scopes }: ToolCallRecord): Readonly<Record<string, unknown>> {
  return { decision: decision === 429 ? 'allowed' : decision, scopes }
}
