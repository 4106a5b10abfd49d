/** Questions that TypeScript's checker cannot be asked of every program that it accepts: a property in a circle of mapped types
 *  (`interface R { of: Texts<Texts<R>> }`) is an error whose text asks for that property again, until the stack is full. */
import { type Diagnostic, typeTooLarge } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import type { ts } from './typescript.ts'

export const noEnd = 'has no end'

/** What `question` comes to; when the checker runs out of stack over it, what `overflowed` does. */
export function withinStack<T, U>(question: () => T, overflowed: () => U): T | U {
  try {
    return question()
  } catch (error) {
    if (error instanceof RangeError) return overflowed()
    throw error
  }
}

interface Reporting {
  readonly report: (diagnostic: Diagnostic) => void
}

/** What is read: where it stands, the path of names to it, and the type as it is written. */
export interface OverflowSite {
  readonly at: At
  readonly path: string
  readonly text: string
}

/** What `read` comes to; `otherwise` after a report, when the checker runs out of stack over it. */
export function readOrReport<T>(source: Reporting, site: () => OverflowSite, read: () => T, otherwise: T): T {
  return withinStack(read, () => {
    const { at, path, text } = site()
    source.report(typeTooLarge(at, path, shortened(text), noEnd))
    return otherwise
  })
}

/** A type as text; of one that the checker cannot write, its name. */
export function textOfType(checker: ts.TypeChecker, type: ts.Type, flags?: ts.TypeFormatFlags): string {
  return withinStack(
    () => checker.typeToString(type, undefined, flags),
    () => (type.aliasSymbol ?? type.getSymbol())?.name ?? 'object',
  )
}

const longestText = 160
const shortened = (text: string): string => text.slice(0, longestText)

/** The type of a property as it is written. */
export function writtenType({ name, valueDeclaration: node }: ts.Symbol): string {
  const written = node !== undefined && 'type' in node ? (node.type as ts.TypeNode | undefined) : undefined // declarations of properties have it
  return shortened(written?.getText() ?? name)
}
