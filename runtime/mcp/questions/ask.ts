/** What becomes of `InputRequired`: a result that asks, for a client that can be asked; else a failed call that says what to pass. */
import type { ElicitedQuestion } from '../../contract/mcp.ts'
import type { InputRequired } from '../../errors.ts'
import { type CallEnd, failedCall, refusedAnswer, type ToolCall } from '../calls/tool-answer.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import { declaredCapabilities } from '../tools/tool-context.ts'
import { type AnswerPlaces, acceptedContent, carriedAnswers } from './answers.ts'
import type { RequestStates } from './request-state.ts'

export interface AskingCall {
  readonly call: ToolCall
  /** The name of the tool that the client would call again. */
  readonly tool: string
  readonly places: AnswerPlaces
  /** The answers that the route has looked at. */
  readonly read: Iterable<string>
  readonly states: Pick<RequestStates, 'seal'>
}

/** The answer, and the status that the call's record has. */
type Answered = Pick<CallEnd, 'answer' | 'status'>

type Unanswered = readonly (readonly [name: string, question: ElicitedQuestion])[]

/** The client is asked what it declares that it can be asked. Where that brings the route no further, the model is told what to pass
 *  in place of the answers, or the client which capability it lacks. Source: MCP 2026-07-28, Elicitation, capabilities. */
export function askClient(error: InputRequired, asking: AskingCall): Answered {
  const open = unanswered(Object.entries(error.elicited), asking)
  const declared = declaredCapabilities(asking.call.message)
  const askable = declared === null ? [] : open.filter(([, question]) => canBeAsked(question, declared))
  const { answers = {} } = asking.call.message.retry ?? {}
  const isStuck = askable.length < open.length && askable.every(([name]) => Object.hasOwn(answers, name))
  if (isStuck || declared === null) return unaskable(open, declared, asking)
  const inputRequests = Object.fromEntries(askable.map(([name, question]) => [name, elicitationOf(question)]))
  try {
    const requestState = stateOf(error, askable, asking)
    return { answer: { kind: 'input', inputRequests, requestState }, status: null }
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure
    return {
      answer: failedCall('400 Bad Request\nthe arguments or the answers are nested too deeply'),
      status: null,
    }
  }
}

/** Of several questions those that the route's parameters have no answer to; a route that has them all asks anew. */
function unanswered(all: Unanswered, { call, places }: AskingCall): Unanswered {
  const isAnswered = (name: string): boolean => {
    const place = places.find((item) => item.name === name)
    if (place === undefined) return false
    return (
      Object.hasOwn(call.args, place.argument) || acceptedContent(call.message, name, place.schema) !== null
    )
  }
  const open = all.filter(([name]) => !isAnswered(name))
  return open.length === 0 ? all : open
}

/** Null where nothing is to come back. What is asked again is forgotten. */
function stateOf(
  { state }: InputRequired,
  askable: Unanswered,
  { call, places, read, states }: AskingCall,
): string | null {
  const again = askable.map(([name]) => name)
  const kept = [...places.map(({ name }) => name), ...read].filter((name) => !again.includes(name))
  const answers = carriedAnswers(call.message, kept)
  if (state === null && answers === null && askable.length > 0) return null
  const owner = { headers: call.client.request.headers, name: call.name, args: call.sent }
  return states.seal({ state, answers: answers ?? {} }, owner)
}

/** A client that names no mode of elicitation shows forms. */
export function canBeAsked(
  question: ElicitedQuestion,
  { elicitation, sampling, roots }: WireObject,
): boolean {
  if ('method' in question) return isObject(question.method === 'roots/list' ? roots : sampling)
  if (!isObject(elicitation)) return false
  if ('url' in question) return 'url' in elicitation
  return 'form' in elicitation || Object.keys(elicitation).length === 0
}

export function elicitationOf(question: ElicitedQuestion): WireObject {
  if ('method' in question) return { method: question.method, params: question.params ?? {} }
  const { message } = question
  const params =
    'url' in question
      ? { mode: 'url', message, url: question.url }
      : { mode: 'form', message, requestedSchema: question.schema }
  return { method: 'elicitation/create', params }
}

function unaskable(
  questions: Unanswered,
  declared: WireObject | null,
  { tool, places }: AskingCall,
): Answered {
  const open = questions.filter(([, question]) => declared === null || !canBeAsked(question, declared))
  const passable = open.flatMap(([name, question]) => {
    const place = places.find((item) => item.name === name)
    return place === undefined || !('schema' in question) ? [] : [{ ...place, message: question.message }]
  })
  const isPassable = passable.length > 0 && passable.length === open.length
  const status = isPassable || declared === null ? 422 : null // as over HTTP
  if (isPassable) return { answer: failedCall(whatToPass(tool, passable)), status }
  if (declared === null)
    return {
      answer: failedCall(`${tool} asks its user for input: that needs a client of MCP 2026-07-28`),
      status,
    }
  const required = merged(open.map(([, question]) => neededBy(question)))
  return { answer: refusedAnswer({ kind: 'missingCapability', required }), status }
}

type Passable = AnswerPlaces[number] & { readonly message: string }

/** For a model: its client cannot show the form. */
function whatToPass(tool: string, passable: readonly Passable[]): string {
  const lines = passable.map(
    ({ argument, message, schema }) => `${argument}: ${message}\n  schema: ${JSON.stringify(schema)}`,
  )
  return [
    `${tool} needs an answer of the user, whom this client cannot ask for it.`,
    `Ask the user yourself, and call ${tool} again with the same arguments and ${passable.length === 1 ? 'this one' : 'these'}:`,
    ...lines,
  ].join('\n')
}

/** The capability that a client declares to be asked this. */
function neededBy(question: ElicitedQuestion): WireObject {
  if ('method' in question) return { [question.method === 'roots/list' ? 'roots' : 'sampling']: {} }
  return { elicitation: 'url' in question ? { url: {} } : { form: {} } }
}

/** One level deep, as capabilities are. */
function merged(all: readonly WireObject[]): WireObject {
  const whole: Record<string, WireObject> = {}
  for (const item of all) {
    for (const [name, parts] of Object.entries(item)) whole[name] = { ...whole[name], ...Object(parts) }
  }
  return whole
}
