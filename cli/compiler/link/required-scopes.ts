/** What a route asks for: the scopes of its method and of the classes that draw it. Source: language.md, Scopes, limits, audit. */

import type { Action, ActionScope } from '../ir/model.ts'
import type { ScopeTag } from '../ir/source-model.ts'

const otherWays: ActionScope['unless'] = ['session', 'key']

/** Every name of the tags, and the callers that each of them lets past: what one tag lets past, another may still refuse. */
export function scopeOf(tags: readonly ScopeTag[]): ActionScope | null {
  const names = [...new Set(tags.flatMap((tag) => tag.names.map(({ name }) => name)))]
  if (names.length === 0) return null
  const unless = otherWays.filter((way) => tags.every((tag) => tag.unless.some(({ word }) => word === way)))
  return { names, unless }
}

/** The action with its scopes in the order of their declaration. */
export function withOrderedScopes(action: Action, declared: readonly string[]): Action {
  const { scope } = action
  if (scope === null) return action
  const names = [
    ...declared.filter((name) => scope.names.includes(name)),
    ...scope.names.filter((name) => !declared.includes(name)),
  ]
  return { ...action, scope: { ...scope, names } }
}
