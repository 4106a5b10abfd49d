/** Which tag `@approval` counts for a route: link says what it comes to, check where it stands. */
import type { Verb } from './model.ts'
import type { ApprovalTag, DeclaredController, DeclaredMethod } from './source-model.ts'

/** The method's own, else that of the nearest class. `none` on the method lifts those of its own class and of that one's ancestors, not
 *  what a subclass asks for. Preflights carry nobody's credentials, so that classes ask nothing of `@options`. */
export function approvalTagOf(
  { approvals }: Pick<DeclaredController, 'approvals'>,
  { approval: own, depth: depthOfMethod }: Pick<DeclaredMethod, 'approval' | 'depth'>,
  verb: Verb,
): ApprovalTag | null {
  if (own !== null && !own.isNone) return own
  if (verb === 'OPTIONS') return null
  const lifted = own === null ? -1 : depthOfMethod
  return approvals.findLast(({ depth }) => depth > lifted) ?? null
}
