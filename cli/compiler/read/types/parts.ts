/** What stands directly inside a type. */

import { withinStack } from '../program/overflow.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { isRequiredBrand } from './brands.ts'
import { isLibraryType, isReference } from './component-names.ts'
import { isPublicData, writtenBy } from './objects.ts'

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
