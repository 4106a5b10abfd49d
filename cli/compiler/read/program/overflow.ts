/** Questions that TypeScript's checker cannot be asked of every program that it accepts: a property in a circle of mapped types
 *  (`interface R { of: Texts<Texts<R>> }`) is an error whose text asks for that property again, until the stack is full. */
import type { ts } from './typescript.ts'

/** What `question` comes to; null = the checker ran out of stack over it. */
export function asked<T>(question: () => T): T | null {
  try {
    return question()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** A type as text; of one that the checker cannot write, its name. */
export function textOfType(checker: ts.TypeChecker, type: ts.Type, flags?: ts.TypeFormatFlags): string {
  return (
    asked(() => checker.typeToString(type, undefined, flags)) ??
    (type.aliasSymbol ?? type.getSymbol())?.name ??
    'object'
  )
}

const longestText = 160

/** The type of a property as it is written. */
export function writtenType({ name, valueDeclaration: node }: ts.Symbol): string {
  const written = node !== undefined && 'type' in node ? (node.type as ts.TypeNode | undefined) : undefined // declarations of properties have it
  return written?.getText().slice(0, longestText) ?? name
}
