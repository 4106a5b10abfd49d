/** What a call answers: its type, told apart by the status, and how the client reads each of them. */

import { handlerResults, ownErrors } from '../../compiler/emit/openapi/responses.ts'
import type { Action, Model } from '../../compiler/ir/model.ts'
import type { Schema } from '../../compiler/ir/schema.ts'
import { bare } from '../../compiler/ir/schema-walk.ts'
import { saysJson, sentForm, unionOf } from '../../compiler/ir/sent-form.ts'
import type { Result } from '../../compiler/ir/steps.ts'
import { type PrintedData, shapeOf } from './shapes.ts'
import { type TypeNames, typeText, unionText } from './type-text.ts'

/** What stands in a body, as the client reads it. */
type Content =
  | { readonly kind: 'none' | 'any' | 'text' | 'bytes' }
  | { readonly kind: 'json' | 'events'; readonly schema: Schema }

export interface ClientAnswer {
  readonly status: Result['status']
  readonly content: Content
  /** Whether there may be no body. */
  readonly orNothing: boolean
}

/** The successes of a route. */
export const successesOf = ({ results, produces, answersElse }: Action): readonly ClientAnswer[] =>
  results.map((result) => ({
    status: result.status,
    content: contentOf(result, produces === '*/*'),
    orNothing: answersElse && result.schema !== null,
  }))

/** What the handlers of a route answer. Of one that renders its own status and says nothing of its body nothing is known:
 *  with it no error would have a type. */
export const handledBy = (action: Action): readonly ClientAnswer[] =>
  handlerResults(action)
    .filter(({ status, schema }) => status !== 'default' || schema !== null)
    .map(failureOf)

/** Every other failure that is documented. `@throws` of an error that a handler answers says nothing new. */
export function ownFailuresOf(model: Model, action: Action): readonly ClientAnswer[] {
  const handled = new Set(handlerResults(action).map(({ status }) => status))
  return ownErrors(model, action)
    .filter(({ status, schema }) => schema !== null || !handled.has(status))
    .map(failureOf)
}

const failureOf = (result: Result): ClientAnswer => ({
  status: result.status,
  content: contentOf(result, true),
  orNothing: false,
})

/** `isRendered` = what has no type may be anything. */
function contentOf({ schema, contentType }: Result, isRendered: boolean): Content {
  if (schema === null) return { kind: isRendered || contentType !== null ? 'any' : 'none' }
  if (schema.kind === 'events')
    return contentType === null || isEventStream(contentType)
      ? { kind: 'events', schema: schema.items }
      : { kind: 'bytes' } // such as lines of JSON
  if (schema.kind === 'binary') return { kind: 'bytes' }
  if (contentType === null || saysJson(contentType))
    return { kind: 'json', schema: sentForm(schema, contentType) }
  return { kind: isBytes(schema) ? 'bytes' : 'text' }
}

const isEventStream = (contentType: string): boolean => /^text\/event-stream\s*(;|$)/i.test(contentType)

function isBytes(schema: Schema): boolean {
  const inner = bare(schema)
  return inner.kind === 'bytes' || (inner.kind === 'converted' && inner.to === 'Buffer')
}

/** A member of the union for each answer of a status. */
export const answerTypes = (answers: readonly ClientAnswer[], names: TypeNames): readonly string[] =>
  answers.flatMap((answer) => {
    const { status } = answer
    if (status === 'default') return []
    return [`${status < 400 ? 'Success' : 'Failure'}<${status}, ${dataType(answer, names)}>`]
  })

/** What may come with any other status; null = nothing does. */
export function otherType(answers: readonly ClientAnswer[], names: TypeNames): string | null {
  const others = answers.filter(({ status }) => status === 'default')
  return others.length === 0 ? null : unionText(others.map((answer) => dataType(answer, names)))
}

function dataType({ content, orNothing }: ClientAnswer, names: TypeNames): string {
  return orNothing ? unionText([contentType(content, names), 'undefined']) : contentType(content, names)
}

function contentType(content: Content, names: TypeNames): string {
  switch (content.kind) {
    case 'none':
      return 'undefined'
    case 'any':
      return 'unknown'
    case 'text':
      return 'string'
    case 'bytes':
      return 'AsyncIterable<Uint8Array>'
    case 'json':
      return typeText(content.schema, names)
    case 'events':
      return `AsyncIterable<ServerSentEvent<${typeText(content.schema, names)}>>`
  }
}

/** By status; what comes with the same status is read together. */
export function answersData(
  answers: readonly ClientAnswer[],
  named: Model['schemas'],
): { [name: string]: PrintedData } {
  const statuses = [...new Set(answers.map(({ status }) => status))]
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      contentData(
        answers.filter((answer) => answer.status === status),
        named,
      ),
    ]),
  )
}

function contentData(answers: readonly ClientAnswer[], named: Model['schemas']): PrintedData {
  const contents = answers.map(({ content }) => content)
  const has = (...kinds: readonly Content['kind'][]): boolean =>
    contents.some(({ kind }) => kinds.includes(kind))
  const json = contents.flatMap((content) => (content.kind === 'json' ? [content.schema] : []))
  const events = contents.flatMap((content) => (content.kind === 'events' ? [content.schema] : []))
  const data = {
    ...(has('any') ? { json: 'json' } : {}),
    ...(json.length === 0 ? {} : { json: shapeOf(unionOf(json), named) }),
    ...(events.length === 0 ? {} : { events: shapeOf(unionOf(events), named) }),
    ...(has('any', 'bytes') ? { bytes: true } : {}),
    ...(has('any', 'text') ? { text: true } : {}),
  }
  const isEmpty = has('any', 'none') || answers.some(({ orNothing }) => orNothing)
  return isEmpty && Object.keys(data).length > 0 ? { ...data, empty: true } : data
}

/** What stands in bodies that the client makes values of. */
export const schemasOf = (answers: readonly ClientAnswer[]): readonly Schema[] =>
  answers.flatMap(({ content }) => ('schema' in content ? [content.schema] : []))
