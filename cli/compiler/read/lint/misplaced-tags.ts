/** Tags that TypeScript attaches to nothing, or to something that takes none: without a report they would be lost in
 *  silence. Source: language.md, Nothing is lost silently. */

import { badTag, schemaFile, tagInWrongPlace, unknownTag } from '../../diagnostics/source-diagnostics.ts'
import { tagSaysNothing } from '../../diagnostics/tag-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import { isKnownTag } from '../jsdoc/doc-comment.ts'
import { isProperty } from '../jsdoc/property-docs.ts'
import { nearestTag } from '../jsdoc/tag-suggestions.ts'
import {
  constrainingTags,
  markTags,
  roleTags,
  sharedTags,
  tagTable,
  valueTags,
  whereOf,
} from '../language.ts'
import { placeOf, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** A word that may be a tag: at the beginning of a line or of a comment, and in a doc comment after a blank. */
const candidate = /(?:^[\s/*]*|\/\*+\s*|\/\/\s*|(?:^[ \t]*\*|\/\*\*)(?:[^*\n`]|\*(?!\/))*?\s)@([A-Za-z]\w*)/gm

/** Reports every tag of ours in a comment that is not the last doc comment of a declaration that takes it, and what was
 *  to be a constraint of a value. */
export function reportMisplacedTags(source: Source): void {
  for (const file of source.wanted) {
    const found = [...file.text.matchAll(candidate)].filter(
      ({ index, 0: all, 1: name = '' }) =>
        (isOurs(name) || name === 'schema' || meantBy(name) !== null) &&
        !isPackage(name, file.text[index + all.length]) &&
        !(sharedTags.has(name) && !mayHoldController(source, file)),
    )
    const places = found.map((match) => match.index + match[0].lastIndexOf('@'))
    const attached = attachedTags(file, places)
    reportParted(source, file)
    const said = new Map<ts.Node, Set<string>>()
    for (const [index, position] of places.entries()) {
      const name = found[index]?.[1] ?? ''
      const tagged = attached.get(position)
      if (tagged === undefined) reportLoose(source, file, position, name)
      else {
        const { owner, text } = tagged
        const names = said.get(owner) ?? new Set()
        said.set(owner, names)
        const at = placeOf(source, file, position)
        reportOn(source, owner, { at, name, text, isSecond: names.has(name) })
        names.add(name)
      }
    }
  }
}

/** A tag that a blank parts from its `@`: TypeScript sees a tag without a name. */
const parted = /^[ \t]*(?:\/\*\*|\*)[ \t]*@[ \t]+([A-Za-z]\w*)/gm

function reportParted(source: Source, file: ts.SourceFile): void {
  for (const match of file.text.matchAll(parted)) {
    const [all, name = ''] = match
    const position = match.index + all.lastIndexOf('@')
    if (!roleTags.has(name) || isCode(file, innermost(file, position), position)) continue
    source.report(unknownTag(placeOf(source, file, position), ` ${name}`, name))
  }
}

/** `@scope/name` is how people write the name of any package. */
const isPackage = (name: string, next: string | undefined): boolean => name === 'scope' && next === '/'

/** Far from controllers the words of limits are other code's own. */
const mayHoldController = ({ host }: Source, { fileName, text }: ts.SourceFile): boolean =>
  fileName.startsWith(`${host.root}/app/controllers/`) || text.includes('acmcp')

const isOurs = (name: string): boolean => roleTags.has(name) || constrainingTags.has(name)

/** The constraint that an unknown tag of a value was to be; a method's own tags are judged where they are read. */
const meantBy = (name: string): string | null => (isKnownTag(name) ? null : nearestTag(name, '', valueTags))

interface Attached {
  readonly at: At
  readonly name: string
  readonly text: string
  /** The declaration has one of this name already. */
  readonly isSecond: boolean
}

/** What older versions took behind `@schema`; other tools have a tag of this name too. */
const isJsonFile = /^\.\.?\/.+\.json$/

/** A tag that TypeScript attaches to a declaration. Of values near controllers alone it is certain that ours are meant. */
function reportOn(source: Source, owner: ts.Node, attached: Attached): void {
  const { at, name, text, isSecond } = attached
  const row = tagTable.get(name)
  const meant = meantBy(name)
  const isOfClass = ts.isClassLike(owner) || (ts.isClassElement(owner) && ts.isClassLike(owner.parent))
  if (name === 'schema') {
    if (isJsonFile.test(text)) source.report(schemaFile(at, text))
  } else if (row === undefined) {
    if (meant !== null && isValue(owner)) source.report(unknownTag(at, name, meant))
  } else if (markTags.has(name)) {
    reportMark(source, owner, attached)
  } else if (roleTags.has(name)) {
    if (!isOfClass) source.report(tagInWrongPlace(at, name, 'on this declaration', whereOf(row)))
  } else if (isValue(owner)) {
    if (isSecond && !row.repeats) source.report(badTag(at, name, 'stands twice', 'Remove one of the two.'))
  } else if (isFunction(owner) && mayHoldController(source, owner.getSourceFile())) {
    source.report(tagSaysNothing(at, `@${name}`, 'on this declaration', whereOf(row)))
  }
}

/** Of a tag that protects somebody nothing is only a warning. */
function reportMark(source: Source, owner: ts.Node, { at, name, text, isSecond }: Attached): void {
  if (!isProperty(owner) && !ts.isTypeAliasDeclaration(owner)) {
    const where = whereOf({ on: tagTable.get(name)?.on ?? [] })
    source.report(tagInWrongPlace(at, name, 'on this declaration', where))
  } else if (isSecond) source.report(badTag(at, name, 'stands twice', 'Remove one of the two.'))
  else if (text !== '')
    source.report(badTag(at, name, `takes nothing, and has '${text}'`, 'Write the text above the tag.'))
}

const isFunction = (node: ts.Node): boolean =>
  ts.isFunctionDeclaration(node) || ts.isVariableStatement(node) || ts.isMethodSignature(node)

const isValue = (node: ts.Node): boolean =>
  ts.isPropertySignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isParameter(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isInterfaceDeclaration(node)

/** A declaration, and the text behind the tag in its comment. */
interface Tagged {
  readonly owner: ts.Node
  readonly text: string
}

/** The tags of the last doc comment of every node around one of `places`, by position. */
function attachedTags(file: ts.SourceFile, places: readonly number[]): ReadonlyMap<number, Tagged> {
  const tags = new Map<number, Tagged>()
  const visit = (node: ts.Node): void => {
    if (!places.some((place) => node.pos <= place && place < node.end)) return
    const blocks = 'jsDoc' in node ? (node.jsDoc as readonly ts.JSDoc[] | undefined) : undefined // where the parser puts them
    for (const tag of blocks?.at(-1)?.tags ?? []) {
      const text = (ts.getTextOfJSDocComment(tag.comment) ?? '').trim()
      tags.set(tag.getStart(), { owner: node, text })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return tags
}

/** A tag in a comment that belongs to nothing. */
function reportLoose(source: Source, file: ts.SourceFile, position: number, name: string): void {
  if (!isOurs(name)) return
  const around = innermost(file, position)
  const isNobodysElse = roleTags.has(name) || markTags.has(name)
  if (isCode(file, around, position) || !(isNobodysElse || isTypeBody(around, position))) return
  source.report(tagInWrongPlace(placeOf(source, file, position), name, 'in this comment', null))
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
  return tokens.some(
    (token) =>
      !ts.isJSDoc(token) && token.getStart(file) <= position && position < token.end && isToken(token),
  )
}

const isToken = (node: ts.Node): boolean => ts.isToken(node) || ts.isTemplateMiddleOrTemplateTail(node)

/** Constraint tags matter inside types only, and before a property of a class: elsewhere other tools use the same words. */
function isTypeBody(node: ts.Node, position: number): boolean {
  const inType = [node, node.parent, node.parent?.parent]
  const property = [node, node.parent].find((item) => item !== undefined && ts.isPropertyDeclaration(item))
  if (property !== undefined && position < property.getStart()) return true
  return inType.some(
    (item) =>
      item !== undefined &&
      (ts.isTypeLiteralNode(item) || ts.isInterfaceDeclaration(item) || ts.isTypeAliasDeclaration(item)),
  )
}
