/** Classes that JSON cannot make: what a decoder makes has public fields alone. */

import { instanceParameter } from '../../diagnostics/source-diagnostics.ts'
import { publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { isRequiredBrand } from './brands.ts'
import { isLibraryType, isReference } from './component-names.ts'
import { isOfError, isPublicData, writtenBy } from './objects.ts'
import type { Spot } from './type-reader.ts'

/** Reports the first class inside the type of a parameter, which has an end, that has more than public fields. */
export function reportInstance(source: Source, type: ts.Type, { at, path }: Spot): void {
  const known = plain.get(source) ?? new Set<ts.Type>()
  plain.set(source, known)
  const seen = new Set([type])
  for (const one of seen) {
    if (known.has(one)) continue
    if (isMoreThanData(source, one)) {
      source.report(instanceParameter(at, path, one.symbol.name))
      return
    }
    for (const part of typesInside(source, one)) seen.add(part) // they have their turn too
  }
  for (const one of seen) known.add(one)
}

/** Types in which no such class stands. */
const plain = new WeakMap<Source, Set<ts.Type>>()

/** Whether `type` is a class of the application with more than public fields. */
function isMoreThanData(source: Source, type: ts.Type): boolean {
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

/** The types directly inside `type`, as JSON holds them. */
export function typesInside(source: Source, type: ts.Type): readonly ts.Type[] {
  const { checker } = source
  if (isRequiredBrand(type)) return []
  if (type.isUnionOrIntersection()) return type.types
  if (!(type.flags & ts.TypeFlags.Object)) return []
  if (isLibraryType(source, type) || checker.isTupleType(type)) {
    return isReference(type) ? checker.getTypeArguments(type) : []
  }
  const written = writtenBy(source, type)
  if (written !== null) return [written]
  const indexes = checker.getIndexInfosOfType(type).map((index) => index.type)
  const properties = type.getProperties().filter((property) => isPublicData(source, property))
  return [...properties.map((property) => checker.getTypeOfSymbol(property)), ...indexes]
}
