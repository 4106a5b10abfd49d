/** Tags on classes that the build does not read: they would be lost in silence. Source: annotations.md, Nothing is lost
 *  silently. */

import { controllerInVain, notAController } from '../diagnostics.ts'
import { chainOf, nameOfClass } from './ancestors.ts'
import { memberTags } from './doc-comment.ts'
import { placeOfNode, type Source } from './program.ts'
import { ts } from './typescript.ts'

/** Reports every class in `files` with tags of ours that is not among those `read`, and says whether there is none. An
 *  abstract class waits for one that extends it. */
export function reportLostClasses(
  source: Source,
  files: readonly ts.SourceFile[],
  read: ReadonlySet<ts.Node>,
): boolean {
  let isClean = true
  const visit = (node: ts.Node): void => {
    if (read.has(node)) return
    if (ts.isClassLike(node) && isTagged(node) && !isWaiting(source, node)) {
      isClean = false
      reportLost(source, node)
    }
    ts.forEachChild(node, visit)
  }
  for (const file of files) if (written.test(file.text)) visit(file)
  return isClean
}

/** A cheap look at the text, so that most files are never walked. */
const written = new RegExp(`@(${[...memberTags, 'base'].join('|')})\\b`)

const isTagged = (node: ts.ClassLikeDeclaration): boolean =>
  [node, ...node.members].some((one) =>
    ts
      .getJSDocTags(one)
      .some(({ tagName: { text } }) => memberTags.has(text) || (one === node && text === 'base')),
  )

function isWaiting(source: Source, node: ts.ClassLikeDeclaration): boolean {
  const isAbstract = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AbstractKeyword) === true
  return isAbstract && ts.isSourceFile(node.parent) && chainOf(source, node) !== 'none'
}

function reportLost(source: Source, node: ts.ClassLikeDeclaration): void {
  const chain = chainOf(source, node)
  if (chain === 'unknown') return
  const at = placeOfNode(source, node)
  const name = nameOfClass(node)
  if (chain === 'none') source.report(notAController(at, name))
  else if (!ts.isSourceFile(node.parent))
    source.report(controllerInVain(at, name, 'stands inside other code'))
  else source.report(controllerInVain(at, name, 'lies outside app/controllers/'))
}
