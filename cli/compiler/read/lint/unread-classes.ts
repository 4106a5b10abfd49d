/** Tags on classes and in files that the build does not read. Source: language.md, Nothing is lost silently. */

import {
  controllerUnused,
  fileUnread,
  notAController,
  tagUnread,
} from '../../diagnostics/source-diagnostics.ts'
import { decoratorUnread } from '../../diagnostics/tag-diagnostics.ts'
import { judgeAbstract } from '../controllers/controllers.ts'
import { chainOf, nameOfClass } from '../controllers/heritage.ts'
import { isAbstract } from '../jsdoc/doc-comment.ts'
import { nearestTag } from '../jsdoc/tag-suggestions.ts'
import { routeTags } from '../language.ts'
import { filesBelow } from '../program/host.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** Reports what stands on a class that was not read, and returns whether none of it makes a controller. An abstract class waits
 *  for one that extends it. */
export function reportUnreadClass(source: Source, node: ts.ClassLikeDeclaration): boolean {
  const isAmong = isAmongControllers(source, node.getSourceFile())
  const isController = (): boolean => Array.isArray(chainOf(source, node))
  const isNear = (): boolean => isAmong || isController()
  if (ts.isClassDeclaration(node) && ts.isSourceFile(node.parent) && isAbstract(node) && isController()) {
    judgeAbstract(source, node)
    return true
  }
  const { memberTags, roleTags, sharedTags } = source.language
  const parts = [node, ...node.members]
  const tags = parts.flatMap((part) => ts.getJSDocTags(part).map((tag) => ({ part, tag })))
  const isOurs = tags.some(
    ({
      part,
      tag: {
        tagName: { text },
      },
    }) => (sharedTags.has(text) ? isNear() : roleTags.has(text) && (part === node || memberTags.has(text))),
  )
  if (isOurs) reportLost(source, node)
  else {
    for (const { tag } of tags) reportMiss(source, node, tag, isNear)
    if (isAmong) for (const part of parts) reportDecorators(source, node, part)
  }
  return !isOurs
}

export const isAmongControllers = ({ host }: Source, { fileName }: ts.SourceFile): boolean =>
  fileName.startsWith(`${host.root}/app/controllers/`)

function reportLost(source: Source, node: ts.ClassLikeDeclaration): void {
  const chain = chainOf(source, node)
  if (chain === 'unknown') return
  const at = placeOfNode(source, node)
  const name = nameOfClass(node)
  const why = ts.isSourceFile(node.parent) ? 'lies outside app/controllers/' : 'stands inside other code'
  source.report(chain === 'none' ? notAController(at, name) : controllerUnused(at, name, why))
}

/** Warns of a tag that seems to be ours, on a class that is no controller but stands where one would, or extends one. */
function reportMiss(
  source: Source,
  node: ts.ClassLikeDeclaration,
  tag: ts.JSDocTag,
  isNear: () => boolean,
): void {
  const { text } = tag.tagName
  const meant = nearestTag(
    source.language,
    [text, ts.getTextOfJSDocComment(tag.comment) ?? ''],
    source.language.roleTags,
  )
  if (meant !== null && isNear())
    source.report(tagUnread(placeOfNode(source, tag), text, nameOfClass(node), meant))
}

const routeDecorators: ReadonlySet<string> = new Set(['controller', ...routeTags])

/** Warns of what other frameworks would read. */
function reportDecorators(source: Source, owner: ts.ClassLikeDeclaration, part: ts.Node): void {
  for (const decorator of ts.canHaveDecorators(part) ? (ts.getDecorators(part) ?? []) : []) {
    const { expression } = decorator
    const name = (ts.isCallExpression(expression) ? expression.expression : expression).getText()
    if (routeDecorators.has(name.toLowerCase()))
      source.report(decoratorUnread(placeOfNode(source, decorator), name, nameOfClass(owner)))
  }
}

/** JavaScript has no types; the others are no sources of a server. */
const isOther = (name: string): boolean => /\.([cm]?jsx?|tsx|cts)$/.test(name)

/** Warns of the first tag in every file under `app/controllers/` that is neither `.ts` nor `.mts`, nor made of the one beside it. */
export function reportUnreadFiles({ host, report, language: { memberTags } }: Source): void {
  const tagOfMember = new RegExp(`^[ \\t]*(?:/\\*)?\\*.*\\s@(${[...memberTags].join('|')})\\b`, 'm')
  const directory = `${host.root}/app/controllers`
  if (!host.directoryExists(directory)) return
  for (const path of filesBelow(host, directory, isOther)) {
    const [, stem = '', kind = ''] = /^(.*)\.([cm]?)[jt]sx?$/.exec(path) ?? []
    if (host.fileExists(`${stem}.${kind}ts`) && !path.endsWith('.cts')) continue
    const text = host.readFile(path) ?? ''
    const found = tagOfMember.exec(text)
    if (found === null) continue
    const lines = text.slice(0, found.index + found[0].lastIndexOf('@')).split('\n')
    const column = (lines.at(-1) ?? '').length + 1
    report(fileUnread({ file: path.slice(host.root.length + 1), line: lines.length, column }, found[1] ?? ''))
  }
}
