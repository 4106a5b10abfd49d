/** What readers leave: words of ours in a comment that belongs to nothing, on a declaration that takes none, or on a class that
 *  no reader takes. Without a report they would be lost in silence. Source: language.md, Nothing is lost silently. */

import { badTag, schemaFile, tagInWrongPlace, unknownTag } from '../../diagnostics/source-diagnostics.ts'
import { tagSaysNothing } from '../../diagnostics/tag-diagnostics.ts'
import { isProperty } from '../jsdoc/property-docs.ts'
import { reportNoEffect } from '../jsdoc/tag-places.ts'
import { nearestTag } from '../jsdoc/tag-suggestions.ts'
import { constrainingTags, markTags, valueTags, whereOf } from '../language.ts'
import { nodesIn } from '../program/nodes.ts'
import { placeOf, placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { isAmongControllers, reportUnreadClass } from './unread-classes.ts'

/** A word that may be a tag: at the beginning of a line or of a comment, and in a doc comment after a blank. */
const candidate = /(?:^[\s/*]*|\/\*+\s*|\/\/\s*|(?:^[ \t]*\*|\/\*\*)(?:[^*\n`]|\*(?!\/))*?\s)@([A-Za-z]\w*)/gm
/** One that a blank parts from its `@`: TypeScript sees a tag without a name. */
const parted = /^[ \t]*(?:\/\*\*|\*)[ \t]*@([ \t]+[A-Za-z]\w*)/gm

/** Reports what is left in the files, and returns whether no controller is lost. `read`: the classes that were read. */
export function reportUnreadTags(source: Source, read: ReadonlySet<ts.Node>): boolean {
  let isClean = true
  for (const file of source.wanted) {
    const left = wordsIn(file)
    for (const node of left.size === 0 ? [] : nodesIn(file)) {
      if (ts.isClassLike(node) && !read.has(node)) isClean = reportUnreadClass(source, node) && isClean
      takeFrom(source, node, left)
    }
    for (const [position, name] of left) reportLoose(source, file, position, name)
  }
  return isClean
}

/** By position; empty where `@scope/name` is the name of a package, as people write that of any. */
function wordsIn({ text }: ts.SourceFile): Map<number, string> {
  const found = [candidate, parted].flatMap((pattern) => [...text.matchAll(pattern)])
  return new Map(
    found.map(({ index, 0: all, 1: name = '' }) => {
      const isPackage = name === 'scope' && text[index + all.length] === '/'
      return [index + all.lastIndexOf('@'), isPackage ? '' : name]
    }),
  )
}

/** Takes those of the last doc comment of a declaration. */
function takeFrom(source: Source, owner: ts.Node, left: Map<number, string>): void {
  const blocks = 'jsDoc' in owner ? (owner.jsDoc as readonly ts.JSDoc[] | undefined) : undefined // where the parser puts them
  const said = new Set<string>()
  for (const tag of blocks?.at(-1)?.tags ?? []) {
    const name = left.get(tag.getStart())
    if (name === undefined || tag.tagName.text === '') continue
    left.delete(tag.getStart())
    reportOn(source, owner, tag, { name, isSecond: said.has(name) })
    said.add(name)
  }
}

/** Far from controllers the words of limits are other code's own. */
const mayHoldController = (source: Source, file: ts.SourceFile): boolean =>
  isAmongControllers(source, file) || file.text.includes('acmcp')

/** What older versions took behind `@schema`; other tools have a tag of this name too. */
const isJsonFile = /^\.\.?\/.+\.json$/

/** A tag of a declaration. Of values near controllers alone it is certain that ours are meant. */
function reportOn(
  source: Source,
  owner: ts.Node,
  tag: ts.JSDocTag,
  { name, isSecond }: { readonly name: string; readonly isSecond: boolean },
): void {
  const { tagTable, roleTags, sharedTags } = source.language
  const row = tagTable.get(name)
  const at = placeOfNode(source, tag)
  const text = (ts.getTextOfJSDocComment(tag.comment) ?? '').trim()
  const isNear = mayHoldController(source, owner.getSourceFile())
  const takesMark = isProperty(owner) || ts.isTypeAliasDeclaration(owner)
  if (row === undefined) {
    const meant = isValue(owner) ? nearestTag(source.language, [name, ''], valueTags) : null
    if (name === 'schema' && isJsonFile.test(text)) source.report(schemaFile(at, text))
    else if (meant !== null) source.report(unknownTag(at, name, meant))
  } else if (roleTags.has(name)) {
    const isOfClass = ts.isClassLike(owner) || (ts.isClassElement(owner) && ts.isClassLike(owner.parent))
    if (!isOfClass && (isNear || !sharedTags.has(name)))
      reportNoEffect(source, at, name, 'on this declaration')
  } else if (markTags.has(name) && !takesMark) {
    reportNoEffect(source, at, name, 'on this declaration')
  } else if (markTags.has(name) || (constrainingTags.has(name) && isValue(owner))) {
    if (isSecond && !row.repeats) source.report(badTag(at, name, 'stands twice', 'Remove one of the two.'))
    else if (markTags.has(name) && text !== '')
      source.report(badTag(at, name, `takes nothing, and has '${text}'`, 'Write the text above the tag.'))
  } else if (constrainingTags.has(name) && isFunction(owner) && isNear) {
    source.report(tagSaysNothing(at, `@${name}`, 'on this declaration', whereOf(row)))
  }
}

const isFunction = (node: ts.Node): boolean =>
  ts.isFunctionDeclaration(node) || ts.isVariableStatement(node) || ts.isMethodSignature(node)

const isValue = (node: ts.Node): boolean =>
  ts.isPropertySignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isParameter(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isInterfaceDeclaration(node)

/** A tag in a comment that belongs to nothing, or one without a name. */
function reportLoose(source: Source, file: ts.SourceFile, position: number, written: string): void {
  const name = written.trim()
  const isParted = name !== written
  const { roleTags, sharedTags } = source.language
  const isNobodysElse = roleTags.has(name) || (markTags.has(name) && !isParted)
  if (!isNobodysElse && (isParted || !constrainingTags.has(name))) return
  if (sharedTags.has(name) && !isParted && !mayHoldController(source, file)) return
  const around = innermost(file, position)
  if (isCode(file, around, position) || !(isNobodysElse || isTypeBody(around, position))) return
  const at = placeOf(source, file, position)
  if (isParted) source.report(unknownTag(at, ` ${name}`, name))
  else source.report(tagInWrongPlace(at, name, 'in this comment', null))
}

/** The smallest node around `position`, comments before it included. */
function innermost(node: ts.Node, position: number): ts.Node {
  const inside = ts.forEachChild(node, (child) =>
    child.pos <= position && position < child.end ? child : undefined,
  )
  return inside === undefined ? node : innermost(inside, position)
}

/** Whether `position` lies in a token, such as a text. */
function isCode(file: ts.SourceFile, node: ts.Node, position: number): boolean {
  const tokens = node.getChildCount(file) === 0 ? [node] : node.getChildren(file)
  const isToken = (token: ts.Node): boolean => ts.isToken(token) || ts.isTemplateMiddleOrTemplateTail(token)
  return tokens.some((token) => isToken(token) && token.getStart(file) <= position && position < token.end)
}

/** Constraint tags matter inside types only, and before a property of a class: elsewhere other tools use the same words. */
function isTypeBody(node: ts.Node, position: number): boolean {
  const around = [node, node.parent, node.parent?.parent].filter((item) => item !== undefined)
  const property = around.slice(0, 2).find(ts.isPropertyDeclaration)
  return (
    (property !== undefined && position < property.getStart()) ||
    around.some(
      (item) =>
        ts.isTypeLiteralNode(item) || ts.isInterfaceDeclaration(item) || ts.isTypeAliasDeclaration(item),
    )
  )
}
