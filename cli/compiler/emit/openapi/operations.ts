/** An operation of the document: its words, parameters, body and security. */
import type { Action, Controller, Model } from '../../ir/model.ts'
import type { Schema } from '../../ir/schema.ts'
import { factsOfKinds } from '../../ir/schema-kinds.ts'
import { alternativesOf } from '../../ir/schema-walk.ts'
import type { Param, ParamSource } from '../../ir/steps.ts'
import { schemaNamed } from '../../schema/references.ts'
import { approvalField } from './approvals.ts'
import { toBody } from './bodies.ts'
import { keyField, keyParameters } from './idempotency-keys.ts'
import { limitFields } from './limits.ts'
import type { Json } from './openapi-30.ts'
import { parameterSchema } from './responses.ts'
import { securityOf } from './security.ts'

/** An operation but for its responses. */
export function toOperation(model: Model, { id }: Controller, action: Action): Json {
  const own = action.inputs.flatMap((param) => toParameter(param, model.schemas) ?? [])
  const parameters = [...own, ...keyParameters(action)]
  const body = toBody(action, model)
  const { summary, description, deprecated } = action.doc
  return {
    operationId: action.id,
    tags: [id],
    summary: summary === '' ? `${action.verb} ${action.path}` : summary,
    ...(description === '' ? {} : { description }),
    ...(deprecated ? { deprecated: true } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: body }),
    ...securityOf(action),
    ...approvalField(action),
    ...keyField(action),
    ...limitFields(action),
  }
}

/** OpenAPI says that these are described elsewhere (security, media types). */
const ignored = new Set(['authorization', 'accept', 'content-type'])

/** Where OpenAPI says that a parameter stands; null = in no parameter of it. */
const placeOf: Readonly<Record<ParamSource, 'path' | 'query' | 'header' | 'cookie' | null>> = {
  path: 'path',
  rest: 'path',
  query: 'query',
  header: 'header',
  cookie: 'cookie',
  body: null,
  field: null,
  absent: null,
}

function toParameter(param: Param, named: Model['schemas']): object | null {
  const { from, wireName, required, schema, doc, fallback } = param
  const place = placeOf[from]
  if (place === null) return null
  if (from === 'header' && ignored.has(wireName.toLowerCase())) return null
  const inner = parameterSchema(param)
  const whole = fallback === null ? inner : { ...inner, default: fallback }
  return {
    name: wireName,
    in: place,
    ...(required || place === 'path' ? { required: true } : {}),
    ...(doc.summary === '' ? {} : { description: doc.description || doc.summary }),
    ...(doc.deprecated ? { deprecated: true } : {}),
    ...(isJsonText(schema, named)
      ? { content: { 'application/json': { schema: whole } } }
      : { schema: whole }),
  }
}

/** Objects, tuples and lists of them travel as one JSON text outside of a body, not as OpenAPI would spread them. */
function isJsonText(schema: Schema, named: Model['schemas'], seen: Set<string> = new Set()): boolean {
  return alternativesOf(schema, (name) => schemaNamed(name, named), seen).some((alternative) => {
    if (alternative.kind === 'converted') return isJsonText(alternative.inner, named, seen)
    if (alternative.kind === 'array') return isJsonText(alternative.items, named, seen)
    return factsOfKinds[alternative.kind].isJsonText
  })
}
