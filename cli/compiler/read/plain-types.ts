/** Types of parameters in which nothing stands that a decoder cannot make: nearly all. One look tells, and what was looked
 *  at is remembered, so that the searches for a mistake are for mistakes alone. */
import { unnamable } from './enums.ts'
import { isMoreThanData } from './instances.ts'
import type { Source } from './program.ts'
import { partsOf } from './type-reader.ts'
import type { ts } from './typescript.ts'

/** Types that were searched to the bottom. */
const plainTypes = new WeakMap<Source, Set<ts.Type>>()

/** Whether `type` holds neither an enum or brand that the generated table cannot name, nor a class. */
export function isPlain(source: Source, type: ts.Type): boolean {
  const plain = plainTypes.get(source) ?? new Set<ts.Type>()
  plainTypes.set(source, plain)
  const seen = new Set<ts.Type>()
  const isClean = (one: ts.Type): boolean => {
    if (plain.has(one) || seen.has(one)) return true
    seen.add(one)
    if (unnamable(source, one) !== null || isMoreThanData(source, one)) return false
    return partsOf(source, one).every(isClean)
  }
  if (!isClean(type)) return false
  for (const one of seen) plain.add(one)
  return true
}
