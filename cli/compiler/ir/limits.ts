/** What declarations say of calls (`@limit` and its like), one inside of the other. */
import type { DeclaredLimits } from './model.ts'

/** `near`, and what `far` says where it says nothing. */
export function nearest(far: DeclaredLimits, near: DeclaredLimits): DeclaredLimits {
  const said = Object.entries(near).filter(([, value]) => value !== null)
  return { ...far, ...Object.fromEntries(said) }
}
