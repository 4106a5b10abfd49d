/** What `@secret` and `@untrusted` say of a property: on itself, or on an alias that its type is written with. The checker
 *  knows no alias of a text, so that the type is walked as it is written. Where in doubt a property is secret. */

import type { Marks } from '../../ir/schema.ts'
import { docTagsOf } from '../jsdoc/property-docs.ts'
import { type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

const unmarked: Marks = { isSecret: false, isUntrusted: false }

/** `Pick`, `Partial` and their like make new symbols of the same declarations: each is read once a run. */
const known = new WeakMap<Source, Map<ts.Declaration, Marks>>()

/** What is said of the value of a property. */
export function marksOf(source: Source, symbol: ts.Symbol): Marks {
  if (!hasMarks(source.program)) return unmarked
  return joined((symbol.declarations ?? []).map((node) => marksOfDeclaration(source, node)))
}

const hasMark = new WeakMap<ts.SourceFile, boolean>()
const hasMarksIn = new WeakMap<ts.Program, boolean>()

/** Whether any file says one of the two: without, nothing is walked. */
function hasMarks(program: ts.Program): boolean {
  const before = hasMarksIn.get(program)
  if (before !== undefined) return before
  const has = program.getSourceFiles().some(isMarking)
  hasMarksIn.set(program, has)
  return has
}

/** A file is looked at once, by however many programs. */
function isMarking(file: ts.SourceFile): boolean {
  const before = hasMark.get(file)
  if (before !== undefined) return before
  const has = file.text.includes('@secret') || file.text.includes('@untrusted')
  hasMark.set(file, has)
  return has
}

const joined = (all: readonly Marks[]): Marks => ({
  isSecret: all.some(({ isSecret }) => isSecret),
  isUntrusted: all.some(({ isUntrusted }) => isUntrusted),
})

function marksOfDeclaration(source: Source, node: ts.Declaration): Marks {
  const all = known.get(source) ?? new Map<ts.Declaration, Marks>()
  known.set(source, all)
  const before = all.get(node)
  if (before !== undefined) return before
  const type = 'type' in node ? (node.type as ts.TypeNode | undefined) : undefined // declarations of properties have it
  const found = joined([saidOn(node), ...aliasesIn(source, type).map(saidOn)])
  all.set(node, found)
  return found
}

function saidOn(node: ts.Declaration): Marks {
  const names = docTagsOf(node).map(({ tagName }) => tagName.text)
  return { isSecret: names.includes('secret'), isUntrusted: names.includes('untrusted') }
}

/** The aliases that a type is written with, through other aliases too; not what stands at the properties inside, of which
 *  each speaks for itself. */
function aliasesIn(source: Source, type: ts.TypeNode | undefined): readonly ts.TypeAliasDeclaration[] {
  const found = new Set<ts.TypeAliasDeclaration>()
  const visit = (node: ts.Node): void => {
    if (ts.isTypeElement(node) && !ts.isIndexSignatureDeclaration(node)) return
    const name = nameOf(node)
    const declarations = name === undefined ? [] : (symbolAt(source, name)?.declarations ?? [])
    for (const alias of declarations.filter(ts.isTypeAliasDeclaration)) {
      if (found.has(alias)) continue
      found.add(alias)
      visit(alias.type)
    }
    ts.forEachChild(node, visit)
  }
  if (type !== undefined) visit(type)
  return [...found]
}

/** The name of a type that `node` refers to. */
function nameOf(node: ts.Node): ts.EntityName | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  return ts.isImportTypeNode(node) ? node.qualifier : undefined
}
