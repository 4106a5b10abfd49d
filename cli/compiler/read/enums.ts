/** Enums of text. A literal is no value of such an enum, so the generated table imports the enum itself, and it must be
 *  exported. (TypeScript does take a number for a numeric enum.) */

import { enumParameter } from '../diagnostics.ts'
import type { Enumeration } from '../model.ts'
import { isRequiredBrand } from './brands.ts'
import { exportedRef, type Source } from './program.ts'
import { partsOf, type Spot } from './type-reader.ts'
import { ts } from './typescript.ts'

/** The enum of text that all of `members` belong to; null when there is none, or when it is not exported. */
export function enumerationOf(source: Source, members: readonly ts.Type[]): Enumeration | null {
  const symbols = members.map(enumSymbol)
  const [symbol] = symbols
  if (symbol === undefined || symbol === null || symbols.some((other) => other !== symbol)) return null
  const ref = exportedRef(source, symbol)
  if (ref === null) return null
  const names = members.map((member) => member.symbol.name)
  return { symbol: ref, members: names.length === symbol.exports?.size ? null : names }
}

/** The enum of a value, when some of its values are texts. */
function enumSymbol(type: ts.Type): ts.Symbol | null {
  if (!(type.flags & ts.TypeFlags.EnumLiteral) || !type.isLiteral()) return null
  const { symbol } = type
  const parent = 'parent' in symbol ? (symbol.parent as ts.Symbol | undefined) : undefined // the compiler's own field: the enum of a member
  const whole = symbol.flags & ts.SymbolFlags.Enum ? symbol : (parent ?? null) // an enum of one member is its own type
  return whole !== null && hasText(whole) ? whole : null
}

const hasText = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations
    .filter(ts.isEnumDeclaration)
    .flatMap(({ members }) => members)
    .some(({ initializer }) => initializer !== undefined && ts.isStringLiteralLike(initializer))

/** Reports the first enum of text inside the type of a parameter that the generated table cannot name. */
export function reportEnum(source: Source, type: ts.Type, { at, path }: Spot): void {
  const found = findEnum(source, type, new Set())
  if (found !== null) source.report(enumParameter(at, path, found))
}

function findEnum(source: Source, type: ts.Type, seen: Set<ts.Type>): string | null {
  const problem = unnamable(source, type)
  if (problem !== null) return problem
  if (seen.has(type)) return null
  seen.add(type)
  for (const part of partsOf(source, type)) {
    const found = findEnum(source, part, seen)
    if (found !== null) return found
  }
  return null
}

/** The name of an enum or branded type that is not exported, or of an enum that stands between other literals. */
export function unnamable(source: Source, type: ts.Type): string | null {
  if (isRequiredBrand(type)) {
    return type.aliasSymbol !== undefined && exportedRef(source, type.aliasSymbol) !== null
      ? null
      : source.checker.typeToString(type)
  }
  const members = type.isUnion() ? type.types : [type]
  if (!members.some(({ flags }) => flags & ts.TypeFlags.EnumLiteral)) return null
  const found = members.map(enumSymbol).find((symbol) => symbol !== null)
  if (found === undefined || found === null) return null
  if (exportedRef(source, found) === null) return found.name
  const isMixed = members.some((member) => member.isLiteral() && enumSymbol(member) !== found)
  return isMixed ? found.name : null
}
