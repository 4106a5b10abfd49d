/** Enums of text in what a method takes. A literal is no value of such an enum, so the decoders' types in the generated
 *  table would not compile; a union of literals says the same. (TypeScript does take a number for a numeric enum.) */
import { ts } from 'ts-morph'
import { enumParameter } from '../diagnostics.ts'
import { isLibraryType, isReference } from './names.ts'
import type { Source } from './program.ts'
import type { Spot } from './type-reader.ts'

/** Reports the first enum of text inside the type of a parameter. */
export function reportEnum(source: Source, type: ts.Type, { at, path }: Spot): void {
  const found = findEnum(source, type, new Set())
  if (found === null) return
  const [name = ''] = source.checker.typeToString(found).split('.')
  source.report(enumParameter(at, path, name))
}

function findEnum(source: Source, type: ts.Type, seen: Set<ts.Type>): ts.Type | null {
  if (type.flags & ts.TypeFlags.EnumLiteral && type.isStringLiteral()) return type
  if (seen.has(type)) return null
  seen.add(type)
  for (const part of partsOf(source, type)) {
    const found = findEnum(source, part, seen)
    if (found !== null) return found
  }
  return null
}

function partsOf(source: Source, type: ts.Type): readonly ts.Type[] {
  const { checker } = source
  if (type.isUnionOrIntersection()) return type.types
  if (!(type.flags & ts.TypeFlags.Object)) return []
  if (isLibraryType(source, type) || checker.isTupleType(type)) {
    return isReference(type) ? checker.getTypeArguments(type) : []
  }
  const indexes = checker.getIndexInfosOfType(type).map((index) => index.type)
  return [...type.getProperties().map((property) => checker.getTypeOfSymbol(property)), ...indexes]
}
