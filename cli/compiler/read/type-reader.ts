/** What the readers of types share: where a type stands, who reads it, and what happens when it has no JSON form. */
import { anyType, typeNotFound, unsupportedType } from '../diagnostics.ts'
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

/** Reports a type without a JSON form, or one that TypeScript does not know. */
export function fail(reader: TypeReader, type: ts.Type, spot: Spot, why = 'has no JSON form'): Schema {
  reader.depends()
  const { checker, report } = reader.source
  const text = checker.typeToString(type)
  if (isUnresolved(type)) report(typeNotFound(spot.at, spot.path, text))
  else if (type.flags & ts.TypeFlags.Any) report(anyType(spot.at, spot.path))
  else report(unsupportedType(spot.at, spot.path, `'${text}'`, why))
  return { kind: 'unknown' }
}

/** Whether the name of the type was found nowhere: the checker's own mark. */
const isUnresolved = (type: ts.Type): boolean =>
  (type.flags & ts.TypeFlags.Any) !== 0 && 'intrinsicName' in type && type.intrinsicName === 'error'

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
