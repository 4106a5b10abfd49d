/** What a type is called as a component. */

import { orderedMembers } from '../program/canonical-order.ts'
import { isLibrary, isLibraryType } from '../program/library.ts'
import { isReference, publicName, type Source } from '../program/program.ts'
import { declaredName, distinctName } from '../program/qualified-names.ts'
import { ts } from '../program/typescript.ts'
import { isPrimitive } from './brands.ts'

/** The component name of `type`: its alias, interface or class name, with `Of…` for type arguments; null = inline. */
export function nameOf(source: Source, type: ts.Type, depth = 0): string | null {
  const alias = type.aliasSymbol
  if (alias !== undefined) {
    if (isLibrary(source, alias) || isSimple(type) || publicName(source, alias) !== null) return null
    return withArguments(source, distinctName(source, alias), {
      typeArguments: type.aliasTypeArguments ?? [],
      depth,
    })
  }
  const symbol = type.getSymbol()
  if (symbol === undefined || !(symbol.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class))) return null
  const name = declaredName(symbol)
  if (isLibrary(source, symbol) || name === null || !/^[\p{ID_Start}_$]/u.test(name)) return null
  const typeArguments = isReference(type) ? source.checker.getTypeArguments(type) : []
  return withArguments(source, distinctName(source, symbol), {
    typeArguments: typeArguments.filter((argument) => !isThis(argument)),
    depth,
  })
}

/** A primitive, with a brand or without: what is said of its alias stands where it is written. */
const isSimple = (type: ts.Type): boolean =>
  type.isIntersection()
    ? type.types.some(isPrimitive)
    : !type.isUnion() && !(type.flags & ts.TypeFlags.Object)

const isThis = (type: ts.Type): boolean => 'isThisType' in type && type.isThisType === true

interface AppliedType {
  readonly typeArguments: readonly ts.Type[]
  /** How many arguments it stands in. */
  readonly depth: number
}

/** Arguments in arguments make a name that no reader understands at some point, and longer for ever. */
const deepestName = 6
const longestName = 200

function withArguments(
  source: Source,
  name: string | null,
  { typeArguments, depth }: AppliedType,
): string | null {
  if (typeArguments.length === 0 || name === null) return name
  if (depth >= deepestName) return null
  const parts = typeArguments.map((argument) => argumentName(source, argument, depth + 1))
  const all = `${name}Of${parts.join('And')}`
  return parts.includes(null) || all.length > longestName ? null : all
}

/** The name of a type argument inside a component's name; null = nothing readable. */
function argumentName(source: Source, type: ts.Type, depth: number): string | null {
  const named = nameOf(source, type, depth)
  if (named !== null) return named
  const flag = primitives.find(([flags]) => type.flags & flags)
  if (flag !== undefined) return flag[1]
  const symbol = type.getSymbol()
  if (symbol !== undefined && symbol.flags & ts.SymbolFlags.Enum) return symbol.name
  if (type.isStringLiteral()) return /^[A-Za-z]\w*$/.test(type.value) ? capital(type.value) : null
  if (type.isNumberLiteral()) return Number.isInteger(type.value) && type.value >= 0 ? `${type.value}` : null
  if (type.isUnion()) return unionName(source, type, depth)
  return depth < deepestName ? referenceName(source, type, depth) : null
}

/** The name of a list, or of a type of the library with its arguments. */
function referenceName(source: Source, type: ts.Type, depth: number): string | null {
  if (!isReference(type) && !isLibraryType(source, type)) return null
  if (source.checker.isTupleType(type)) return null
  const typeArguments = isReference(type) ? source.checker.getTypeArguments(type) : []
  const parts = typeArguments.map((argument) => argumentName(source, argument, depth + 1))
  if (parts.includes(null)) return null
  if (source.checker.isArrayType(type)) return `${parts.join('')}List`
  return isLibraryType(source, type)
    ? `${type.symbol.name}${parts.length === 0 ? '' : 'Of'}${parts.join('And')}`
    : null
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

const primitives: readonly (readonly [flags: ts.TypeFlags, name: string])[] = [
  [ts.TypeFlags.String, 'String'],
  [ts.TypeFlags.Number, 'Number'],
  [ts.TypeFlags.Boolean, 'Boolean'],
  [ts.TypeFlags.BigInt, 'BigInt'],
  [ts.TypeFlags.Null, 'Null'],
  [ts.TypeFlags.Unknown, 'Unknown'],
]

/** Up to three members; more would be no name. */
function unionName(source: Source, type: ts.UnionType, depth: number): string | null {
  if (depth >= deepestName) return null
  const parts = orderedMembers(source.checker, type).map((member) => argumentName(source, member, depth + 1))
  return parts.includes(null) || parts.length > 3 ? null : parts.join('Or')
}
