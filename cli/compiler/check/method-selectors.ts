/** The names of methods in `only=` and `except=` of filters, `@skipFilter` and `@requireTls`. */

import { unknownMethod } from '../diagnostics/model-diagnostics.ts'
import { didYouMean } from '../diagnostics/similar-names.ts'
import type { Diagnostic } from '../diagnostics/source-diagnostics.ts'
import type { At } from '../ir/schema.ts'
import type { DeclaredController, MethodSelector } from '../ir/source-model.ts'

/** What is a mistake, or none, by what other controllers say of the place. */
export interface Suspicion {
  readonly place: string
  readonly found: Diagnostic
}

/** The places of what several classes may inherit: filters and `@requireTls`, each once. */
export function selectorPlaces({ methods, tls }: DeclaredController): readonly string[] {
  const filters = methods.flatMap(({ filter }) => (filter === null ? [] : [filterPlace(filter.at)]))
  return [...new Set([...filters, ...tls.map(({ at }) => tlsPlace(at))])]
}

const filterPlace = ({ file, line }: At): string => `filter ${file}:${line}`
const tlsPlace = ({ file, line }: At): string => `requireTls ${file}:${line}`

/** The names that no method has: `always` mistakes, or those of a selector that only this class has. */
export function unknownInSelectors(declared: DeclaredController): {
  readonly always: readonly Diagnostic[]
  readonly alone: readonly Suspicion[]
} {
  const { methods, skips, tls } = declared
  const owner = declared.symbol.name
  const filters = methods.flatMap(({ name, filter }) => (filter === null ? [] : [{ ...filter, name }]))
  const strangers = skips
    .filter(({ filter }) => filter !== '' && !filters.some(({ name }) => name === filter))
    .map(({ at, filter }) => {
      const names = filters.map(({ name }) => name)
      return unknownMethod(at, 'skipFilter', `filter '${filter}'`, owner, didYouMean(filter, names))
    })
  const called = methods.filter(
    ({ routes: own, mcp, completes }) => own.length > 0 || mcp.prompt !== null || completes.length > 0,
  )
  const routes = called.map(({ name }) => name)
  const unknown = (tag: string, selector: PlacedSelector): readonly Diagnostic[] =>
    unknownIn({ routes, owner, tag }, selector)
  const suspect = (place: string, all: readonly Diagnostic[]): readonly Suspicion[] =>
    all.map((found) => ({ place, found }))
  return {
    always: [...strangers, ...skips.flatMap((skip) => unknown('skipFilter', skip))],
    alone: [
      ...filters.flatMap((filter) => suspect(filterPlace(filter.at), unknown('filter', filter))),
      ...tls.flatMap((tl) => suspect(tlsPlace(tl.at), unknown('requireTls', tl))),
    ],
  }
}

type PlacedSelector = MethodSelector & { readonly at: At }

interface Naming {
  readonly routes: readonly string[]
  readonly owner: string
  readonly tag: string
}

const unknownIn = (
  { routes, owner, tag }: Naming,
  { only, except, at }: PlacedSelector,
): readonly Diagnostic[] =>
  [...(only ?? []), ...except]
    .filter((name) => !routes.includes(name))
    .map((name) => unknownMethod(at, tag, `route method '${name}'`, owner, didYouMean(name, routes)))
