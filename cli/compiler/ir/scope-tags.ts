/** Which tags `@scope` a route must obey: link says what they come to, check where they stand. */
import type { Verb } from './model.ts'
import type { DeclaredController, DeclaredMethod, ScopeTag } from './source-model.ts'

/** The tags with names: the method's own, then those of the classes that draw the route, nearest first. `none` on the method lifts
 *  those of its own class and of that one's ancestors: what a subclass asks for, no class above it can have meant. Preflights never
 *  carry a token, so that classes ask nothing of `@options`. */
export function scopeTagsOf(
  { scopes }: Pick<DeclaredController, 'scopes'>,
  method: Pick<DeclaredMethod, 'scopes' | 'depth'>,
  verb: Verb,
): readonly ScopeTag[] {
  const lifted = method.scopes.some(({ isNone }) => isNone) ? method.depth : -1
  const ofClasses = verb === 'OPTIONS' ? [] : scopes.filter(({ depth }) => depth > lifted).reverse()
  return [...method.scopes, ...ofClasses].filter(({ names }) => names.length > 0)
}
