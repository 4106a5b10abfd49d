/** What the compiler must know of `app/config.ts`: the content types that the application's responders write. */

import { followAlias, publicName, type Source } from './program.ts'
import { ts } from './typescript.ts'

/** The names under `responders` of what is given to `defineApp`, by its checker type, sorted as written. */
export function readResponders(source: Source): readonly string[] {
  const file = source.files.find(({ fileName }) => fileName === `${source.host.root}/app/config.ts`)
  const given = file === undefined ? null : givenToDefineApp(source, file)
  if (given === null) return []
  const { checker } = source
  const responders = checker.getTypeAtLocation(given).getProperty('responders')
  if (responders === undefined) return []
  const type = checker.getTypeOfSymbolAtLocation(responders, given)
  return checker.getPropertiesOfType(type).map(({ name }) => name)
}

function givenToDefineApp(source: Source, node: ts.Node): ts.Expression | null {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
    const symbol = source.checker.getSymbolAtLocation(node.expression)
    const name = symbol === undefined ? null : publicName(source, followAlias(source.checker, symbol))
    if (name === 'defineApp') return node.arguments[0] ?? null
  }
  return ts.forEachChild(node, (child) => givenToDefineApp(source, child)) ?? null
}
