/** What no decoder makes: classes with more than public fields, and what the rules of a schema would have to make. */

import { memoize } from '../../cache/memoize.ts'
import { checkedInside } from '../../diagnostics/checked-diagnostics.ts'
import { instanceParameter } from '../../diagnostics/source-diagnostics.ts'
import { isLibrary, isLibraryType } from '../program/library.ts'
import { textOfType } from '../program/overflow.ts'
import { publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { builtInOf, isMethod } from './built-ins.ts'
import { maxWork } from './depth-guard.ts'
import { propertyLocation } from './objects.ts'
import { isOfError, type TypePart, typePartsOf, writtenBy } from './parts.ts'
import { short, type TypeLocation, type TypeReader } from './type-reader.ts'

/** Reports the first class inside the type of a parameter that has more than public fields, or the first `Checked`. */
export function reportInstance({ source, guard }: TypeReader, type: ts.Type, location: TypeLocation): void {
  const known = plainIn(source)
  const seen = new Map([[type, location]])
  for (const [item, { at, path }] of seen) {
    if (known.has(item) || guard.isEndless(item)) continue // an error already
    if (seen.size > maxWork) break // too many parts: so is that
    if ([item, ...(item.isIntersection() ? item.types : [])].some((part) => isMark(source, part))) {
      source.report(checkedInside(at, short(path)))
      return
    }
    if (isMoreThanData(source, item)) {
      source.report(instanceParameter(at, short(path), nameOf(source, item)))
      return
    }
    for (const part of typePartsOf(source, item)) {
      if (item.isUnion() && isAnythingElse(source, part.type)) continue
      if (!seen.has(part.type)) seen.set(part.type, locationOf(source, part, { at, path })) // they have their turn too
    }
  }
  for (const key of seen.keys()) known.add(key)
}

const nameOf = ({ checker }: Source, type: ts.Type): string =>
  type.symbol === undefined || type.symbol.name.startsWith('__')
    ? textOfType(checker, type)
    : type.symbol.name

/** Whether a member of a union stands for whatever writes itself, as the last one of Prisma's `InputJsonValue` does: a decoder
 *  makes one of the others. */
function isAnythingElse(source: Source, type: ts.Type): boolean {
  const written = writtenBy(source, type)
  return (
    written !== null && Boolean(written.flags & ts.TypeFlags.Unknown) && type.getProperties().length === 1
  )
}

/** Where a part stands; a property of the application at its own place. */
const locationOf = (
  source: Source,
  { property, step }: TypePart,
  { at, path }: TypeLocation,
): TypeLocation =>
  property === null ? { at, path: `${path}${step}` } : propertyLocation({ source }, property, { at, path })

/** Types in which no such class stands. */
const plainIn = memoize((_source: Source) => new Set<ts.Type>())

/** Whether `type` is what tells the type `Checked` from others. */
function isMark(source: Source, type: ts.Type): boolean {
  const alias = ts.findAncestor(type.getSymbol()?.declarations?.[0], ts.isTypeAliasDeclaration)
  return alias !== undefined && source.publicSurface.get('Checked')?.declarations?.[0] === alias
}

/** Whether `type` is a class of the application with more than public fields, or a list, map or set with methods of its own. */
function isMoreThanData(source: Source, type: ts.Type): boolean {
  if (writtenBy(source, type) !== null) return true
  if (source.checker.isTupleType(type) || isLibraryType(source, type)) return false
  const properties = source.checker.getPropertiesOfType(type)
  if (builtInOf(source, type) !== null && properties.some((property) => isOwnMethod(source, property)))
    return true
  const symbol = type.getSymbol()
  const isClass = symbol !== undefined && symbol.flags & ts.SymbolFlags.Class
  if (!isClass || publicName(source, symbol) !== null) return false
  return properties.some(({ valueDeclaration: node }) => {
    if (node === undefined || !ts.isClassLike(node.parent)) {
      return isHidden(node) || (node !== undefined && isOfError(source, node))
    }
    return isHidden(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node)
  })
}

/** Whether the class declares a required method beside those that JavaScript gives it. */
const isOwnMethod = (source: Source, property: ts.Symbol): boolean =>
  !(property.flags & ts.SymbolFlags.Optional) &&
  !isLibrary(source, property) &&
  isMethod(source.checker, property)

function isHidden(node: ts.Declaration | undefined): boolean {
  if (node === undefined) return false
  const name = ts.getNameOfDeclaration(node)
  if (name !== undefined && ts.isPrivateIdentifier(name)) return true
  return Boolean(ts.getCombinedModifierFlags(node) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected))
}
