/** The scopes that code asks for by itself (`this.requireScopes`): they are used, and must be declared. */

import type { ScopeCall } from '../../ir/source-model.ts'
import { type Written, writtenAt, writtenItems, writtenText } from '../controllers/literals.ts'
import { nodesIn } from '../program/nodes.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

const called = 'requireScopes'

/** Every argument of such a call in the wanted files. A method of that name which the application declares is another one. */
export function readScopeCalls(source: Source): readonly ScopeCall[] {
  return source.wanted
    .filter(({ text }) => text.includes(called))
    .flatMap((file) => nodesIn(file).filter(ts.isCallExpression))
    .filter(({ expression }) => isOurs(source, expression))
    .flatMap((call) => call.arguments.flatMap((argument) => namesOf(source, argument)))
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
