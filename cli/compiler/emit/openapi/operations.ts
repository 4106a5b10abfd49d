/** An operation of the document: its words, parameters, body and security. */
import { fullText } from '../../ir/docs.ts'
import { addedBy, fieldsAt } from '../../ir/features.ts'
import type { Action, Controller, Model } from '../../ir/model.ts'
import { withoutNull } from '../../ir/schema-walk.ts'
import type { Param, ParamSource } from '../../ir/steps.ts'
import { toBody } from './bodies.ts'
import type { Json } from './json.ts'
import { securityOf } from './security.ts'
import { schemaOfTexts } from './text-schema.ts'

/** An operation but for its responses. */
export function toOperation(model: Model, { id }: Controller, action: Action): Json {
  const own = action.inputs.flatMap((param) => toParameter(param, model.schemas) ?? [])
  const parameters = [...own, ...addedBy(action, ({ operation }) => operation.parameters)]
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
    ...fieldsAt(action, ['access', 'retry', 'call', 'answer'], ({ operation }) => operation.fields),
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
  const { from, wireName, required, doc, fallback } = param
  const place = placeOf[from]
  if (place === null) return null
  if (from === 'header' && ignored.has(wireName.toLowerCase())) return null
  const sent = place === 'path' ? { ...param, schema: withoutNull(param.schema) } : param // it is always there
  const { schema: inner, isJson } = schemaOfTexts(sent, named)
  const whole = fallback === null ? inner : { ...inner, default: fallback }
  return {
    name: wireName,
    in: place,
    ...(required || place === 'path' ? { required: true } : {}),
    ...(doc.summary === '' ? {} : { description: fullText(doc) }),
    ...(doc.deprecated ? { deprecated: true } : {}),
    ...(isJson ? { content: { 'application/json': { schema: whole } } } : { schema: whole }),
  }
}
