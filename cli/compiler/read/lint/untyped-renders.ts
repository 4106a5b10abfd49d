/** What is rendered and not declared passes whole: a type that has withheld properties must be declared. */
// Source: decisions/compiler.md, Decorators of other libraries.

import { renderUndeclared } from '../../diagnostics/decorator-diagnostics.ts'
import { nodesIn } from '../program/nodes.ts'
import { placeOfNode, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { hasMarks } from '../types/marks/marked-names.ts'
import { marksOf } from '../types/marks/marks.ts'
import { typePartsOf } from '../types/parts.ts'

/** Reports `render({ json })` of such a value in a method whose answers do not say its type. */
export function reportUntypedRenders(source: Source): void {
  if (!hasMarks(source.program)) return
  for (const file of source.wanted.filter(({ text }) => /\brender\b/.test(text)))
    for (const call of nodesIn(file).filter(ts.isCallExpression)) reportCall(source, call)
}

function reportCall(source: Source, call: ts.CallExpression): void {
  const { checker } = source
  if (!ts.isPropertyAccessExpression(call.expression) || call.expression.name.text !== 'render') return
  if (publicName(source, checker.getTypeAtLocation(call).getSymbol()) !== 'Rendered') return
  const [options] = call.arguments
  if (options === undefined) return
  const optionsType = checker.getTypeAtLocation(options)
  for (const name of ['json', 'yaml']) {
    const property = optionsType.getProperty(name)
    const type = property === undefined ? null : checker.getTypeOfSymbolAtLocation(property, options)
    const hidden = type === null ? null : hiddenIn(source, type)
    if (type !== null && hidden !== null && !isDeclared(source, call, type))
      source.report(renderUndeclared(placeOfNode(source, call), name, hidden))
  }
}

/** More types than any rendered value has. */
const maxTypes = 1_000

/** The first property that is in no answer, at any depth; null = there is none. */
function hiddenIn(source: Source, start: ts.Type): string | null {
  const open = new Set([start])
  for (const owner of open) {
    if (open.size > maxTypes) return null
    for (const { type, property } of typePartsOf(source, owner)) {
      const marks = property === null ? null : marksOf(source, property, { type, owner })
      if (marks?.isWithheld === true || marks?.isWriteOnly === true) return property?.name ?? null
      open.add(type) // grows as it is walked
    }
  }
  return null
}

/** Whether a tag of the method, or its return type, says the type: by it the value is cut. */
function isDeclared({ checker }: Source, call: ts.CallExpression, type: ts.Type): boolean {
  const method = ts.findAncestor(
    call,
    (node) => ts.isMethodDeclaration(node) || ts.isFunctionDeclaration(node),
  )
  if (method === undefined) return false
  if (ts.getJSDocReturnType(method) !== undefined) return true
  const signature = checker.getSignatureFromDeclaration(method as ts.MethodDeclaration) // both have one
  const returned = signature === undefined ? undefined : checker.getAwaitedType(signature.getReturnType())
  const all = returned?.isUnion() === true ? returned.types : returned === undefined ? [] : [returned]
  return all.some(
    (member) => Boolean(member.flags & ts.TypeFlags.Object) && checker.isTypeAssignableTo(type, member),
  )
}
