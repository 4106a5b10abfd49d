/** What a route answers over HTTP that asks the user (`Elicited<T>`): the handler of the shipped base, which no tag documents, for most
 *  routes never ask. */
import { docOf } from '../../ir/docs.ts'
import type { Action } from '../../ir/model.ts'
import { objectSchema, property, textSchema } from '../../ir/plain-schemas.ts'
import type { Schema } from '../../ir/schema.ts'
import type { Handler, Result } from '../../ir/steps.ts'
import { handlerOf } from './plain-errors.ts'

/** None where another handler answers, or none does. */
export function questionResults(
  { params }: Pick<Action, 'params'>,
  handlers: readonly Handler[],
): readonly Result[] {
  const elicited = params.filter(({ isElicited }) => isElicited).map(({ wireName }) => wireName)
  const isShipped = handlers.some(({ owner }) => owner.isShipped && owner.name === 'ApplicationController')
  if (elicited.length === 0 || !isShipped || handlerOf('InputRequired', handlers) !== undefined) return []
  const doc = docOf(`An answer of the user is needed: send the same request with ${elicited.join(' or ')}.`)
  return [{ status: 422, contentType: null, schema: body, doc }]
}

const text = textSchema(null)

/** `InputResponse` of the runtime. */
const body: Schema = objectSchema(
  property('error', text),
  property('questions', {
    kind: 'record',
    values: objectSchema(
      property('message', text),
      property('schema', { kind: 'record', values: { kind: 'unknown' } }, false),
      property('url', text, false),
    ),
  }),
)
