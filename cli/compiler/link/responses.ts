/** What a route responds with: success results, statuses by class, documented errors. */

import { docOf } from '../ir/docs.ts'
import type { Action } from '../ir/model.ts'
import type { Schema } from '../ir/schema.ts'
import { streamedType } from '../ir/schema-walk.ts'
import { saysJson, sentForm } from '../ir/sent-form.ts'
import type { DeclaredMethod, DeclaredReturns, DeclaredRoute, DeclaredThrows } from '../ir/source-model.ts'
import type { Result, StatusOf } from '../ir/steps.ts'

/** The success results of a method; what the runtime sends by default comes first. */
export function linkResults(method: DeclaredMethod): readonly Result[] {
  const { result: schema, produces } = method
  const contentType = contentTypeOf(produces, schema)
  const plain: Result = { status: 200, contentType, schema, doc: docOf('') }
  const written = [...method.returns].sort((a, b) => Number(a.type !== null) - Number(b.type !== null))
  const results = written.map((returns) => linkReturns(method, returns))
  return written.length === 0 || method.returnsMore ? [plain, ...results] : results
}

/** One `@returns` of a route, or of a handler that renders itself. */
export function linkReturns(
  method: DeclaredMethod,
  { isTyped, schema: typed, status, text }: DeclaredReturns,
  produces: string | null = method.produces,
): Result {
  const schema = isTyped ? typed : method.result
  return { status: status ?? 200, contentType: contentTypeOf(produces, schema), schema, doc: docOf(text) }
}

/** What a method, or a filter of its route, says of what it renders: a result for each type that a tag names. `status`: of a tag
 *  that names none. */
export function linkRendered(
  method: DeclaredMethod,
  filters: readonly DeclaredMethod[] = [],
  status = 200,
): readonly Result[] {
  const typed = method.returns.filter(({ isTyped, schema }) => isTyped && schema !== null)
  const own = typed.map((returns) => linkReturns(method, { ...returns, status: returns.status ?? status }))
  const ofFilters = filters.flatMap(({ throws }) => throws.map(linkThrows))
  return [...own, ...ofFilters.filter(({ schema }) => schema !== null)]
}

/** The content type that is written, else that of what is sent as it comes; null = negotiated. */
export const contentTypeOf = (written: string | null, schema: Schema | null): string | null =>
  written ?? (schema === null ? null : streamedType(schema))

/** What a route sends without negotiation: the type that is written, that of bytes or events, or any where every response is
 *  rendered by the method itself. */
export function producedType({ websocket }: DeclaredRoute, method: DeclaredMethod): string | null {
  if (method.produces !== null) return method.produces
  if (websocket || (method.rendersItself && method.result === null)) return '*/*'
  return linkResults(method)[0]?.contentType ?? null
}

/** The classes whose values have a status of their own; none where there is one status only. */
export function linkStatuses(method: DeclaredMethod): readonly StatusOf[] {
  const statuses = new Set(linkResults(method).map(({ status }) => status))
  if (statuses.size < 2) return []
  return method.returns.flatMap(({ type, status }) =>
    type === null ? [] : [{ type, status: status ?? 200 }],
  )
}

/** What every success of a route is. None where it may be something else or is no JSON: a client refuses an answer without the structured
 *  content that a tool's schema promises. Source: MCP 2025-11-25, Tools, output schema; rules.md, results. */
export function promisedOutput({
  results,
  answersElse,
}: Pick<Action, 'results' | 'answersElse'>): Schema | null {
  const [result, ...others] = results
  if (answersElse || others.length > 0) return null
  const schema = result?.schema ?? null
  if (result === undefined || schema === null || streamedType(schema) !== null) return null
  const { contentType } = result
  if (contentType !== null && !saysJson(contentType)) return null
  return sentForm(schema, contentType) === schema ? schema : null
}

/** What `@throws` documents, and the responses of filters. */
export function linkThrows({ status, schema, text }: DeclaredThrows): Result {
  return { status, contentType: contentTypeOf(null, schema), schema, doc: docOf(text) }
}
