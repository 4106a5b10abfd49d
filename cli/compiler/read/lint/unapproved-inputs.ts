/** What code of an approved call reads by hand: no page shows it, and no digest of the call has it. */

import { unapprovedInput } from '../../diagnostics/approval-diagnostics.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

const inputs = new Set(['headers', 'cookies'])
/** Methods with one of these are called for routes of their own. */
const routes = new Set(['get', 'post', 'put', 'patch', 'delete', 'options', 'websocket'])

/** Reports them in methods with `@approval`, and in the filters and helpers of their class. */
export function reportUnapprovedInputs(source: Source): void {
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) for (const member of approvedMembers(node)) reportIn(source, member)
    ts.forEachChild(node, visit)
  }
  for (const file of source.wanted) if (/@approval\b/.test(file.text)) visit(file)
}

function approvedMembers(declared: ts.ClassLikeDeclaration): readonly ts.ClassElement[] {
  const ofClass = tagsOf(declared).get('approval')
  const approval = (member: ts.ClassElement): string | undefined => {
    const tags = tagsOf(member)
    return tags.get('approval') ?? ([...routes].some((name) => tags.has(name)) ? ofClass : undefined)
  }
  const isAsked = (text: string | undefined): boolean => text !== undefined && text.trim() !== 'none'
  if (!declared.members.some((member) => isAsked(approval(member)))) return []
  return declared.members.filter((member) => {
    const isRoute = [...routes].some((name) => tagsOf(member).has(name))
    return isRoute || tagsOf(member).has('approval') ? isAsked(approval(member)) : true
  })
}

const tagsOf = (node: ts.Node): ReadonlyMap<string, string> =>
  new Map(ts.getJSDocTags(node).map((tag) => [tag.tagName.text, ts.getTextOfJSDocComment(tag.comment) ?? '']))

function reportIn(source: Source, member: ts.ClassElement): void {
  const visit = (node: ts.Node): void => {
    for (const name of readBy(node))
      source.report(unapprovedInput(placeOfNode(source, name), ts.isIdentifier(name) ? name.text : ''))
    ts.forEachChild(node, visit)
  }
  visit(member)
}

/** Where `this.request.headers` is read, or `{ headers }` of `this.request`. */
function readBy(node: ts.Node): readonly ts.Node[] {
  if (ts.isPropertyAccessExpression(node))
    return inputs.has(node.name.text) && isRequest(node.expression) ? [node.name] : []
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return []
  if (node.initializer === undefined || !isRequest(node.initializer)) return []
  return node.name.elements
    .map(({ propertyName, name }) => propertyName ?? name)
    .filter((name) => ts.isIdentifier(name) && inputs.has(name.text))
}

const isRequest = (node: ts.Expression): boolean =>
  ts.isPropertyAccessExpression(node) &&
  node.name.text === 'request' &&
  node.expression.kind === ts.SyntaxKind.ThisKeyword
