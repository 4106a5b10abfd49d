/** Mistakes that show in the syntax alone: files that do not parse, and answers that are made but not returned. */

import { floatingRender, syntaxError } from '../../diagnostics/source-diagnostics.ts'
import type { At } from '../../ir/schema.ts'
import { nodesIn, returnedIn } from '../program/nodes.ts'
import { type OverflowSite, readOrReport } from '../program/overflow.ts'
import { placeOf, placeOfNode, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** Reports the first syntax error of every file, and says whether there is none. */
export function reportSyntax(source: Source): boolean {
  const broken = source.wanted.flatMap((file) => {
    const [first] = source.program.getSyntacticDiagnostics(file)
    if (first === undefined) return []
    source.report(
      syntaxError(
        placeOf(source, file, first.start),
        ts.flattenDiagnosticMessageText(first.messageText, ' '),
      ),
    )
    return [file]
  })
  return broken.length === 0
}

const answers = new Set(['render', 'head', 'redirectTo'])

/** Reports answers of `render`, `head` and `redirectTo` whose value is lost: in statements, and in callbacks whose value
 *  is ignored. In TypeScript the method would run on. Source: rules.md, Exception handlers 4. */
export function reportFloatingResults(source: Source): void {
  const report = (node: ts.Node): void => {
    for (const expression of lostBy(source, node)) {
      for (const { at, name } of answersIn(source, expression)) source.report(floatingRender(at, name))
    }
  }
  for (const node of source.wanted.filter(({ text }) => mayAnswer(text)).flatMap((file) => nodesIn(file))) {
    const site = (): OverflowSite => ({
      at: placeOfNode(source, node),
      path: 'what is called here',
      text: node.getText(),
    })
    readOrReport(source, site, () => report(node), undefined)
  }
}

/** The expressions directly in `node` whose values are lost. */
function lostBy(source: Source, node: ts.Node): readonly ts.Expression[] {
  if (ts.isExpressionStatement(node)) return [node.expression]
  if (ts.isForStatement(node)) return [node.initializer, node.incrementor].flatMap(expressionOf)
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return []
  if (!mayAnswer(node.body.getText()) || !isValueIgnored(source, node)) return []
  return ts.isBlock(node.body) ? returnedIn(node.body) : [node.body]
}

const expressionOf = (node: ts.ForInitializer | undefined): readonly ts.Expression[] =>
  node === undefined || ts.isVariableDeclarationList(node) ? [] : [node]

/** A cheap look at the text, so that most files are not walked and most callbacks never asked for their type. */
const mayAnswer = (text: string): boolean => /\b(render|head|redirectTo)\b/.test(text)

/** Whether the caller of the function ignores its result, as `forEach` does. */
function isValueIgnored({ checker }: Source, node: ts.ArrowFunction | ts.FunctionExpression): boolean {
  const signatures = checker.getContextualType(node)?.getCallSignatures() ?? []
  return (
    signatures.length > 0 &&
    signatures.every((signature) => signature.getReturnType().flags & ts.TypeFlags.Void)
  )
}

interface Answer {
  readonly at: At
  readonly name: string
}

/** The answers that `expression` may come to. */
function answersIn(source: Source, expression: ts.Expression): readonly Answer[] {
  const inner = (item: ts.Expression): readonly Answer[] => answersIn(source, item)
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression)) return inner(expression.expression)
  if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression)) {
    return inner(expression.expression)
  }
  if (ts.isConditionalExpression(expression)) {
    return [...inner(expression.whenTrue), ...inner(expression.whenFalse)]
  }
  if (ts.isBinaryExpression(expression)) return isAssignment(expression) ? [] : inner(expression.right)
  const name = answerCalled(source, expression)
  return name === null ? [] : [{ at: placeOfNode(source, expression), name }]
}

const isAssignment = ({ operatorToken: { kind } }: ts.BinaryExpression): boolean =>
  kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment

/** The answer that a call makes: by name on `this`, by type on any other object. */
function answerCalled(source: Source, expression: ts.Expression): string | null {
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return null
  const { expression: target, name } = expression.expression
  if (!answers.has(name.text)) return null
  if (target.kind === ts.SyntaxKind.ThisKeyword) return `this.${name.text}`
  const made = source.checker.getTypeAtLocation(expression).getSymbol()
  return publicName(source, made) === 'Rendered' ? `${target.getText()}.${name.text}` : null
}
