/** The scopes that code asks for by itself (`this.requireScopes`): they are used, and must be declared. */

import type { ScopeCall } from '../../ir/source-model.ts'
import { type Written, writtenAt, writtenItems, writtenText } from '../controllers/literals.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

const called = 'requireScopes'

/** Every argument of such a call in the wanted files. A method of that name which the application declares is another one. */
export function readScopeCalls(source: Source): readonly ScopeCall[] {
  const found: ScopeCall[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isOurs(source, node.expression))
      found.push(...node.arguments.flatMap((argument) => namesOf(source, argument)))
    ts.forEachChild(node, visit)
  }
  for (const file of source.wanted) if (file.text.includes(called)) visit(file)
  return found
}

function isOurs(source: Source, callee: ts.Expression): boolean {
  if (!ts.isPropertyAccessExpression(callee) || callee.name.text !== called) return false
  const declaration = source.checker.getSymbolAtLocation(callee.name)?.valueDeclaration
  return declaration === undefined || !source.isOwn(declaration.getSourceFile())
}

function namesOf(source: Source, argument: ts.Expression): readonly ScopeCall[] {
  if (!ts.isSpreadElement(argument)) return namesAt(source, writtenAt(source, argument))
  const items = writtenItems(source, writtenAt(source, argument.expression))
  return (
    items?.flatMap((item) => namesAt(source, item)) ?? [{ name: null, at: placeOfNode(source, argument) }]
  )
}

/** One name, or those of which the value is one. */
function namesAt(source: Source, value: Written): readonly ScopeCall[] {
  const at = placeOfNode(source, value.node)
  const name = writtenText(source, value)
  if (name !== null) return [{ name, at }]
  const [type] = value.types()
  const types = type?.isUnion() === true ? type.types : [type]
  return types.map((item) => ({ name: item?.isStringLiteral() === true ? item.value : null, at }))
}
