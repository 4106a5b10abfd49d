/** What the user answered, as a retried call brings it. Source: MCP 2026-07-28, multi round-trip requests: a missing answer is asked for
 *  again, what was not asked is ignored. */
import type { QuestionSchemas } from '../../contract/route.ts'
import { InputDeclined } from '../../errors.ts'
import type { ToolArguments } from '../calls/json-arguments.ts'
import { isObject, type WireObject } from '../protocol/constants.ts'
import type { CallMessage } from '../protocol/message.ts'
import { flatContent } from './flat-schema.ts'

/** Begins the names of what the server itself asks, and of how often it did (`…-rounds`), which stands in a state alone. */
const ours = 'acmcp/'

/** Those that are for the method: what the server asks is answered once, and each answer counts for the round that it came in. */
export const methodAnswers = (answers: WireObject): WireObject =>
  Object.fromEntries(Object.entries(answers).filter(([name]) => !name.startsWith(ours)))

/** What a client sends, without what it cannot say by itself. */
export const sentAnswers = (answers: WireObject): WireObject =>
  Object.fromEntries(
    Object.entries(answers).filter(([name]) => !(name.startsWith(ours) && name.endsWith('-rounds'))),
  )

/** The answer to one question as the client sent it; null = there is none. */
export const answerOf = ({ retry }: CallMessage, name: string): unknown =>
  retry !== null && Object.hasOwn(retry.answers, name) ? (retry.answers[name] ?? null) : null

/** What the user has filled in; null = nothing yet, or what does not fit. Throws `InputDeclined` when they would not. */
export function acceptedContent(message: CallMessage, name: string, schema: WireObject): WireObject | null {
  const answer = answerOf(message, name)
  if (!isObject(answer)) return null
  const { action, content } = answer
  if (action === 'decline' || action === 'cancel') throw new InputDeclined(name, action)
  return action === 'accept' && isObject(content) ? flatContent(schema, content) : null
}

/** The arguments of a call, with what the user has answered. Throws `InputDeclined`. */
export function withAnswers(args: ToolArguments, message: CallMessage, places: AnswerPlaces): ToolArguments {
  if (message.retry === null) return args
  const answered = places.map(({ name, argument, schema }) => [
    argument,
    acceptedContent(message, name, schema),
  ])
  return { ...args, ...Object.fromEntries(answered.filter(([, content]) => content !== null)) }
}

/** Where each of a route's questions goes: the argument that its answer is. */
export type AnswerPlaces = readonly {
  readonly name: string
  readonly argument: string
  readonly schema: WireObject
}[]

interface Placed {
  readonly argument: string
  readonly from: string
  readonly name: string
}

/** Of a tool that runs the route. */
export function answerPlaces(questions: QuestionSchemas, placed: readonly Placed[]): AnswerPlaces {
  return Object.entries(questions).map(([name, schema]) => {
    const place = placed.find(
      (item) => item.name === name && (item.from === 'field' || item.from === 'query'),
    )
    return { name, argument: place?.argument ?? name, schema }
  })
}

/** What of the answers is needed again in the next round: the forms that the route has read. */
export function carriedAnswers(message: CallMessage, names: Iterable<string>): WireObject | null {
  const kept = [...new Set(names)].flatMap((name) => {
    const answer = answerOf(message, name)
    return isObject(answer) && answer.action === 'accept' && isObject(answer.content)
      ? [[name, { action: 'accept', content: answer.content }] as const]
      : []
  })
  return kept.length === 0 ? null : Object.fromEntries(kept)
}
