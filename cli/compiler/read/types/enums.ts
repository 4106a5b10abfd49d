/** Enums of text. A literal is no value of such an enum, so the generated table imports the enum itself where it is exported.
 *  (TypeScript does take a number for a numeric enum.) */

import type { Enumeration } from '../../ir/schema.ts'
import { exportedRef, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

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

/** Whether the generated table cannot write a type that has values of an enum of text: the enum is not exported, or stands
 *  between other literals. */
export function hasHiddenEnum(source: Source, type: ts.Type): boolean {
  const members = type.isUnion() ? type.types : [type]
  if (!members.some(({ flags }) => flags & ts.TypeFlags.EnumLiteral)) return false
  const found = members.map(enumSymbol).find((symbol) => symbol !== null)
  if (found === undefined || found === null) return false
  return (
    exportedRef(source, found) === null ||
    members.some((member) => member.isLiteral() && enumSymbol(member) !== found)
  )
}
