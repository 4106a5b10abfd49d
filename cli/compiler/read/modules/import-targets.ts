/** Whether what `import()` takes is a module that a bundle has, or one that Node.js finds from everywhere. */
import { ts } from '../program/typescript.ts'

/** A name that is written; a relative one with a variable in it, for which esbuild takes all that fit; an address. */
export function isKnownTarget(target: ts.Expression | undefined, depth = 0): boolean {
  if (target === undefined || depth > 8) return false
  if (ts.isParenthesizedExpression(target) || ts.isAsExpression(target) || ts.isNonNullExpression(target))
    return isKnownTarget(target.expression, depth + 1)
  const beginning = beginningOf(target)
  if (beginning !== null) return depth === 0 ? beginning !== '' : /^[^./]/.test(beginning)
  if (ts.isConditionalExpression(target))
    return isKnownTarget(target.whenTrue, depth) && isKnownTarget(target.whenFalse, depth)
  return isAddress(target, depth)
}

/** What is written of a name before the first variable in it: with a folder esbuild takes all that fit, behind a constant it sees no
 *  name, and a relative one would begin at the bundle. null = it is no text. */
function beginningOf(target: ts.Expression): string | null {
  if (ts.isStringLiteralLike(target)) return target.text
  if (ts.isTemplateExpression(target)) return target.head.text
  const isSum = ts.isBinaryExpression(target) && target.operatorToken.kind === ts.SyntaxKind.PlusToken
  return isSum ? beginningOf(target.left) : null
}

/** What makes addresses: a value of theirs, or of a constant that is one. */
function isAddress(node: ts.Expression, depth: number): boolean {
  if (ts.isNewExpression(node)) return node.expression.getText() === 'URL'
  if (ts.isPropertyAccessExpression(node))
    return node.name.text === 'href' && isAddress(node.expression, depth + 1)
  if (ts.isCallExpression(node)) return isAddressCall(node, depth)
  return ts.isIdentifier(node) && isKnownTarget(initializerOf(node), depth + 1)
}

function isAddressCall({ expression, arguments: [first] }: ts.CallExpression, depth: number): boolean {
  const name = expression.getText()
  if (/(^|\.)pathToFileURL$|^import\.meta\.resolve$/.test(name)) return true
  if (name === 'String') return first !== undefined && isAddress(first, depth + 1)
  return ts.isPropertyAccessExpression(expression) && expression.name.text === 'toString'
    ? isAddress(expression.expression, depth + 1)
    : false
}

/** Of the constant of that name which stands nearest. */
function initializerOf(name: ts.Identifier): ts.Expression | undefined {
  for (let scope: ts.Node = name.parent; ; scope = scope.parent) {
    const statements = ts.isBlock(scope) || ts.isSourceFile(scope) ? scope.statements : []
    for (const statement of statements) {
      if (!ts.isVariableStatement(statement)) continue
      const { declarations, flags } = statement.declarationList
      const found = declarations.find((item) => ts.isIdentifier(item.name) && item.name.text === name.text)
      if (found !== undefined) return (flags & ts.NodeFlags.Const) === 0 ? undefined : found.initializer
    }
    if (ts.isSourceFile(scope)) return undefined
  }
}
