/** The scopes that code asks for by itself (`this.requireScopes`): they are used, and must be declared. */

import type { ScopeCall } from '../../ir/source-model.ts'
import { textOf, writtenAt } from '../controllers/literals.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

const called = 'requireScopes'

/** Every argument of such a call in the wanted files. A method of that name which the application declares is another one. */
export function readScopeCalls(source: Source): readonly ScopeCall[] {
  const found: ScopeCall[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isOurs(source, node.expression))
      found.push(...node.arguments.flatMap((one) => namesOf(source, one)))
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
  const at = placeOfNode(source, argument)
  const name = textOf(source, writtenAt(source, argument))
  if (name !== null) return [{ name, at }]
  const type = source.checker.getTypeAtLocation(argument)
  const types = type.isUnion() ? type.types : [type]
  return types.map((one) => ({ name: one.isStringLiteral() ? one.value : null, at }))
}
