/** The responses of an operation: success results, the answers of the handlers and documented errors. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import type { Action, Model } from '../../ir/model.ts'
import type { Schema } from '../../ir/schema.ts'
import { bare } from '../../ir/schema-walk.ts'
import type { Handler, Result } from '../../ir/steps.ts'
import { jsonSchema } from '../../schema/json-schema.ts'
import { schemaNamed } from '../../schema/references.ts'
import { limitHeaders, limitResults } from './limits.ts'
import { questionResults } from './questions.ts'
import { guardResults } from './security.ts'

/** The address of a component. */
export const refTo = (name: string): string => `#/components/schemas/${name}`

/** The handlers that can answer. */
export const runningHandlers = ({ handlers }: Action): readonly Handler[] =>
  handlers.filter(({ coveredBy }) => coveredBy === null)

const socketText = (summary: string): Result['doc'] => ({
  summary,
  description: '',
  deprecated: false,
  examples: [],
})

/** What a WebSocket route answers: OpenAPI knows no sockets, so the handshake is documented. */
const socketResults: readonly Result[] = [
  { status: 101, contentType: null, schema: null, doc: socketText('The connection becomes a WebSocket.') },
  { status: 426, contentType: null, schema: null, doc: socketText('The request must ask for a WebSocket.') },
]

/** What the handlers answer. */
export const handlerResults = (action: Action): readonly Result[] =>
  runningHandlers(action).flatMap(({ results }) => results)

/** What else is documented: errors, and what the guard answers. */
export const ownErrors = (model: Model, action: Action): readonly Result[] => [
  ...action.errors,
  ...guardResults(model, action, runningHandlers(action)),
  ...limitResults(action, runningHandlers(action)),
  ...questionResults(action, runningHandlers(action)),
]

/** Success results, the answers of the handlers and documented errors, by status; equal statuses are merged. */
export function toResponses(model: Model, action: Action): object {
  const { schemas, responders } = model
  const own = action.websocket ? socketResults : action.results
  const all = [...own, ...handlerResults(action), ...ownErrors(model, action)]
  const statuses = [...new Set(all.map(({ status }) => String(status)))].sort()
  const discriminate = (schema: Schema): JsonSchema => withMapping(schema, schemas)
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        ...toResponse(
          all.filter((one) => String(one.status) === status),
          discriminate,
          responders,
        ),
        ...limitHeaders(action, status),
      },
    ]),
  )
}

function toResponse(
  results: readonly Result[],
  toSchema: (schema: Schema) => JsonSchema,
  responders: readonly string[],
): object {
  const texts = [...new Set(results.map(({ doc }) => doc.summary).filter((text) => text !== ''))]
  const byType = new Map<string, JsonSchema[]>()
  for (const { schema, contentType } of results) {
    if (schema === null) continue
    const types = contentType === null ? ['application/json', ...responders] : [contentType]
    for (const type of types) byType.set(type, [...(byType.get(type) ?? []), toSchema(schema)])
  }
  const content = [...byType].map(([type, found]) => [type, { schema: merged(found) }])
  return {
    description: texts.length === 0 ? defaultText(results) : texts.join(' / '),
    ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
  }
}

const defaultText = ([first]: readonly Result[]): string =>
  first !== undefined && typeof first.status === 'number' && first.status < 400 ? 'Success' : 'Error'

function merged(found: readonly JsonSchema[]): JsonSchema {
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  const unique = [...new Map(found.map((schema) => [JSON.stringify(schema), schema])).values()]
  const [only] = unique
  return only !== undefined && unique.length === 1 ? only : { anyOf: unique }
}

/** A union told apart by a text, when every member is a component, says which value is which component: the mapping of
 *  OpenAPI knows no other values. */
export function withMapping(schema: Schema, named: Model['schemas']): JsonSchema {
  const plain = jsonSchema(schema, refTo)
  if (schema.kind !== 'union' || schema.discriminator === null) return plain
  const { discriminator } = schema
  const pairs = schema.members.flatMap((member) => {
    const target = member.kind === 'ref' ? schemaNamed(member.name, named) : null
    const object = target === null ? null : bare(target.schema)
    const properties = object?.kind === 'object' ? object.properties : []
    const property = properties.find(({ name }) => name === discriminator)
    const value = property === undefined ? null : bare(property.schema)
    const tag = value?.kind === 'literal' ? value.value : null
    return target !== null && typeof tag === 'string' ? [[tag, refTo(target.name)]] : []
  })
  if (pairs.length < schema.members.length) return plain
  return { ...plain, discriminator: { propertyName: discriminator, mapping: Object.fromEntries(pairs) } }
}
