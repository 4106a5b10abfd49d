/** What a task asks its user, and what came back. It is kept until all is answered: the route then runs again. */

import type { ToolAnswer } from '../../mcp/calls/tool-answer.ts'
import { isObject, type WireObject } from '../../mcp/protocol/constants.ts'
import type { RequestStates } from '../../mcp/questions/request-state.ts'

/** The state of a question stays with the task: nothing need be sealed. */
export const keptStates: Pick<RequestStates, 'seal'> = { seal: (state) => JSON.stringify(state) }

export interface TaskInput {
  /** How often it has asked: a key names one question in the life of a task. */
  readonly round: number
  readonly requests: WireObject
  readonly answers: WireObject
  /** What the route carries along, its state and earlier answers, as JSON; null = nothing. */
  readonly state: string | null
}

/** As the store has it. */
export const readInput = (text: string | null): TaskInput | null =>
  text === null ? null : (JSON.parse(text) as TaskInput) // written below alone

export function requestedInput(
  { inputRequests, requestState: state }: Extract<ToolAnswer, { kind: 'input' }>,
  before: TaskInput | null,
): TaskInput {
  const round = (before?.round ?? 0) + 1
  const requests = Object.entries(inputRequests).map(([name, request]) => [`${round}.${name}`, request])
  return { round, requests: Object.fromEntries(requests), answers: {}, state }
}

/** Those that the client has not answered yet. */
export const outstanding = ({ requests, answers }: TaskInput): WireObject =>
  Object.fromEntries(Object.entries(requests).filter(([key]) => !Object.hasOwn(answers, key)))

/** With the answers to what is still asked; others say nothing. Null when there is none. Source: SEP-2663, Task Update Requests. */
export function answeredInput(input: TaskInput, responses: WireObject): TaskInput | null {
  const requested = outstanding(input)
  const taken = Object.entries(responses).filter(([key]) => Object.hasOwn(requested, key))
  return taken.length === 0 ? null : { ...input, answers: { ...input.answers, ...Object.fromEntries(taken) } }
}

export const isAnswered = (input: TaskInput): boolean => Object.keys(outstanding(input)).length === 0

/** As the route asks for them. */
export function retryOf(input: TaskInput | null): { answers: WireObject; state: unknown } | null {
  if (input === null) return null
  const named = Object.entries(input.answers).map(([key, answer]) => [
    key.slice(key.indexOf('.') + 1),
    answer,
  ])
  const carried = input.state === null ? { state: null, answers: {} } : JSON.parse(input.state)
  return { answers: { ...carried.answers, ...Object.fromEntries(named) }, state: carried.state }
}

/** As the store can keep it; null for what is nested too deeply. */
export function writable(value: WireObject): string | null {
  try {
    return JSON.stringify(value)
  } catch {
    return null
  }
}

/** The answers of `tasks/update`; null for what is none. */
export const responsesIn = ({ inputResponses }: WireObject): WireObject | null =>
  isObject(inputResponses) ? inputResponses : null
