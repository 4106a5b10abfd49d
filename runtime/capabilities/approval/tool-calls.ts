/** What becomes of a call that a person must approve first. Its client is asked to open the page of the approval, where it can; every other
 *  model reads what waits, where, and to call again. The row in the store decides: what a client answers can only deny. */
// Source: decisions/http.md, Approval; MCP 2026-07-28, Elicitation, URL mode.

import type { InputUrl } from '../../contract/mcp.ts'
import { type CallEnd, failedCall, type ToolCall } from '../../mcp/calls/tool-answer.ts'
import type { WrapCall } from '../../mcp/part.ts'
import { isObject, type WireObject } from '../../mcp/protocol/constants.ts'
import type { CallMessage } from '../../mcp/protocol/message.ts'
import { answerOf, methodAnswers } from '../../mcp/questions/answers.ts'
import { canBeAsked, elicitationOf } from '../../mcp/questions/ask.ts'
import type { RequestStates } from '../../mcp/questions/request-state.ts'
import { declaredCapabilities } from '../../mcp/tools/tool-context.ts'
import { ApprovalRequired } from './errors.ts'
import type { ApprovalDesk } from './types.ts'

/** Under which a client is asked to approve a call, and the number of times that it was. */
const [questionKey, roundsKey] = ['acmcp/approval', 'acmcp/approval-rounds'] as const
/** After so many a client that never comes to an end is told by text. */
const maxRounds = 3

interface ApprovalCall {
  readonly call: ToolCall
  readonly states: Pick<RequestStates, 'seal'>
}

/** What its client gets, unless it is decided while the call waits. */
function askForApproval(
  error: ApprovalRequired,
  { call, states }: ApprovalCall,
): Pick<CallEnd, 'answer' | 'status'> {
  const { status } = error
  const question = questionFor(error, call)
  if (question === null) return { answer: failedCall(wordsOf(error, call)), status }
  const { message, client, name, sent: args } = call
  const { answers = {}, state = null } = message.retry ?? {}
  const round = { state, answers: { ...methodAnswers(answers), [roundsKey]: roundsOf(message) + 1 } }
  const requestState = states.seal(round, { headers: client.request.headers, name, args })
  return { answer: { kind: 'input', inputRequests: { [questionKey]: question }, requestState }, status: null }
}

const questionFor = (error: ApprovalRequired, call: ToolCall): WireObject | null => {
  const question = roundsOf(call.message) < maxRounds ? askable(error, call) : null
  return question && elicitationOf(question)
}

/** Null where text must do. Only tools are asked again. */
function askable({ sentence: message, url }: ApprovalRequired, call: ToolCall): InputUrl | null {
  const declared = call.name.includes('/') ? null : declaredCapabilities(call.message)
  return declared !== null && canBeAsked({ message, url }, declared) ? { message, url } : null
}

function roundsOf(message: CallMessage): number {
  const count = answerOf(message, roundsKey)
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

/** Asks for the approval of a call that has ended for want of one, and runs it again where it is decided about meanwhile. */
export const askingApproval =
  (desk: ApprovalDesk): WrapCall =>
  async (call, next, states) => {
    const end = await next()
    const { problem } = end
    if (!(problem instanceof ApprovalRequired)) return end
    const last = (await isDecided(desk, problem, call)) ? await next() : end
    return last.problem instanceof ApprovalRequired
      ? { ...last, ...askForApproval(last.problem, { call, states }) }
      : last
  }

async function isDecided(
  desk: ApprovalDesk,
  { id, isNew }: ApprovalRequired,
  call: ToolCall,
): Promise<boolean> {
  if (isDenied(answerOf(call.message, questionKey))) return (await desk.deny(id)) !== null
  return !isNew && desk.decided(id, goneSignal(call))
}

/** Aborts when the client goes, or takes the call back. */
function goneSignal({ client, time }: ToolCall): AbortSignal {
  const cancelled = new AbortController()
  time.whenCancelled(() => cancelled.abort())
  return AbortSignal.any([client.request.signal, cancelled.signal])
}

/** A user who agrees to open a page has not yet decided there. */
const isDenied = (answer: unknown): boolean =>
  isObject(answer) && (answer.action === 'decline' || answer.action === 'cancel')
