/** Calls that write, by their names: a route that is said to read is called without asking anybody. */
import type { DeclaredMethod } from '../../ir/source-model.ts'
import { isLibrary } from '../program/library.ts'
import { type OverflowSite, readOrReport } from '../program/overflow.ts'
import { placeOfNode, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** As stores, ORMs and query builders call them. */
const writing: ReadonlySet<string> = new Set([
  ...['create', 'createMany', 'createOne', 'insert', 'insertMany', 'insertOne', 'insertInto', 'replaceInto'],
  ...['update', 'updateMany', 'updateOne', 'updateTable', 'upsert', 'save', 'persist'],
  ...['bulkCreate', 'bulkWrite', 'createManyAndReturn', 'updateManyAndReturn', 'replaceOne', 'truncate'],
  ...['findOneAndUpdate', 'findOneAndReplace', 'findOneAndDelete', 'findByIdAndUpdate', 'findByIdAndDelete'],
  ...['delete', 'deleteMany', 'deleteOne', 'deleteFrom', 'softDelete', 'destroy', 'remove'],
])

/** The first such call in the method itself; null = none. */
export function writingCall(source: Source, method: ts.MethodDeclaration): DeclaredMethod['writes'] {
  let found: DeclaredMethod['writes'] = null
  const visit = (node: ts.Node): void => {
    if (found !== null) return
    const callee = ts.isCallExpression(node) ? node.expression : null
    const site = (): OverflowSite => ({
      at: placeOfNode(source, node),
      path: 'what is called here',
      text: node.getText(),
    })
    if (
      callee !== null &&
      isNamed(callee) &&
      readOrReport(source, site, () => isWriting(source, callee), false)
    )
      found = { call: `.${nameOf(callee).text}(…)`, at: placeOfNode(source, nameOf(callee)) }
    else ts.forEachChild(node, visit)
  }
  if (method.body !== undefined) ts.forEachChild(method.body, visit)
  return found
}

/** `user.create` and `user['create']`. */
type NamedAccess =
  | ts.PropertyAccessExpression
  | (ts.ElementAccessExpression & { readonly argumentExpression: ts.StringLiteralLike })

const isNamed = (node: ts.Expression): node is NamedAccess =>
  ts.isPropertyAccessExpression(node) ||
  (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))

const nameOf = (access: NamedAccess): ts.PropertyAccessExpression['name'] | ts.StringLiteralLike =>
  ts.isPropertyAccessExpression(access) ? access.name : access.argumentExpression

/** Methods of a `Map`, a hash or a session have such names too. */
function isWriting(source: Source, access: NamedAccess): boolean {
  const name = nameOf(access)
  if (!writing.has(name.text)) return false
  const called = source.checker.getSymbolAtLocation(name)
  if (called !== undefined && isLibrary(source, called)) return false
  return publicName(source, source.checker.getTypeAtLocation(access.expression).getSymbol()) === null
}
