/** The responses of an operation: success results, and failures, by status; equal statuses are merged. */
import type { JsonSchema } from '../../../../runtime/contract/mcp.ts'
import { docOf } from '../../ir/docs.ts'
import { addedBy, type FrameworkResult } from '../../ir/features.ts'
import type { Action, Model } from '../../ir/model.ts'
import { distinct } from '../../ir/plain-schemas.ts'
import type { Marks, Schema } from '../../ir/schema.ts'
import { bare, type Of } from '../../ir/schema-walk.ts'
import { sentForm } from '../../ir/sent-form.ts'
import type { Handler, Param, Result } from '../../ir/steps.ts'
import { jsonSchema } from '../../schema/json-schema.ts'
import { alternativesOf, schemaNamed } from '../../schema/references.ts'
import type { Json } from './json.ts'
import { questionResults } from './questions.ts'
import { guardResults, scopeLabel } from './security.ts'

/** The address of a component. */
export const refTo = (name: string): string => `#/components/schemas/${name}`

/** A schema as the document has it: whole, with what tags say of its properties. */
export const documentedSchema = (schema: Schema, named: Model['schemas']): JsonSchema =>
  jsonSchema(schema, refTo, {
    further: { ofProperty: markKeywords, ofTagged: (union) => mappingOf(union, named) },
  })

/** The schema of a parameter. */
export const parameterSchema = (
  { schema, isSecret }: Pick<Param, 'schema' | 'isSecret'>,
  named: Model['schemas'],
): JsonSchema => ({
  ...documentedSchema(schema, named),
  ...markKeywords({ isSecret, isUntrusted: false, isWriteOnly: false }),
})

const markKeywords = ({ isSecret, isUntrusted, isWriteOnly }: Marks): JsonSchema => ({
  ...(isSecret ? { 'x-acmcp-secret': true } : {}),
  ...(isUntrusted ? { 'x-acmcp-untrusted': true } : {}),
  ...(isWriteOnly ? { writeOnly: true } : {}),
})

/** The handlers that no earlier one answers for. */
export const runningHandlers = ({ handlers }: Action): readonly Handler[] =>
  handlers.filter(({ coveredBy }) => coveredBy === null)

/** What a WebSocket route answers: OpenAPI knows no sockets, so the handshake is documented. */
const socketResults: readonly Result[] = [
  { status: 101, contentType: null, schema: null, doc: docOf('The connection becomes a WebSocket.') },
  { status: 426, contentType: null, schema: null, doc: docOf('The request must ask for a WebSocket.') },
]

/** What the handlers answer. */
export const handlerResults = (action: Action): readonly Result[] =>
  runningHandlers(action).flatMap(({ results }) => results)

/** What else is documented: errors, and what the guard answers. */
export const ownErrors = (model: Model, action: Action): readonly Result[] => [
  ...action.errors,
  ...frameworkResults(model, action),
]

/** What the framework answers before the route runs, or in its place. */
const frameworkResults = (model: Model, action: Action): readonly (Result | FrameworkResult)[] => [
  ...guardResults(model, action, runningHandlers(action)),
  ...addedBy(action, ({ operation }) => operation.results),
  ...questionResults(action, runningHandlers(action)),
]

/** What one status of an operation is. */
export interface StatusResponse {
  readonly status: string
  readonly response: Json
  /** What can be shared with other operations; null = a success of this one. */
  readonly failure: Failure | null
}

export interface Failure {
  /** What tells it from others. */
  readonly key: string
  /** The names of the errors that handlers answer, and of what the framework says. */
  readonly errors: readonly string[]
  /** Whether the route or a filter documents it itself. */
  readonly isOwn: boolean
}

/** The responses in the order of their statuses. */
export function responsesOf(model: Model, action: Action): readonly StatusResponse[] {
  const { schemas, responders } = model
  const groups = groupsOf(model, action)
  const statuses = [...new Set(Object.values(groups).flat().map(statusOf))].sort()
  const toSchema = (schema: Schema): JsonSchema => documentedSchema(schema, schemas)
  return statuses.map((status) => {
    const at = <T extends Result>(results: readonly T[]): readonly T[] =>
      results.filter((result) => statusOf(result) === status)
    const { successes, handled, documented, frameworks } = groups
    const all = [successes, handled, documented, frameworks].flatMap(at)
    const response = { ...toResponse(all, toSchema, responders), ...headersOf(action, status) }
    if (at(successes).length > 0) return { status, response, failure: null }
    const errors = [...new Set([...at(handled), ...at(frameworks)].map(({ error }) => error))]
    const key = JSON.stringify([status, errors, response])
    return { status, response, failure: { key, errors, isOwn: at(documented).length > 0 } }
  })
}

/** No two say the same header of one status. */
function headersOf({ features }: Action, status: string): Json {
  const headers = Object.assign({}, ...features.map(({ operation }) => operation.headers[status]))
  return Object.keys(headers).length === 0 ? {} : { headers }
}

const statusOf = ({ status }: Result): string => String(status)

interface NamedResult extends Result {
  readonly error: string
}

interface Groups {
  readonly successes: readonly Result[]
  readonly handled: readonly NamedResult[]
  readonly documented: readonly Result[]
  readonly frameworks: readonly NamedResult[]
}

const groupsOf = (model: Model, action: Action): Groups => ({
  successes: action.websocket ? socketResults : action.results,
  handled: raisedHandlers(action).flatMap(({ results, error }) =>
    results.map((result) => ({ ...result, error: error.name })),
  ),
  documented: action.errors,
  frameworks: frameworkResults(model, action).map((result) => ({ ...result, error: saying(action, result) })),
})

/** What the framework says with a status. */
function saying({ scope }: Action, result: Result | FrameworkResult): string {
  if ('error' in result) return result.error
  const { status } = result
  if (status === 403 && scope !== null) return `InsufficientScope${scopeLabel(scope)}`
  return frameworkErrors.get(status) ?? 'Refused'
}

const frameworkErrors: ReadonlyMap<Result['status'], string> = new Map([
  [401, 'InvalidToken'],
  [422, 'InputRequired'],
])

/** Every answer of an operation that its document tells. */
export const documentedResults = (action: Action): readonly Result[] => [
  ...action.results,
  ...action.errors,
  ...raisedHandlers(action).flatMap(({ results }) => results),
]

function toResponse(
  results: readonly Result[],
  toSchema: (schema: Schema) => JsonSchema,
  responders: readonly string[],
): Json {
  const texts = [...new Set(results.map(({ doc }) => doc.summary).filter((text) => text !== ''))]
  const byType = new Map<string, JsonSchema[]>()
  for (const { schema, contentType } of results) {
    if (schema === null) continue
    const types = contentType === null ? ['application/json', ...responders] : [contentType]
    for (const type of types)
      byType.set(type, [...(byType.get(type) ?? []), toSchema(sentForm(schema, contentType))])
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
  const unique = distinct(found)
  const [only] = unique
  return only !== undefined && unique.length === 1 ? only : { anyOf: unique }
}

/** The values of a type that is texts alone; none of another. */
function textsOf(schema: Schema, named: Model['schemas']): readonly string[] {
  const values = alternativesOf(schema, named).flatMap((item): readonly unknown[] => {
    if (item.kind === 'enum') return item.values
    return item.kind === 'literal' ? [item.value] : [null]
  })
  return values.every((value) => typeof value === 'string') ? values : []
}

/** Of a union told apart by a text, where every member is a component, which value is which component: the mapping of OpenAPI
 *  knows no other values. */
function mappingOf({ discriminator, members }: Of<'union'>, named: Model['schemas']): JsonSchema {
  const pairs = members.flatMap((member) => {
    const target = member.kind === 'ref' ? schemaNamed(member.name, named) : null
    const object = target === null ? null : bare(target.schema)
    const properties = object?.kind === 'object' ? object.properties : []
    const property = properties.find(({ name }) => name === discriminator)
    const tags = property === undefined ? [] : textsOf(property.schema, named)
    return target === null || tags.length === 0 ? [] : [tags.map((tag) => [tag, refTo(target.name)] as const)]
  })
  if (pairs.length < members.length) return {}
  return { discriminator: { propertyName: discriminator, mapping: Object.fromEntries(pairs.flat()) } }
}

// Which handlers can be asked at a route. An exception may come from code that a route calls, which nothing here reads: left out are
// only errors that the framework alone raises, where it has no reason to. Source: rules.md, Exception handlers 7.

type Reason = (action: Action) => boolean

const readsParameters: Reason = ({ inputs }) => inputs.some(({ from }) => from !== 'absent')
const readsBody: Reason = ({ inputs }) => inputs.some(({ from }) => from === 'body' || from === 'field')
const negotiates: Reason = ({ produces, websocket }) => produces === null && !websocket

/** By the name of the shipped class; of the base classes any reason will do. */
const reasons: ReadonlyMap<string, Reason> = new Map([
  ['MissingError', readsParameters],
  ['ValueError', readsParameters],
  ['ParamError', readsParameters],
  ['JsonParseError', readsBody],
  ['UnsupportedMediaType', readsBody],
  ['NotAcceptable', negotiates],
  ['RouteError', (action) => negotiates(action) || readsBody(action)],
])

/** The handlers of errors that can be raised at the route, and are not answered by an earlier one. */
const raisedHandlers = (action: Action): readonly Handler[] =>
  action.handlers.filter(({ coveredBy, error }) => coveredBy === null && canBeRaised(error, action))

function canBeRaised({ module, name }: Handler['error'], action: Action): boolean {
  const reason = module === 'acmcp' ? reasons.get(name) : undefined
  return reason === undefined || reason(action)
}
