/** Template literal types → anchored patterns. */

import type { Schema } from '../../ir/schema.ts'
import { ts } from '../program/typescript.ts'

/** The schema of a template literal type; null when it has a part without a pattern. */
export function readTemplate(
  checker: ts.TypeChecker,
  type: ts.TemplateLiteralType | ts.StringMappingType,
): Schema | null {
  const pattern = 'texts' in type ? patternOf(type) : mappingPattern(type)
  return pattern === null ? null : { kind: 'template', pattern, text: textOfKey(checker, type) }
}

/** A type of texts as TypeScript writes it, without its alias. */
export function textOfKey(checker: ts.TypeChecker, type: ts.Type): string {
  const { InTypeAlias, NoTruncation } = ts.TypeFormatFlags
  return checker.typeToString(type, undefined, InTypeAlias | NoTruncation)
}

/** The anchored pattern of `Lowercase<string>` and its like. */
export function mappingPattern(type: ts.Type): string | null {
  const part = partPattern(type)
  return part === null ? null : `^${part}$`
}

/** The anchored pattern of the texts that `type` has. */
export function patternOf(type: ts.TemplateLiteralType): string | null {
  const parts = type.types.map(partPattern)
  if (parts.includes(null)) return null
  return `^${type.texts.map((text, index) => escaped(text) + (parts[index] ?? '')).join('')}$`
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** What stands at a placeholder: numbers as JavaScript writes them. */
function partPattern(type: ts.Type): string | null {
  if (type.flags & ts.TypeFlags.String) return '[\\s\\S]*'
  if (type.flags & ts.TypeFlags.Number) return '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:e[+-]?\\d+)?'
  if (type.flags & ts.TypeFlags.BigInt) return '-?(?:0|[1-9]\\d*)'
  if (type.flags & ts.TypeFlags.Boolean) return '(?:true|false)'
  if (type.flags & ts.TypeFlags.StringMapping) return casePattern(type)
  if (type.isStringLiteral() || type.isNumberLiteral()) return escaped(String(type.value))
  if (!type.isUnion()) return null
  const members = type.types.map(partPattern).sort()
  return members.includes(null) ? null : `(?:${members.join('|')})`
}

/** Letters that would change are what `Lowercase<string>` and its like refuse: Unicode's own property names them. */
const cases = new Map([
  ['Lowercase', '\\P{CWL}*'],
  ['Uppercase', '\\P{CWU}*'],
  ['Capitalize', '(?:\\P{CWU}[\\s\\S]*)?'],
  ['Uncapitalize', '(?:\\P{CWL}[\\s\\S]*)?'],
])

/** No other types than all texts are asked about. */
function casePattern(type: ts.Type): string | null {
  const { symbol, type: inner } = type as ts.StringMappingType // the flag says so
  return inner.flags & ts.TypeFlags.String ? (cases.get(symbol.name) ?? null) : null
}
