/** The rules of scopes: what is declared, and where routes ask for it. Source: decisions/compiler.md, Scopes. */

import { createScopes, type ScopeMistake, scopeMistakes } from '../../../runtime/scopes.ts'
import {
  impliedScopeUnknown,
  scopeCycle,
  scopeMissing,
  scopeOnProbe,
  scopesNotDeclared,
  scopeUndeclarable,
  scopeUnknown,
  scopeUnused,
  sensitiveImplied,
  unlessIdle,
  unlessWithoutFilter,
} from '../diagnostics/scope-diagnostics.ts'
import { didYouMean } from '../diagnostics/similar-names.ts'
import { type Diagnostic, exactPlace, place } from '../diagnostics/source-diagnostics.ts'
import type { Action, DeclaredScope } from '../ir/model.ts'
import { scopeTagsOf } from '../ir/scope-tags.ts'
import type { Declared, ScopeTag } from '../ir/source-model.ts'
import { calledBy, type Subject } from './controller-rules.ts'
import type { Suspicion } from './method-selectors.ts'

/** What is known of the scopes of one controller. */
export interface ScopeFacts {
  readonly found: readonly Diagnostic[]
  /** The names that its routes ask for. */
  readonly required: readonly string[]
  /** The places of `unless=` words that let a caller past. */
  readonly unlessUsed: readonly string[]
  /** A mistake unless the place is used in another controller. */
  readonly unlessIdle: readonly Suspicion[]
}

const nothing: ScopeFacts = { found: [], required: [], unlessUsed: [], unlessIdle: [] }

/** The rules that look at one controller. */
export function scopeFactsOf(subject: Subject): ScopeFacts {
  const { declared, controller, scopes } = subject
  const tags = [...declared.scopes, ...declared.methods.flatMap((method) => method.scopes)]
  if (scopes.names.length === 0) {
    if (!scopes.isWhole) return nothing
    return { ...nothing, found: tags.map(({ at }) => scopesNotDeclared(at)) }
  }
  const { actions } = controller
  const routes = actions.filter(({ shortOf }) => shortOf === null)
  const unless = routes.map((action) => unlessFactsOf(subject, action))
  return {
    found: [
      ...tags.flatMap((tag) => unknownIn(tag, scopes.names)),
      ...actions.flatMap((action) => probeMistakes(subject, action)),
      ...unlessMistakes(subject, routes),
      ...routes.flatMap((action) => missingScope(subject, action)),
    ],
    required: [...new Set(routes.flatMap(({ scope }) => scope?.names ?? []))],
    unlessUsed: unless.flatMap(({ used }) => used),
    unlessIdle: unless.flatMap(({ idle }) => idle),
  }
}

const unknownIn = ({ names }: ScopeTag, declared: readonly string[]): readonly Diagnostic[] =>
  names
    .filter(({ name }) => !declared.includes(name))
    .map(({ name, at }) => scopeUnknown(at, '@scope', name, meantBy(name, declared)))

/** A `=` is a letter of scopes, but rarely meant as one. */
const meantBy = (name: string, declared: readonly string[]): string =>
  didYouMean(name, declared) || (name.includes('=') ? " Did you mean 'unless=session,key'?" : '')

/** The tags that ask for the scopes of a route, nearest first. */
function tagsOf({ declared }: Subject, { method, verb }: Action): readonly ScopeTag[] {
  const origin = declared.methods.find(({ name }) => name === method)
  return origin === undefined ? [] : scopeTagsOf(declared, origin, verb)
}

/** A caller with a valid token must pass it, whatever the token may do. */
function probeMistakes(subject: Subject, action: Action): readonly Diagnostic[] {
  const { scopes } = subject
  const [tag] = tagsOf(subject, action)
  const { scope, verb, path, id } = action
  if (tag === undefined || scope === null || scopes.authProbe === null || verb !== 'GET') return []
  if (scopes.authProbe !== id && bare(scopes.authProbe) !== bare(path)) return []
  const at = tag.names[0]?.at ?? tag.at
  return [scopeOnProbe(at, calledBy(subject, action), scope.names, cureOf(subject, action, tag))]
}

function cureOf({ declared }: Subject, { method }: Action, tag: ScopeTag): string {
  if (!declared.scopes.includes(tag)) return 'Write @scope none instead.'
  const isLifted = declared.methods.some(
    ({ name, scopes }) => name === method && scopes.some((scope) => scope.isNone),
  )
  if (!isLifted) return 'Write @scope none on the method.'
  return 'The @scope none of the method lifts what its own class asks for: write this one on the methods that need it.'
}

const bare = (path: string): string => path.replace(/(?<=.)\/+$/, '')

/** Past the guard no filter would identify the caller. A word of a class is told once. */
function unlessMistakes(subject: Subject, routes: readonly Action[]): readonly Diagnostic[] {
  const unfiltered = routes.filter(({ filters }) => !filters.some(({ when }) => when !== 'after'))
  const found = unfiltered.flatMap((action) => {
    const words = tagsOf(subject, action).flatMap(({ unless }) => unless)
    return (action.scope?.unless ?? []).flatMap((way) => {
      const word = words.find((otherWay) => otherWay.word === way)
      return word === undefined ? [] : [{ ...word, member: calledBy(subject, action) }]
    })
  })
  const byPlace = new Map(found.map((item) => [exactPlace(item.at), item]))
  return [...byPlace].map(([place, { at, word }]) => {
    const members = found.filter((item) => exactPlace(item.at) === place).map(({ member }) => member)
    return unlessWithoutFilter(at, word, [...new Set(members)])
  })
}

interface UnlessFacts {
  readonly used: readonly string[]
  readonly idle: readonly Suspicion[]
}

/** Another tag of the route may not have the word: then no caller is let past. */
function unlessFactsOf(subject: Subject, action: Action): UnlessFacts {
  const tags = tagsOf(subject, action)
  const { scope } = action
  const words = scope === null ? [] : tags.flatMap(({ unless }) => unless)
  const isUsed = ({ word }: (typeof words)[number]): boolean => scope?.unless.includes(word) === true
  const idle = words.flatMap((way): readonly Suspicion[] => {
    const stricter = tags.find(({ unless }) => !unless.some(({ word }) => word === way.word))
    if (isUsed(way) || stricter === undefined) return []
    const found = unlessIdle(way.at, way.word, calledBy(subject, action), place(stricter.at))
    return [{ place: exactPlace(way.at), found }]
  })
  return { used: words.filter(isUsed).map(({ at }) => exactPlace(at)), idle }
}

/** A filter that only asks whose a token is lets the narrowest past. Preflights carry none. */
function missingScope(subject: Subject, action: Action): readonly Diagnostic[] {
  const { scope, verb, websocket, filters, method, routeAt } = action
  const said = subject.declared.methods.find(({ name }) => name === method)?.scopes ?? []
  if (scope !== null || said.length > 0 || subject.declared.scopes.length > 0 || verb === 'OPTIONS') return []
  const why = websocket ? 'opens a WebSocket' : verb !== 'GET' ? 'changes state' : runsFilter(filters)
  return why === null ? [] : [scopeMissing(routeAt, calledBy(subject, action), why)]
}

const runsFilter = ([first]: Action['filters']): string | null =>
  first === undefined ? null : `runs the filter ${first.member}`

/** The rules over the whole application, with what is known of its controllers. */
export function checkScopes(
  { scopes, scopeCalls, areScopesWhole }: Declared,
  all: readonly ScopeFacts[],
): readonly Diagnostic[] {
  const names = scopes.map(({ name }) => name)
  const mistakes = scopeMistakes(scopes.map(plain))
  const calls = areScopesWhole ? scopeCalls : []
  return [
    ...mistakes.flatMap((mistake) => mistakesAt(mistake, scopes)),
    ...calls.flatMap(({ name, at }) =>
      name === null || names.includes(name)
        ? []
        : [scopeUnknown(at, 'requireScopes', name, meantBy(name, names))],
    ),
    ...idleWords(all),
    ...(mistakes.length > 0 ? [] : unusedScopes(scopes, scopeCalls, all)),
  ]
}

const plain = ({ name, text, implies, sensitive }: DeclaredScope) => ({
  name,
  text,
  implies: implies.map((scopeName) => scopeName.name),
  sensitive,
})

function mistakesAt(mistake: ScopeMistake, scopes: readonly DeclaredScope[]): readonly Diagnostic[] {
  const { name } = mistake
  const scope = scopes.find((declaredScope) => declaredScope.name === name)
  if (scope === undefined) return []
  if (!('implied' in mistake)) return [scopeUndeclarable(scope.at, name, mistake.kind)]
  const { implied, kind } = mistake
  return scope.implies.flatMap((scopeName) => {
    if (scopeName.name !== implied) return []
    if (kind === 'cycle') return [scopeCycle(scopeName.at, name, implied)]
    if (kind === 'sensitive') return [sensitiveImplied(scopeName.at, name, implied)]
    const names = scopes.flatMap((other) => (other.name === name ? [] : [other.name]))
    return [impliedScopeUnknown(scopeName.at, name, implied, didYouMean(implied, names))]
  })
}

/** Words that let no caller past in any route: each once. */
function idleWords(all: readonly ScopeFacts[]): readonly Diagnostic[] {
  const used = new Set(all.flatMap(({ unlessUsed }) => unlessUsed))
  const idle = all.flatMap((facts) => facts.unlessIdle).filter(({ place }) => !used.has(place))
  return [...new Map([...idle].reverse().map(({ place, found }) => [place, found])).values()]
}

/** A scope is used when a route asks for it, or for one that it implies. */
function unusedScopes(
  scopes: readonly DeclaredScope[],
  calls: Declared['scopeCalls'],
  all: readonly ScopeFacts[],
): readonly Diagnostic[] {
  if (calls.some(({ name }) => name === null)) return [] // which scope it is cannot be known
  const required = new Set([...all.flatMap((facts) => facts.required), ...calls.map(({ name }) => name)])
  const { resolve } = createScopes(Object.fromEntries(scopes.map((scope) => [scope.name, plain(scope)])))
  return scopes
    .filter(({ name }) => !resolve([name]).some((text) => required.has(text)))
    .map(({ name, at }) => scopeUnused(at, name))
}
