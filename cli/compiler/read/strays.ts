/** Tags that TypeScript attaches to nothing, or to something that takes none: without a report they would be lost in
 *  silence. Source: annotations.md, Nothing is lost silently. */

import { tagInWrongPlace } from '../diagnostics.ts'
import { constraining, memberTags } from './doc-comment.ts'
import { placeOf, type Source } from './program.ts'
import { ts } from './typescript.ts'

const roles: ReadonlySet<string> = new Set([...memberTags, 'base', 'skipFilter', 'requireTls'])
const candidate = new RegExp(
  `(?:^[\\s/*]*|/\\*+\\s*|//\\s*)@(${[...roles, ...constraining].join('|')})\\b`,
  'gm',
)

/** Reports every tag of ours in a comment that is not the last doc comment of a declaration that takes it. */
export function reportStrays(source: Source): void {
  for (const file of source.files) {
    const found = [...file.text.matchAll(candidate)]
    const attached = found.length === 0 ? new Map<number, ts.Node>() : attachedTags(file)
    for (const match of found) {
      const name = match[1] ?? ''
      const position = match.index + match[0].lastIndexOf('@')
      const why = problemOf(file, position, name, attached.get(position))
      if (why !== null) source.report(tagInWrongPlace(placeOf(source, file, position), name, why))
    }
  }
}

/** The tags of the last doc comment of every node, by position. */
function attachedTags(file: ts.SourceFile): ReadonlyMap<number, ts.Node> {
  const tags = new Map<number, ts.Node>()
  const visit = (node: ts.Node): void => {
    const blocks = 'jsDoc' in node ? (node.jsDoc as readonly ts.JSDoc[] | undefined) : undefined // where the parser puts them
    for (const tag of blocks?.at(-1)?.tags ?? []) tags.set(tag.getStart(), node)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return tags
}

function problemOf(
  file: ts.SourceFile,
  position: number,
  name: string,
  owner: ts.Node | undefined,
): string | null {
  if (owner !== undefined) {
    const isOfClass = ts.isClassLike(owner) || (ts.isClassElement(owner) && ts.isClassLike(owner.parent))
    return roles.has(name) && !isOfClass ? 'on this declaration' : null
  }
  const around = innermost(file, position)
  if (isCode(file, around, position)) return null
  return roles.has(name) || isTypeBody(around) ? 'in this comment' : null
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

/** Constraint tags matter inside types only: elsewhere other tools use the same words. */
function isTypeBody(node: ts.Node): boolean {
  const inType = [node, node.parent, node.parent?.parent]
  return inType.some(
    (one) =>
      one !== undefined &&
      (ts.isTypeLiteralNode(one) || ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)),
  )
}
