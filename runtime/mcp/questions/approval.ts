/** What becomes of a call that a person must approve first. Its client is asked to open the page of the approval, where it can; every other
 *  model reads what waits, where, and to call again. The row in the store decides: what a client answers can only deny. */
// Source: decisions/http.md, Approval; MCP 2026-07-28, Elicitation, URL mode.
import type { ApprovalDesk } from '../../contract/approval.ts'
import type { InputUrl } from '../../contract/mcp.ts'
import type { ApprovalRequired } from '../../errors.ts'
import type { AwaitDecision } from '../calls/run-call.ts'
import { type CallEnd, failedCall, type ToolCall } from '../calls/tool-answer.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import type { CallMessage } from '../protocol/message.ts'
import { declaredCapabilities } from '../tools/tool-context.ts'
import { answerOf, approvalAnswers, methodAnswers } from './answers.ts'
import { canBeAsked, elicitationOf } from './ask.ts'
import type { RequestStates } from './request-state.ts'

const { asked, rounds } = approvalAnswers
/** After so many a client that never comes to an end is told by text. */
const mostRounds = 3

export interface ApprovalCall {
  readonly call: ToolCall
  readonly states: Pick<RequestStates, 'seal'>
}

/** What its client gets, unless it is decided while the call waits. */
export function askForApproval(
  error: ApprovalRequired,
  { call, states }: ApprovalCall,
): Pick<CallEnd, 'answer' | 'status'> {
  const { status } = error
  const question = questionFor(error, call)
  if (question === null) return { answer: failedCall(wordsOf(error, call)), status }
  const { message, client, name, sent: args } = call
  const { answers = {}, state = null } = message.retry ?? {}
  const round = { state, answers: { ...methodAnswers(answers), [rounds]: roundsOf(message) + 1 } }
  const requestState = states.seal(round, { headers: client.request.headers, name, args })
  return { answer: { kind: 'input', inputRequests: { [asked]: question }, requestState }, status: null }
}

const questionFor = (error: ApprovalRequired, call: ToolCall): WireObject | null => {
  const question = roundsOf(call.message) < mostRounds ? askable(error, call) : null
  return question && elicitationOf(question)
}

/** Null where text must do. Only tools are asked again. */
function askable({ sentence: message, url }: ApprovalRequired, call: ToolCall): InputUrl | null {
  const declared = call.name.includes('/') ? null : declaredCapabilities(call.message)
  return declared !== null && canBeAsked({ message, url }, declared) ? { message, url } : null
}

function roundsOf(message: CallMessage): number {
  const count = answerOf(message, rounds)
  return typeof count === 'number' ? count : 0
}

/** For a model. */
function wordsOf({ sentence, url, expiresAt, differsIn }: ApprovalRequired, { name }: ToolCall): string {
  const until = new Date(expiresAt).toISOString()
  const isMethod = name.includes('/')
  return [
    'This call needs the approval of a person first. Nothing has run.',
    `What waits: ${sentence}`,
    `Where: ${url} (until ${until})`,
    ...(differsIn === null
      ? []
      : [`A call like it has been approved, which differs from this one in '${differsIn}'.`]),
    isMethod
      ? 'Show the user this address. When they have approved, ask again with exactly the same parameters.'
      : `Show the user this address. When they have approved, call ${name} again with exactly these arguments.`,
  ].join('\n')
}

/** Waits for the decision of a call that has ended for want of one; resolves with whether it is worth running again. */
export const awaitDecision =
  (desk: ApprovalDesk): AwaitDecision =>
  async (error, call) => {
    const { id, isNew } = error
    if (isDenied(answerOf(call.message, asked))) return (await desk.deny(id)) !== null
    return !isNew && desk.decided(id, goneSignal(call))
  }

/** Aborts when the client goes, or takes the call back. */
function goneSignal({ client, time }: ToolCall): AbortSignal {
  const cancelled = new AbortController()
  time.whenCancelled(() => cancelled.abort())
  return AbortSignal.any([client.request.signal, cancelled.signal])
}

/** Who agrees to open a page has not yet decided there. */
const isDenied = (answer: unknown): boolean =>
  isObject(answer) && (answer.action === 'decline' || answer.action === 'cancel')
