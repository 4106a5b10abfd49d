/** Mistakes that show in the syntax alone: files that do not parse, and answers that are made but not returned. */
import { ts } from 'ts-morph'
import { floatingRender, syntaxError } from '../diagnostics.ts'
import { placeOf, placeOfNode, type Source } from './program.ts'

/** Reports the first syntax error of every file, and says whether there is none. */
export function reportSyntax(source: Source): boolean {
  const broken = source.files.flatMap((file) => {
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

/** Reports `this.render(…)`, `this.head(…)` and `this.redirectTo(…)` whose value is not used. */
export function reportFloatingAnswers(source: Source): void {
  const visit = (node: ts.Node): void => {
    const name = ts.isExpressionStatement(node) ? answerCalled(node.expression) : null
    if (name !== null) source.report(floatingRender(placeOfNode(source, node), name))
    ts.forEachChild(node, visit)
  }
  for (const file of source.files) visit(file)
}

function answerCalled(expression: ts.Expression): string | null {
  if (ts.isAwaitExpression(expression) || ts.isVoidExpression(expression))
    return answerCalled(expression.expression)
  if (!ts.isCallExpression(expression) || !ts.isPropertyAccessExpression(expression.expression)) return null
  const { expression: target, name } = expression.expression
  return target.kind === ts.SyntaxKind.ThisKeyword && answers.has(name.text) ? name.text : null
}
