/** Whether the generated table can write the type of a parameter by itself. Nearly all it can, so that a stale table does not
 *  compile; the others it takes from the method (`Parameters<Notes['create']>[0]`). One look tells which, and what was looked
 *  at is remembered. */

import { exportedRef, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { isPrimitive, isRequiredBrand } from '../types/brands.ts'
import { isLibraryType, isReference } from '../types/component-names.ts'
import { hasHiddenEnum } from '../types/enums.ts'
import { typePartsOf } from '../types/parts.ts'

/** Types of which everything inside can be written. */
const writable = new WeakMap<Source, Set<ts.Type>>()

/** Beyond this TypeScript gives up comparing two types of one structure. */
const deepest = 40

/** The first type in `type`, which has an end, that the table cannot write; null = it can write all. */
export function unwritableIn(source: Source, type: ts.Type): ts.Type | null {
  const known = writable.get(source) ?? new Set<ts.Type>()
  writable.set(source, known)
  const seen = new Set([type])
  const depths = new Map([[type, 0]])
  for (const one of seen) {
    if (known.has(one)) continue
    const depth = depths.get(one) ?? 0
    if (depth > deepest || !isWritable(source, one)) return one
    for (const { type: part } of typePartsOf(source, one)) {
      if (seen.has(part)) continue
      seen.add(part) // those that are added on the way have their turn too
      depths.set(part, depth + 1)
    }
  }
  for (const one of seen) known.add(one)
  return null
}

function isWritable(source: Source, type: ts.Type): boolean {
  if (isRequiredBrand(type)) return isNamedBrand(source, type)
  if (type.flags & ts.TypeFlags.TemplateLiteral) return isPlainTemplate(type as ts.TemplateLiteralType) // the flag says so
  if (type.flags & ts.TypeFlags.StringMapping) return false
  if (hasHiddenEnum(source, type)) return false
  if (isLibraryType(source, type)) return !isOwnBuffer(source, type)
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return true
  if (type.isIntersection() && type.types.some(isPrimitive)) return true
  return source.checker.isTupleType(type) || !(hasSymbol(type) || hasSomeNames(source, type))
}

function isNamedBrand(source: Source, { aliasSymbol, aliasTypeArguments }: ts.Type): boolean {
  return (
    aliasSymbol !== undefined && aliasTypeArguments === undefined && exportedRef(source, aliasSymbol) !== null
  )
}

const plainTexts = ts.TypeFlags.String | ts.TypeFlags.Number | ts.TypeFlags.BigInt | ts.TypeFlags.Boolean

/** Whether nothing stands in the text that has a name of the application. */
const isPlainTemplate = ({ types }: ts.TemplateLiteralType): boolean =>
  types.every(({ flags }) => flags & plainTexts)

/** Whether a value must have a property that no JSON has. */
const hasSymbol = (type: ts.Type): boolean =>
  type
    .getProperties()
    .some(({ escapedName, flags }) => /^__@/.test(String(escapedName)) && !(flags & ts.SymbolFlags.Optional))

/** Whether an index signature says something of some names only. */
const hasSomeNames = ({ checker }: Source, type: ts.Type): boolean =>
  checker.getIndexInfosOfType(type).some(({ keyType }) => !(keyType.flags & ts.TypeFlags.String))

/** `Uint8Array<ArrayBuffer>` is less than the `Uint8Array` that the table writes. */
function isOwnBuffer({ checker }: Source, type: ts.Type): boolean {
  if (type.symbol?.name !== 'Uint8Array' || !isReference(type)) return false
  const [buffer] = checker.getTypeArguments(type)
  return buffer !== undefined && !buffer.isUnion()
}
