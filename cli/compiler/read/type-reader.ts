/** What the readers of types share: where a type stands, who reads it, and what happens when it has no JSON form. */
import { unsupportedType } from '../diagnostics.ts'
import type { At, Schema } from '../model.ts'
import { isRequiredBrand } from './brands.ts'
import { isLibraryType, isReference, type Names } from './names.ts'
import type { Source } from './program.ts'
import { ts } from './typescript.ts'

/** Where a type stands: the place to report and the path of names to it. */
export interface Spot {
  readonly at: At
  readonly path: string
}

export interface TypeReader {
  readonly source: Source
  readonly names: Names
  /** The schema of `type`; a reported type becomes `unknown`. */
  read(type: ts.Type, spot: Spot): Schema
  /** Says that what is being read depends on where it stands: elsewhere it is read again. */
  depends(): void
}

/** Reports a type without a JSON form. */
export function fail(reader: TypeReader, type: ts.Type, spot: Spot, why = 'has no JSON form'): Schema {
  reader.depends()
  const text = reader.source.checker.typeToString(type)
  reader.source.report(unsupportedType(spot.at, spot.path, `'${text}'`, why))
  return { kind: 'unknown' }
}

/** The types directly inside `type`, as JSON holds them. */
export function partsOf(source: Source, type: ts.Type): readonly ts.Type[] {
  const { checker } = source
  if (isRequiredBrand(type)) return []
  if (type.isUnionOrIntersection()) return type.types
  if (!(type.flags & ts.TypeFlags.Object)) return []
  if (isLibraryType(source, type) || checker.isTupleType(type)) {
    return isReference(type) ? checker.getTypeArguments(type) : []
  }
  const indexes = checker.getIndexInfosOfType(type).map((index) => index.type)
  return [...type.getProperties().map((property) => checker.getTypeOfSymbol(property)), ...indexes]
}
