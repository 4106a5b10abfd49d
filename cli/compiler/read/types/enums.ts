/** Enums of text. */
import { exportedRef, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** Whether all of `members` are values of one exported enum of text. */
export function areOfEnum(source: Source, members: readonly ts.Type[]): boolean {
  const symbols = members.map(enumSymbol)
  const [symbol] = symbols
  if (symbol === undefined || symbol === null || symbols.some((other) => other !== symbol)) return false
  return exportedRef(source, symbol) !== null
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
