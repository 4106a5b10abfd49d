/** The exception handlers of a route, in the order in which they are asked: ancestors first, then source order. */

import { docOf } from '../ir/docs.ts'
import type { DeclaredController, DeclaredException, DeclaredMethod } from '../ir/source-model.ts'
import type { Callee, Cover, Handler, Match, Result } from '../ir/steps.ts'
import { linkParams, type RouteAddress } from './params.ts'
import { contentTypeOf, linkRendered, linkReturns } from './responses.ts'

/** The handlers of `controller` for a route at `address`. */
export function linkHandlers(controller: DeclaredController, address: RouteAddress): readonly Handler[] {
  const all = controller.methods.flatMap((method) =>
    method.exceptions.map((exception) => ({ exception, method })),
  )
  return all.map(({ exception, method }, index) => {
    const found = coverOf(exception, all.slice(0, index))
    return {
      error: exception.error,
      isGeneric: exception.isGeneric,
      match: exception.match,
      ...calleeOf(controller, method),
      params: linkParams(method.params, address),
      status: exception.status === 'default' ? null : (exception.status ?? 200),
      contentType: exception.contentType,
      results: answersOf(method, exception),
      returned: method.result,
      rendered: linkRendered(method, [], exception.status === 'default' ? 200 : (exception.status ?? 200)),
      coveredBy: found === null ? null : toCover(found, method),
      isRepeated: found !== null && isRepeated(found, { exception, method }),
      depth: method.depth,
      at: exception.at,
    }
  })
}

/** How the generated table calls a method that `controller` has or inherits. */
export function calleeOf({ symbol }: DeclaredController, method: DeclaredMethod): Callee {
  const { name: member, owner, calledOn } = method
  return { member, owner, calledOn: calledOn ?? { ...symbol, arity: 0 } }
}

/** What a handler's answers are in the document. One that renders itself never stands under a status that it does not
 *  name. Source: rules.md, OpenAPI. */
function answersOf(method: DeclaredMethod, exception: DeclaredException): readonly Result[] {
  const { contentType, status } = exception
  const named = method.returns.filter((returns) => returns.status !== null)
  if (status === 'default' && named.length > 0) {
    return named.map((returns) => linkReturns(method, returns, contentType))
  }
  const [returns] = method.returns
  const text = returns?.text === undefined || returns.text === '' ? method.doc.summary : returns.text
  const isOwn = status === null && method.rendersItself && method.result === null
  return [
    {
      status: isOwn ? 'default' : (status ?? 200),
      contentType: contentTypeOf(contentType, method.result),
      schema: method.result,
      doc: docOf(text),
    },
  ]
}

interface Written {
  readonly exception: DeclaredException
  readonly method: DeclaredMethod
}

/** The first earlier handler that fits every error of this one. */
function coverOf(exception: DeclaredException, earlier: readonly Written[]): Written | null {
  const fitting = [exception.identity, ...exception.bases]
  const found = earlier.find(
    ({ exception: { identity, match } }) =>
      fitting.includes(identity) &&
      (match === null || exception.known.some((known) => isEqual(known, match))),
  )
  return found ?? null
}

const toCover = ({ exception, method }: Written, { depth }: DeclaredMethod): Cover => ({
  member: method.name,
  owner: method.owner,
  isInherited: method.depth < depth,
  at: exception.at,
})

const isRepeated = (first: Written, { exception, method }: Written): boolean =>
  first.method.depth === method.depth &&
  first.exception.identity === exception.identity &&
  isEqual(first.exception.match, exception.match)

const isEqual = (a: Match | null, b: Match | null): boolean =>
  a?.property === b?.property && a?.value === b?.value
