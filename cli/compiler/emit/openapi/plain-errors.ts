/** Errors that acmcp answers before a controller runs, `{ "error": "…" }`, unless a handler of the route has a body for them. */

import { objectSchema, property, textSchema } from '../../ir/plain-schemas.ts'
import type { Schema } from '../../ir/schema.ts'
import type { Handler, Result } from '../../ir/steps.ts'
import type { Json } from './json.ts'

/** What the first handler answers that fits this error of acmcp; its status does not count. */
export const handlerOf = (error: string, handlers: readonly Handler[]): Result | undefined =>
  handlers.find((handler) => answers(handler, error))?.results[0]

const answers = ({ error: { module, name }, match }: Handler, error: string): boolean =>
  match === null && ((module === 'acmcp' && name === error) || (module === '' && name === 'Error'))

/** An object with this error. */
export const errorObject = (error: Schema): Schema => objectSchema(property('error', error))

/** What is answered where no handler has a body for it. */
export const anyError: Pick<Result, 'contentType' | 'schema'> = {
  contentType: 'application/json',
  schema: errorObject(textSchema(null)),
}

/** The header field that says when. */
export const retryAfter = (said: Json): Json => ({
  'Retry-After': { ...said, schema: { type: 'integer', minimum: 1 } },
})
