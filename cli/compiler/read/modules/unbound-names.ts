/** Names of a file that nothing in it declares: globals, or what CommonJS gives to a module. */
import { nodesIn } from '../program/nodes.ts'
import { ts } from '../program/typescript.ts'

/** The uses of these names as values that no declaration around them binds. */
export function unboundNames(
  file: ts.SourceFile,
  names: ReadonlySet<string>,
): readonly (readonly [name: string, node: ts.Identifier])[] {
  const scopes = new Map<string, Set<ts.Node>>()
  const uses: ts.Identifier[] = []
  for (const node of nodesIn(file).filter(ts.isIdentifier)) {
    const scope = names.has(node.text) ? declaredIn(node) : null
    if (scope !== null) scopes.set(node.text, (scopes.get(node.text) ?? new Set()).add(scope))
    else if (names.has(node.text) && isUse(node)) uses.push(node)
  }
  return uses
    .filter((node) => !isBelowAny(node, scopes.get(node.text)))
    .map((node) => [node.text, node] as const)
}

/** Where the name holds that stands here in a declaration; null = it stands in none that says what it is. */
function declaredIn(node: ts.Identifier): ts.Node | null {
  const { parent } = node
  if (!('name' in parent) || parent.name !== node || !isDeclaration(parent)) return null
  return isAmbient(parent) ? null : scopeOf(parent)
}

const isDeclaration = (node: ts.Node): boolean =>
  ts.isVariableDeclaration(node) ||
  ts.isBindingElement(node) ||
  ts.isParameter(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isFunctionExpression(node) ||
  ts.isClassDeclaration(node) ||
  ts.isImportSpecifier(node) ||
  ts.isImportClause(node) ||
  ts.isNamespaceImport(node) ||
  ts.isImportEqualsDeclaration(node) ||
  ts.isEnumDeclaration(node) ||
  ts.isModuleDeclaration(node)

/** `declare const __dirname: string` says that there is one. */
function isAmbient(node: ts.Node): boolean {
  for (let outer = node; !ts.isSourceFile(outer); outer = outer.parent) {
    if (
      ts.canHaveModifiers(outer) &&
      outer.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword)
    )
      return true
  }
  return false
}

/** The nearest function or block around a declaration. A `var` holds in more than its block: generated names are never reused so. */
function scopeOf(declaration: ts.Node): ts.Node {
  if (ts.isParameter(declaration) || ts.isFunctionExpression(declaration)) return outermost(declaration)
  let scope = declaration.parent
  while (!isScope(scope)) scope = scope.parent
  return scope
}

const outermost = (node: ts.Node): ts.Node => (ts.isParameter(node) ? node.parent : node)

const isScope = (node: ts.Node): boolean =>
  ts.isSourceFile(node) ||
  ts.isBlock(node) ||
  ts.isModuleBlock(node) ||
  ts.isFunctionLike(node) ||
  ts.isForStatement(node)

/** Whether it is read as a value: no name of a property, no label, nothing of a type. */
function isUse(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  if (ts.isShorthandPropertyAssignment(parent)) return true
  if (ts.isTypeNode(parent) || ts.isQualifiedName(parent) || ts.isTypeQueryNode(parent)) return false
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isLabeledStatement(parent))
    return false
  return !('name' in parent && parent.name === node)
}

function isBelowAny(node: ts.Node, scopes: ReadonlySet<ts.Node> | undefined): boolean {
  if (scopes === undefined) return false
  for (let outer: ts.Node | undefined = node; outer !== undefined; outer = outer.parent)
    if (scopes.has(outer)) return true
  return false
}
