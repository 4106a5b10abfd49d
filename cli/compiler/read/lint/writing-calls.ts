/** Calls that write, by their names: a route that is said to read is called without asking the user. */
import type { DeclaredMethod } from '../../ir/source-model.ts'
import { isLibrary } from '../program/library.ts'
import { type OverflowSite, readOrReport } from '../program/overflow.ts'
import { placeOfNode, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** As stores, ORMs and query builders call them. */
const writing: ReadonlySet<string> = new Set([
  ...['create', 'createMany', 'createOne', 'insert', 'insertMany', 'insertOne', 'insertInto', 'replaceInto'],
  ...['update', 'updateMany', 'updateOne', 'updateTable', 'upsert', 'save', 'persist'],
  ...[
    'findOrCreate',
    '$executeRaw',
    '$executeRawUnsafe',
    'bulkCreate',
    'bulkWrite',
    'createManyAndReturn',
    'updateManyAndReturn',
    'replaceOne',
    'truncate',
  ],
  ...['findOneAndUpdate', 'findOneAndReplace', 'findOneAndDelete', 'findByIdAndUpdate', 'findByIdAndDelete'],
  ...['delete', 'deleteMany', 'deleteOne', 'deleteFrom', 'softDelete', 'destroy', 'remove'],
])

/** The first such call in the method itself; null = none. */
export function writingCall(source: Source, method: ts.MethodDeclaration): DeclaredMethod['writes'] {
  let found: DeclaredMethod['writes'] = null
  const visit = (node: ts.Node): void => {
    if (found === null) found = writtenBy(source, node)
    if (found === null) ts.forEachChild(node, visit)
  }
  if (method.body !== undefined) ts.forEachChild(method.body, visit)
  return found
}

function writtenBy(source: Source, node: ts.Node): DeclaredMethod['writes'] {
  const callee = calleeOf(node)
  if (callee === null) return null
  const site = (): OverflowSite => ({
    at: placeOfNode(source, node),
    path: 'what is called here',
    text: node.getText(),
  })
  if (isNamed(callee) && readOrReport(source, site, () => isWriting(source, callee), false))
    return { call: `.${nameOf(callee).text}(…)`, at: placeOfNode(source, nameOf(callee)) }
  const statement = statementOf(node)
  return statement === null ? null : { call: `SQL \`${statement} …\``, at: placeOfNode(source, node) }
}

/** What is called, without what stands around it; of `save.call(…)` and `save.apply(…)` it is `save`. */
function calleeOf(node: ts.Node): ts.Expression | null {
  const callee = ts.isCallExpression(node)
    ? inside(node.expression)
    : ts.isTaggedTemplateExpression(node)
      ? inside(node.tag)
      : null
  const isIndirect =
    callee !== null && ts.isPropertyAccessExpression(callee) && /^(?:call|apply)$/.test(callee.name.text)
  return isIndirect ? inside(callee.expression) : callee
}

const inside = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)
    ? inside(node.expression)
    : node

/** In the case in which SQL is written: `Delete from …` is what a person reads. */
const statement =
  /^\s*((?:INSERT|REPLACE|MERGE)\s+INTO|DELETE\s+FROM|UPDATE\s+\S+\s+SET|(?:insert|replace|merge)\s+into|delete\s+from|update\s+\S+\s+set)\s/

/** How the SQL begins that a call is given and that writes; null = there is none. */
function statementOf(node: ts.Node): string | null {
  const args = ts.isTaggedTemplateExpression(node)
    ? node.template
    : ts.isCallExpression(node)
      ? node.arguments[0]
      : undefined
  if (args === undefined) return null
  const text = ts.isTemplateExpression(args) ? args.head.text : ts.isStringLiteralLike(args) ? args.text : ''
  return statement.exec(text)?.[1]?.replace(/\s+/g, ' ') ?? null
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
