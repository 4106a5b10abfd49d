/** `@approval` as it is read, and which of several tags counts for a route. */
import type { RequiredApproval } from '../../../runtime/capabilities/approval/types.ts'
import type { Tags } from '../../compiler/feature.ts'
import type { At } from '../../compiler/ir/schema.ts'
import type { DeclaredMethod, DeclaredRoute } from '../../compiler/ir/source-model.ts'

export const approvalName = { tag: 'approval' } as const

/** A tag of a method or a class. */
export interface ApprovalTag {
  /** What a person is asked before each call. */
  readonly sentence: string
  readonly unless: RequiredApproval['unless'] | null
  /** It lifts that of a class: it has no sentence. */
  readonly isNone: boolean
  readonly placeholders: readonly Placeholder[]
  /** Of the class that it stands on or in; 0 = furthest ancestor. */
  readonly depth: number
  readonly at: At
}

/** A `{name}` of a sentence. */
export interface Placeholder {
  readonly name: string
  readonly at: At
}

/** The method's own, else that of the nearest class. `none` on the method lifts those of its own class and of that one's ancestors, not
 *  what a subclass asks for. Preflights carry no credentials, so that classes ask nothing of `@options`. */
export function approvalTagOf(
  { ofMethod, ofClasses }: Tags<ApprovalTag>,
  { verb }: Pick<DeclaredRoute, 'verb'>,
  { depth: depthOfMethod }: Pick<DeclaredMethod, 'depth'>,
): ApprovalTag | null {
  if (ofMethod !== null && !ofMethod.isNone) return ofMethod
  if (verb === 'OPTIONS') return null
  const lifted = ofMethod === null ? -1 : depthOfMethod
  return ofClasses.findLast(({ depth }) => depth > lifted) ?? null
}

/** What all documents say of it. */
export const requiredOf = ({ sentence, unless }: ApprovalTag): RequiredApproval => ({
  sentence,
  ...(unless === null || unless === undefined ? {} : { unless }),
})
