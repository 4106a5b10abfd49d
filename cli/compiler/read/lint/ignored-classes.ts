/** Tags on classes that the build does not read: they would be lost in silence. Source: language.md, Nothing is lost silently. */

import { controllerUnused, notAController, tagUnread } from '../../diagnostics/source-diagnostics.ts'
import { decoratorUnread } from '../../diagnostics/tag-diagnostics.ts'
import { judgeAbstract } from '../controllers/controllers.ts'
import { chainOf, nameOfClass } from '../controllers/heritage.ts'
import { isAbstract, isKnownTag } from '../jsdoc/doc-comment.ts'
import { nearestTag } from '../jsdoc/tag-suggestions.ts'
import { memberTags, roleTags, routeTags, sharedTags } from '../language.ts'
import { placeOf, placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** Reports every class in `files` with tags of ours that is not among those `read`, and says whether there is none. An
 *  abstract class waits for one that extends it. */
export function reportIgnoredClasses(
  source: Source,
  files: readonly ts.SourceFile[],
  read: ReadonlySet<ts.Node>,
): boolean {
  let isClean = true
  const visit = (node: ts.Node): void => {
    if (read.has(node)) return
    if (ts.isClassLike(node)) {
      if (isWaiting(source, node)) judgeAbstract(source, node)
      else if (isTagged(source, node)) {
        isClean = false
        reportLost(source, node)
      } else {
        reportMisses(source, node)
        reportDecorators(source, node)
      }
    }
    ts.forEachChild(node, visit)
  }
  for (const file of files) if (mayHold(file)) visit(file)
  return isClean
}

/** A cheap look at the text, so that files without a tag or a decorator on a class are never walked. */
const mayHold = ({ text }: ts.SourceFile): boolean =>
  /\*\s*@\w|^\s*@\w+\(/m.test(text) && /\bclass\b/.test(text)

/** Words that other code uses too say nothing far from a controller. */
const isTagged = (source: Source, node: ts.ClassLikeDeclaration): boolean =>
  [node, ...node.members].some((member) =>
    ts.getJSDocTags(member).some(({ tagName: { text } }) => {
      if (sharedTags.has(text)) return isNearController(source, node)
      return roleTags.has(text) && (member === node || memberTags.has(text))
    }),
  )

/** An abstract class that nobody extends, though controllers may. */
function isWaiting(source: Source, node: ts.ClassLikeDeclaration): node is ts.ClassDeclaration {
  const isAtTop = ts.isClassDeclaration(node) && ts.isSourceFile(node.parent)
  return isAtTop && isAbstract(node) && Array.isArray(chainOf(source, node))
}

function reportLost(source: Source, node: ts.ClassLikeDeclaration): void {
  const chain = chainOf(source, node)
  if (chain === 'unknown') return
  const at = placeOfNode(source, node)
  const name = nameOfClass(node)
  if (chain === 'none') source.report(notAController(at, name))
  else if (!ts.isSourceFile(node.parent))
    source.report(controllerUnused(at, name, 'stands inside other code'))
  else source.report(controllerUnused(at, name, 'lies outside app/controllers/'))
}

/** Warns of tags that seem to be ours, on a class that is no controller but stands where one would, or extends one. */
function reportMisses(source: Source, node: ts.ClassLikeDeclaration): void {
  const file = node.getSourceFile()
  for (const tag of [node, ...node.members].flatMap((member) => ts.getJSDocTags(member))) {
    const { text } = tag.tagName
    const after = ts.getTextOfJSDocComment(tag.comment) ?? ''
    const meant = isKnownTag(text) ? null : nearestTag(text, after, roleTags)
    if (meant === null || !isNearController(source, node)) continue
    source.report(tagUnread(placeOf(source, file, tag.getStart()), text, nameOfClass(node), meant))
  }
}

function isNearController(source: Source, node: ts.ClassLikeDeclaration): boolean {
  return isAmongControllers(source, node) || Array.isArray(chainOf(source, node))
}

const isAmongControllers = ({ host }: Source, node: ts.Node): boolean =>
  node.getSourceFile().fileName.startsWith(`${host.root}/app/controllers/`)

const routeDecorators: ReadonlySet<string> = new Set(['controller', ...routeTags])

/** Warns of what other frameworks would read, where a controller would stand. */
function reportDecorators(source: Source, node: ts.ClassLikeDeclaration): void {
  if (!isAmongControllers(source, node)) return
  for (const member of [node, ...node.members]) {
    for (const decorator of ts.canHaveDecorators(member) ? (ts.getDecorators(member) ?? []) : []) {
      const { expression } = decorator
      const name = (ts.isCallExpression(expression) ? expression.expression : expression).getText()
      if (!routeDecorators.has(name.toLowerCase())) continue
      source.report(decoratorUnread(placeOfNode(source, decorator), name, nameOfClass(node)))
    }
  }
}
