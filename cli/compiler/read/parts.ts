/** What stands directly inside a type. */
import { isRequiredBrand } from './brands.ts'
import { isLibraryType, isReference } from './names.ts'
import { isPublicData, writtenBy } from './objects.ts'
import type { Source } from './program.ts'
import { ts } from './typescript.ts'

/** The types directly inside `type`, as JSON holds them. */
export function partsOf(source: Source, type: ts.Type): readonly ts.Type[] {
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
