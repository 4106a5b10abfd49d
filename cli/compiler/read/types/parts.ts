/** What stands directly inside a type. */

import { withinStack } from '../program/overflow.ts'
import { isLibrary, isLibraryType, isReference, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { isRequiredBrand } from './brands.ts'

/** A type inside another: the property that it is of, else how paths go on to it. */
export interface TypePart {
  readonly type: ts.Type
  readonly property: ts.Symbol | null
  readonly step: string
}

const all = (types: readonly ts.Type[], step: string): readonly TypePart[] =>
  types.map((type) => ({ type, property: null, step }))

/** The types directly inside `type`, as JSON holds them. */
export function typePartsOf(source: Source, type: ts.Type): readonly TypePart[] {
  const { checker } = source
  if (isRequiredBrand(type)) return []
  if (type.isUnionOrIntersection()) return all(type.types, '')
  if (!(type.flags & ts.TypeFlags.Object)) return []
  if (isLibraryType(source, type) || checker.isTupleType(type)) {
    return isReference(type) ? all(checker.getTypeArguments(type), '[]') : []
  }
  const written = writtenBy(source, type)
  if (written !== null) return all([written], '.toJSON()')
  const indexes = checker.getIndexInfosOfType(type).map((index) => index.type)
  const properties = type.getProperties().filter((property) => isPublicData(source, property))
  return [
    ...properties.flatMap((property) =>
      withinStack(
        () => ({ type: checker.getTypeOfSymbol(property), property, step: '' }),
        () => [],
      ),
    ),
    ...all(indexes, '{}'),
  ]
}

/** What JSON holds in place of an object with a method `toJSON`; null = it has none. */
export function writtenBy({ checker }: Source, type: ts.Type): ts.Type | null {
  const method = type.getProperty('toJSON')
  const [signature] = method === undefined ? [] : checker.getTypeOfSymbol(method).getCallSignatures()
  const written = signature?.getReturnType() ?? type
  return written === type ? null : written
}

/** Whether a property is in the JSON of an object: no name that is a symbol, nothing hidden, no method of a class, and
 *  nothing of an Error's own, which JSON leaves out. */
export function isPublicData(source: Source, symbol: ts.Symbol): boolean {
  if (String(symbol.escapedName).startsWith('__')) return !/^__[@#]/.test(String(symbol.escapedName))
  const declaration = symbol.valueDeclaration
  if (declaration === undefined) return true
  if (ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected))
    return false
  const isOfClass = ts.isClassLike(declaration.parent)
  return (
    !(isOfClass && (ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration))) &&
    !isOfError(source, declaration)
  )
}

/** Whether a property is one that JavaScript's own `Error` gives every error: `message`, `stack` … */
export function isOfError(source: Source, { parent }: ts.Declaration): boolean {
  if (!ts.isInterfaceDeclaration(parent) || parent.name.text !== 'Error') return false
  const symbol = source.checker.getSymbolAtLocation(parent.name)
  return symbol !== undefined && isLibrary(source, symbol)
}
