/** What stands directly inside a type. */

import { isLibrary } from '../program/library.ts'
import { withinStack } from '../program/overflow.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { isRequiredBrand } from './brands.ts'
import { type BuiltIn, builtInOf, isForeign } from './built-ins.ts'

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
  const written = writtenBy(source, type)
  if (written !== null) return all([written], '.toJSON()')
  const builtIn = builtInOf(source, type)
  if (builtIn !== null) return all(itemsOf(checker, builtIn), '[]')
  if (isForeign(source, type)) return []
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

function itemsOf(checker: ts.TypeChecker, builtIn: BuiltIn): readonly ts.Type[] {
  switch (builtIn.kind) {
    case 'value':
      return []
    case 'tuple':
      return checker.getTypeArguments(builtIn.type)
    case 'map':
      return [builtIn.value]
    case 'list':
    case 'set':
      return [builtIn.item]
  }
}

/** What JSON holds in place of an object with a method `toJSON`, which is asked first; null = it has none. What those of JavaScript's
 *  own classes return is known, or is said nowhere. */
export function writtenBy(source: Source, type: ts.Type): ts.Type | null {
  const { checker } = source
  const method = type.getProperty('toJSON')
  if (method === undefined) return null
  const signatures = checker.getTypeOfSymbol(method).getCallSignatures()
  const plain = signatures.find(({ typeParameters }) => typeParameters === undefined) ?? signatures[0]
  const written = plain?.getReturnType() ?? type
  const isKnown = builtInOf(source, type) !== null || Boolean(written.flags & ts.TypeFlags.Any)
  return written === type || (isKnown && isLibrary(source, method)) ? null : written
}

/** Whether a property is in the JSON of an object: no name that is a symbol, nothing hidden, no method of a class, and
 *  nothing of an Error's own, which JSON leaves out. */
export function isPublicData(source: Source, symbol: ts.Symbol): boolean {
  if (String(symbol.escapedName).startsWith('__')) return !/^__[@#]/.test(String(symbol.escapedName))
  const declaration = symbol.valueDeclaration
  if (declaration === undefined) return true
  if (ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected))
    return false
  const isOfClass = ts.isClassLike(declaration.parent)
  return (
    !(isOfClass && (ts.isMethodDeclaration(declaration) || ts.isAccessor(declaration))) &&
    !isOfError(source, declaration)
  )
}

/** Whether a property is one that JavaScript's own `Error` gives every error: `message`, `stack` … */
export function isOfError(source: Source, { parent }: ts.Declaration): boolean {
  if (!ts.isInterfaceDeclaration(parent) || parent.name.text !== 'Error') return false
  const symbol = source.checker.getSymbolAtLocation(parent.name)
  return symbol !== undefined && isLibrary(source, symbol)
}
