/** Names for types that hold themselves and have none: what zod infers of a getter, or what a conditional type comes to. */

import { memoize } from '../../cache/memoize.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import type { Frame } from './depth-guard.ts'
import { nameOf } from './type-names.ts'

/** The name of the application's alias that is the type, of the alias and the type that a mapped type was made by and of, or
 *  else of the place where it was met first. */
export function recursiveName(source: Source, { type, location }: Frame): string {
  return aliasOf(source, type)?.name.text ?? mappedName(source, type) ?? nameOfPath(location.path)
}

/** The alias of the application that is only another word for `type`; of several the first by file and line. */
export const aliasOf = (source: Source, type: ts.Type): ts.TypeAliasDeclaration | null =>
  aliasesOf(source).get(type) ?? null

const aliasesOf = memoize(({ checker, files }: Source): ReadonlyMap<ts.Type, ts.TypeAliasDeclaration> => {
  const found = new Map<ts.Type, ts.TypeAliasDeclaration>()
  const plain = files
    .flatMap(({ statements }) => statements.filter(ts.isTypeAliasDeclaration))
    .filter(({ typeParameters }) => typeParameters === undefined)
  for (const alias of plain) {
    const type = checker.getTypeFromTypeNode(alias.type)
    if (!found.has(type)) found.set(type, alias)
  }
  return found
})

function mappedName(source: Source, type: ts.Type): string | null {
  const node = type.getSymbol()?.declarations?.[0]
  if (node === undefined || !ts.isMappedTypeNode(node) || !source.isOwn(node.getSourceFile())) return null
  const from = 'modifiersType' in type ? nameOf(source, type.modifiersType as ts.Type) : null // the checker's own field
  const alias = ts.findAncestor(node, ts.isTypeAliasDeclaration)
  return alias === undefined || from === null ? null : `${alias.name.text}Of${from}`
}

/** `Notes.create(note).items[]` → `NotesCreateNoteItems`. */
function nameOfPath(path: string): string {
  const last = path.split(' → ').at(-1) ?? path
  const words = last.match(/[\p{ID_Continue}$]+/gu) ?? []
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')
  return /^[\p{ID_Start}_$]/u.test(name) ? name : `Type${name}`
}
