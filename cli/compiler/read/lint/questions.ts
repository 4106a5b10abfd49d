/** Questions that no method could ask: `new InputRequired({ name: 'a text' })` in a method without that parameter. */

import { questionWithoutParameter } from '../../diagnostics/question-diagnostics.ts'
import { didYouMean } from '../../diagnostics/similar-names.ts'
import { unwrap } from '../controllers/parameter-wrappers.ts'
import { routeTags } from '../language.ts'
import { placeOfNode, publicName, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** Reports them where they stand in the method itself; what a helper throws is found when it does. */
export function reportQuestions(source: Source): void {
  for (const file of source.wanted) {
    if (!file.text.includes('InputRequired')) continue
    const visit = (node: ts.Node, method: ts.MethodDeclaration | null): void => {
      const inside = ts.isMethodDeclaration(node) ? node : method
      if (inside !== null && ts.isNewExpression(node)) reportUnknown(source, node, inside)
      ts.forEachChild(node, (child) => visit(child, inside))
    }
    visit(file, null)
  }
}

function reportUnknown(source: Source, node: ts.NewExpression, method: ts.MethodDeclaration): void {
  const question = node.arguments?.[0]
  if (question === undefined || !ts.isObjectLiteralExpression(question) || !isAction(method)) return
  if (publicName(source, symbolAt(source, node.expression)) !== 'InputRequired') return
  const known = method.parameters.flatMap((parameter) => elicitedName(source, parameter))
  for (const property of question.properties) {
    if (!ts.isPropertyAssignment(property) || !isText(property.initializer)) continue
    const name = ts.isComputedPropertyName(property.name) ? null : property.name.text
    if (name === null || known.includes(name)) continue
    source.report(questionWithoutParameter(placeOfNode(source, property.name), name, didYouMean(name, known)))
  }
}

const isText = (value: ts.Expression): boolean =>
  ts.isStringLiteralLike(value) || ts.isTemplateExpression(value)

const tags: ReadonlySet<string> = new Set(routeTags)

/** Whether the method has a route or is a prompt of its own. */
const isAction = (method: ts.MethodDeclaration): boolean =>
  ts
    .getJSDocTags(method)
    .some(
      ({ tagName, comment }) => tags.has(tagName.text) || (tagName.text === 'mcp' && comment === 'prompt'),
    )

/** The public name of a parameter that the user is asked for. */
function elicitedName(source: Source, node: ts.ParameterDeclaration): readonly string[] {
  if (!ts.isIdentifier(node.name)) return []
  const { isElicited, wireName } = unwrap(source, source.checker.getTypeAtLocation(node), node.type)
  return isElicited ? [wireName ?? node.name.text] : []
}
