/** Tags of aliases that are lost: the checker puts what an alias stands for in place of it. */

import { rulesLost } from '../../diagnostics/decorator-diagnostics.ts'
import { wrappers } from '../controllers/parameter-wrappers.ts'
import { isReference, placeOfNode, publicName, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { constraintTags } from '../types/constraints.ts'

export const lists: ReadonlySet<string> = new Set(['Array', 'ReadonlyArray', 'Set', 'ReadonlySet'])
export const streams: ReadonlySet<string> = new Set([
  'AsyncIterable',
  'AsyncIterableIterator',
  'AsyncGenerator',
])
export const records: ReadonlySet<string> = new Set(['Record', 'Map', 'ReadonlyMap'])

/** Reports what an argument of a generic type says by its alias: inside, the type has no alias any more. */
export function reportLost(source: Source, { typeName, typeArguments }: ts.TypeReferenceNode): void {
  if (typeArguments === undefined) return
  const symbol = symbolAt(source, typeName)
  const name = symbol?.name ?? ''
  const isWrapper = wrappers.has(publicName(source, symbol) ?? '') || name === 'Promise'
  if (isWrapper || [lists, streams, records].some((known) => known.has(name))) {
    for (const argument of typeArguments) if (ts.isTypeReferenceNode(argument)) reportLost(source, argument)
    return
  }
  if (symbol?.declarations?.some((node) => source.isOwn(node.getSourceFile())) !== true) return
  for (const argument of typeArguments) {
    const alias = lostAlias(source, argument)
    if (alias !== null) source.report(rulesLost(placeOfNode(source, argument), alias, name))
  }
}

/** The name of an alias with tags whose type does not keep it. */
function lostAlias(source: Source, argument: ts.TypeNode): string | null {
  if (!ts.isTypeReferenceNode(argument)) return null
  const alias = symbolAt(source, argument.typeName)?.declarations?.find(ts.isTypeAliasDeclaration)
  if (alias === undefined || constraintTags([alias]).length === 0) return null
  const { aliasSymbol } = source.checker.getTypeFromTypeNode(argument)
  return aliasSymbol === undefined ? alias.name.text : null
}

/** The same of what an interface or a class gives to those above it, and of arguments that it has by default. */
export function reportLostArguments(source: Source, type: ts.Type): void {
  const symbol = type.getSymbol()
  for (const declaration of symbol?.declarations ?? []) {
    const isOwn = source.isOwn(declaration.getSourceFile())
    if (!isOwn || !(ts.isInterfaceDeclaration(declaration) || ts.isClassLike(declaration))) continue
    for (const base of (declaration.heritageClauses ?? []).flatMap(({ types }) => types))
      for (const argument of base.typeArguments ?? []) report(source, argument, base.expression.getText())
    reportDefaults(source, declaration, isReference(type) ? source.checker.getTypeArguments(type) : [])
  }
}

function reportDefaults(
  source: Source,
  { typeParameters, name }: ts.InterfaceDeclaration | ts.ClassLikeDeclaration,
  typeArguments: readonly ts.Type[],
): void {
  for (const [place, { default: written }] of (typeParameters ?? []).entries())
    if (written !== undefined && source.checker.getTypeFromTypeNode(written) === typeArguments[place])
      report(source, written, name?.text ?? '')
}

function report(source: Source, argument: ts.TypeNode, generic: string): void {
  const alias = lostAlias(source, argument)
  if (alias !== null) source.report(rulesLost(placeOfNode(source, argument), alias, generic))
}
