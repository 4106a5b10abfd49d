/** What code of an approved call reads by hand: no page shows it, and no digest of the call has it. */

import type { TagSource } from '../../compiler/read/language.ts'
import { nodesIn } from '../../compiler/read/program/nodes.ts'
import { placeOfNode } from '../../compiler/read/program/program.ts'
import { ts } from '../../compiler/read/program/typescript.ts'
import { unapprovedInput } from './diagnostics.ts'

const inputs = new Set(['headers', 'cookies'])
/** Methods with one of these are called for routes of their own. */
const routes = new Set(['get', 'post', 'put', 'patch', 'delete', 'options', 'websocket'])

/** Reports them in methods with `@approval`, and in the filters and helpers of their class. */
export function reportUnapprovedInputs(source: TagSource): void {
  for (const file of source.wanted.filter(({ text }) => /@approval\b/.test(text)))
    for (const member of nodesIn(file).filter(ts.isClassLike).flatMap(approvedMembers))
      reportIn(source, member)
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

function reportIn(source: TagSource, member: ts.ClassElement): void {
  const aliases = new Set<string>()
  for (const node of nodesIn(member)) {
    if (ts.isVariableDeclaration(node)) for (const alias of requestsIn(node, aliases)) aliases.add(alias)
    for (const { at, name } of readBy(node, aliases))
      source.report(unapprovedInput(placeOfNode(source, at), name))
  }
}

/** Names that a declaration gives to `this.request`. */
function requestsIn({ name, initializer }: ts.VariableDeclaration, aliases: Aliases): readonly string[] {
  if (initializer === undefined) return []
  if (ts.isIdentifier(name)) return isRequest(initializer, aliases) ? [name.text] : []
  if (!ts.isObjectBindingPattern(name) || bare(initializer).kind !== ts.SyntaxKind.ThisKeyword) return []
  return name.elements.flatMap(({ propertyName, name: local }) =>
    textOf(propertyName ?? local) === 'request' && ts.isIdentifier(local) ? [local.text] : [],
  )
}

type Aliases = ReadonlySet<string>

interface Read {
  readonly at: ts.Node
  readonly name: string
}

/** Where `this.request.headers` is read, or `{ headers }` of `this.request`. */
function readBy(node: ts.Node, aliases: Aliases): readonly Read[] {
  const property = propertyOf(node)
  if (property !== null) return inputs.has(property.name) && isRequest(property.of, aliases) ? [property] : []
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return []
  if (node.initializer === undefined || !isRequest(node.initializer, aliases)) return []
  return node.name.elements
    .map(({ propertyName, name }) => propertyName ?? name)
    .map((at) => ({ at, name: textOf(at) }))
    .filter(({ name }) => inputs.has(name))
}

const textOf = (name: ts.Node): string => (ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : '')

interface PropertyRead extends Read {
  readonly of: ts.Expression
}

/** `of.name` or `of['name']`. */
function propertyOf(node: ts.Node): PropertyRead | null {
  if (ts.isPropertyAccessExpression(node)) return { of: node.expression, at: node.name, name: node.name.text }
  if (!ts.isElementAccessExpression(node)) return null
  return { of: node.expression, at: node.argumentExpression, name: textOf(node.argumentExpression) }
}

function isRequest(expression: ts.Expression, aliases: Aliases): boolean {
  const node = bare(expression)
  if (ts.isIdentifier(node)) return aliases.has(node.text)
  const property = propertyOf(node)
  return property?.name === 'request' && bare(property.of).kind === ts.SyntaxKind.ThisKeyword
}

/** Without parentheses, `!`, `as` and `satisfies`. */
function bare(expression: ts.Expression): ts.Expression {
  let node = expression
  while (
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
  )
    node = node.expression
  return node
}
