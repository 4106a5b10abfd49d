/** Errors that acmcp answers before a controller runs, `{ "error": "…" }`, unless a handler of the route has a body for them. */

import type { Property, Schema } from '../../ir/schema.ts'
import type { Handler, Result } from '../../ir/steps.ts'

/** What the first handler answers that fits this error of acmcp; its status does not count. */
export const handlerOf = (error: string, handlers: readonly Handler[]): Result | undefined =>
  handlers.find((handler) => answers(handler, error))?.results[0]

const answers = ({ error: { module, name }, match }: Handler, error: string): boolean =>
  match === null && ((module === 'acmcp' && name === error) || (module === '' && name === 'Error'))

/** An object with this error. */
export const errorObject = (error: Schema): Schema => objectSchema(property('error', error))

export const objectSchema = (...properties: readonly Property[]): Schema => ({
  kind: 'object',
  properties,
  rest: null,
  named: [],
  withheld: [],
})

export const property = (name: string, schema: Schema, required = true): Property => ({
  name,
  schema,
  required,
  orUndefined: false,
  isSecret: false,
  isWriteOnly: false,
  isUntrusted: false,
  doc: docOf(''),
})

/** A text, of this format of JSON Schema. */
export const textSchema = (format: string | null): Schema => ({ kind: 'string', format, pattern: null })

export const docOf = (summary: string): Result['doc'] => ({
  summary,
  description: '',
  deprecated: false,
  examples: [],
})
