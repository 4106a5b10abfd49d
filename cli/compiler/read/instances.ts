/** Classes that JSON cannot make: what a decoder makes has public fields alone. */

import { instanceParameter } from '../diagnostics.ts'
import { isLibraryType } from './names.ts'
import { isOfError, writtenBy } from './objects.ts'
import { publicName, type Source } from './program.ts'
import { partsOf, type Spot } from './type-reader.ts'
import { ts } from './typescript.ts'

/** Reports the first class inside the type of a parameter that has more than public fields. */
export function reportInstance(source: Source, type: ts.Type, { at, path }: Spot): void {
  const found = findInstance(source, type, new Set())
  if (found !== null) source.report(instanceParameter(at, path, found))
}

function findInstance(source: Source, type: ts.Type, seen: Set<ts.Type>): string | null {
  if (seen.has(type)) return null
  seen.add(type)
  if (isMoreThanData(source, type)) return type.symbol.name
  for (const part of partsOf(source, type)) {
    const found = findInstance(source, part, seen)
    if (found !== null) return found
  }
  return null
}

/** Whether `type` is a class of the application with more than public fields. */
export function isMoreThanData(source: Source, type: ts.Type): boolean {
  const symbol = type.getSymbol()
  if (symbol === undefined || isLibraryType(source, type)) return false
  if (writtenBy(source, type) !== null) return true
  if (!(symbol.flags & ts.SymbolFlags.Class) || publicName(source, symbol) !== null) return false
  return source.checker.getPropertiesOfType(type).some(({ valueDeclaration: node }) => {
    if (node === undefined || !ts.isClassLike(node.parent)) {
      return isHidden(node) || (node !== undefined && isOfError(source, node))
    }
    return isHidden(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node)
  })
}

function isHidden(node: ts.Declaration | undefined): boolean {
  if (node === undefined) return false
  const name = ts.getNameOfDeclaration(node)
  if (name !== undefined && ts.isPrivateIdentifier(name)) return true
  return Boolean(ts.getCombinedModifierFlags(node) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected))
}
