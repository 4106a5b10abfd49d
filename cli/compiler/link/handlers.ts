/** The exception handlers of a route, in the order in which they are asked: ancestors first, then source order. */
import type { DeclaredController, DeclaredException, DeclaredMethod } from '../declared.ts'
import type { At, Handler, Match, Result, SymbolRef } from '../model.ts'
import { linkReturns, textOnly } from './answers.ts'
import { linkParam, type Place } from './params.ts'

/** The handlers of `controller` for a route at `place`. */
export function linkHandlers(controller: DeclaredController, place: Place): readonly Handler[] {
  const all = controller.methods.flatMap((method) =>
    method.exceptions.map((exception) => ({ exception, method })),
  )
  return all.map(({ exception, method }, index) => {
    const cover = coverOf(exception, all.slice(0, index))
    return {
      error: exception.error,
      isGeneric: exception.isGeneric,
      match: exception.match,
      member: method.name,
      params: method.params.map((param) => linkParam(param, place)),
      status: exception.status === 'default' ? null : (exception.status ?? 200),
      contentType: exception.contentType,
      results: answersOf(method, exception),
      coveredBy: cover?.at ?? null,
      isRepeated: cover?.isRepeated === true && cover.depth === method.depth,
      depth: method.depth,
      at: exception.at,
    }
  })
}

/** What a handler's answers are in the document. One that renders itself never stands under a status that it does not
 *  name. Source: decisions.md, OpenAPI. */
function answersOf(method: DeclaredMethod, exception: DeclaredException): readonly Result[] {
  const { contentType, status } = exception
  const named = method.returns.filter((returns) => returns.status !== null)
  if (status === 'default' && named.length > 0) {
    return named.map((returns) => ({ ...linkReturns(method, returns), contentType }))
  }
  const [returns] = method.returns
  const text = returns?.text === undefined || returns.text === '' ? method.doc.summary : returns.text
  const isOwn = status === null && method.rendersItself && method.result === null
  return [
    { status: isOwn ? 'default' : (status ?? 200), contentType, schema: method.result, doc: textOnly(text) },
  ]
}

interface Cover {
  readonly at: At
  readonly depth: number
  readonly isRepeated: boolean
}

/** The first earlier handler that fits every error of this one. */
function coverOf(
  exception: DeclaredException,
  earlier: readonly { readonly exception: DeclaredException; readonly method: DeclaredMethod }[],
): Cover | null {
  const fitting = [exception.error, ...exception.bases]
  const found = earlier.find(
    ({ exception: { error, match } }) =>
      fitting.some((one) => isSame(one, error)) &&
      (match === null || exception.known.some((known) => isEqual(known, match))),
  )
  if (found === undefined) return null
  const { error, match, at } = found.exception
  const isRepeated = isSame(error, exception.error) && isEqual(match, exception.match)
  return { at, depth: found.method.depth, isRepeated }
}

const isSame = (a: SymbolRef, b: SymbolRef): boolean => a.module === b.module && a.name === b.name

const isEqual = (a: Match | null, b: Match | null): boolean =>
  a?.property === b?.property && a?.value === b?.value
