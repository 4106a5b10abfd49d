/** What a declaration, a type or a value speaks of as it is written: other properties, and aliases that are lost in the type.
 *  What stands at a property inside speaks for that property alone. */

import { isProperty } from '../../jsdoc/property-docs.ts'
import { returnedIn } from '../../program/nodes.ts'
import { type Source, symbolAt } from '../../program/program.ts'
import { ts } from '../../program/typescript.ts'
import { type Origin, propertiesNamed, textsOf } from './property-origins.ts'

/** What `node` speaks of directly. */
export function spokenOf(source: Source, node: ts.Node): readonly Origin[] {
  if (ts.isTypeNode(node)) return inType(source, node)
  if (ts.isTypeAliasDeclaration(node)) return [node.type]
  if (ts.isTypeParameterDeclaration(node)) return node.default === undefined ? [] : [node.default]
  if (ts.isBindingElement(node)) return inBinding(source, node)
  if (isProperty(node)) return [...inherited(source, node), ...declaredBy(source, node)]
  if (ts.isVariableDeclaration(node) || ts.isParameter(node)) return declaredBy(source, node)
  return ts.isExpression(node) ? inValue(source, node) : []
}

/** The type of a declaration, or the value that it is inferred from. */
function declaredBy(source: Source, node: ts.Node): readonly Origin[] {
  if (ts.isShorthandPropertyAssignment(node)) {
    const value = source.checker.getShorthandAssignmentValueSymbol(node)
    return value === undefined ? [] : [value]
  }
  const { type, initializer } = node as ts.PropertyDeclaration // what has neither has no such field
  return type !== undefined ? [type] : initializer !== undefined ? [initializer] : []
}

/** The declarations that these override, the furthest first: what is said there holds on. */
export function overridden(
  source: Source,
  declarations: readonly ts.Declaration[],
): readonly ts.Declaration[] {
  const open = new Set<ts.Declaration>(declarations)
  for (const node of open) {
    const { heritageClauses } = (
      ts.isParameter(node) ? node.parent.parent : node.parent
    ) as ts.ClassDeclaration // what has none has no such field
    if (!isProperty(node) || heritageClauses === undefined) continue
    const above = inherited(source, node).flatMap((item) =>
      'declarations' in item ? (item.declarations ?? []) : [],
    )
    for (const other of above) open.add(other) // grows as it is walked
  }
  return [...open].slice(declarations.length).reverse()
}

/** The same property in what the class or interface around it extends or implements. */
function inherited({ checker }: Source, node: ts.Node): readonly Origin[] {
  const around = ts.isParameter(node) ? node.parent.parent : node.parent
  const { name } = node as ts.NamedDeclaration // a property has one
  if (!(ts.isClassLike(around) || ts.isInterfaceDeclaration(around)) || name === undefined) return []
  const symbol = checker.getSymbolAtLocation(name)
  const clauses = around.heritageClauses ?? []
  const bases = clauses.flatMap(({ types }) => types.map((type) => checker.getTypeAtLocation(type)))
  return symbol === undefined ? [] : bases.flatMap((base) => base.getProperty(symbol.name) ?? [])
}

function inType(source: Source, node: ts.TypeNode): readonly Origin[] {
  if (ts.isTypeLiteralNode(node))
    return node.members.filter(ts.isIndexSignatureDeclaration).map(({ type }) => type)
  const inside: Origin[] = []
  ts.forEachChild(node, (child) => void (ts.isTypeNode(child) && inside.push(child)))
  if (ts.isIndexedAccessTypeNode(node)) return [...inside, ...accessed(source, node)]
  const name = nameOf(node)
  const symbol = name === undefined ? undefined : symbolAt(source, name)
  if (symbol === undefined) return inside
  if (ts.isTypeQueryNode(node)) return [...inside, symbol]
  const declarations = symbol.declarations ?? []
  const parameters = declarations.flatMap((item) =>
    ts.isInterfaceDeclaration(item) || ts.isClassLike(item) || ts.isTypeAliasDeclaration(item)
      ? (item.typeParameters ?? []) // one without an argument has a default
      : [],
  )
  return [...inside, ...parameters, ...declarations.filter(ts.isTypeAliasDeclaration)]
}

/** The name of what a type refers to. */
function nameOf(node: ts.TypeNode): ts.EntityName | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isTypeQueryNode(node)) return node.exprName
  return ts.isImportTypeNode(node) ? node.qualifier : undefined
}

/** `User['hash']` */
function accessed(source: Source, { objectType, indexType }: ts.IndexedAccessTypeNode): readonly Origin[] {
  const [type, key] = [objectType, indexType].map((node) => source.checker.getTypeFromTypeNode(node))
  return type === undefined || key === undefined ? [] : propertiesNamed(source, type, textsOf(key))
}

/** `{ hash }` of a user */
function inBinding(source: Source, node: ts.BindingElement): readonly Origin[] {
  const name = node.propertyName ?? node.name
  const type = source.checker.getTypeAtLocation(node.parent)
  return ts.isIdentifier(name) || ts.isStringLiteral(name) ? propertiesNamed(source, type, [name.text]) : []
}

/** The operators whose result is none of the values beside them. */
const comparisons = /^(?:[!=]==?|[<>]=?|in|instanceof)$/

/** What a value is made of, as far as the value of something else is in it. */
function inValue(source: Source, node: ts.Expression): readonly Origin[] {
  if (ts.isIdentifier(node)) return symbolsAt(source, node)
  if (ts.isPropertyAccessExpression(node)) return symbolsAt(source, node.name)
  if (ts.isElementAccessExpression(node)) return element(source, node)
  if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAwaitExpression(node))
    return [node.expression]
  if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node)) return [node.expression, node.type]
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse]
  if (ts.isBinaryExpression(node))
    return comparisons.test(node.operatorToken.getText()) ? [] : [node.left, node.right]
  if (ts.isTemplateExpression(node)) return node.templateSpans.map(({ expression }) => expression)
  if (ts.isArrayLiteralExpression(node)) return node.elements
  if (ts.isSpreadElement(node)) return [node.expression]
  return ts.isCallExpression(node) ? called(source, node) : []
}

const symbolsAt = (source: Source, node: ts.Node): readonly Origin[] => {
  const symbol = symbolAt(source, node)
  return symbol === undefined ? [] : [symbol]
}

/** `user['hash']` */
function element({ checker }: Source, node: ts.ElementAccessExpression): readonly Origin[] {
  const [type, key] = [node.expression, node.argumentExpression].map((each) =>
    checker.getTypeAtLocation(each),
  )
  return type === undefined || key === undefined ? [] : propertiesNamed({ checker }, type, textsOf(key))
}

/** What a function returns, and what is made of each item of a list. */
function called({ checker }: Source, node: ts.CallExpression): readonly Origin[] {
  const returned = returnedBy(checker.getResolvedSignature(node)?.declaration)
  const isMapping =
    ts.isPropertyAccessExpression(node.expression) && /^(?:flatM|m)ap$/.test(node.expression.name.text)
  const mapped = isMapping ? node.arguments.filter(ts.isArrowFunction).map(({ body }) => body) : []
  return [...returned, ...(node.typeArguments ?? []), ...mapped]
}

/** The type that a function is declared to return, else the values that it returns. */
export function returnedBy(declaration: ts.Node | undefined): readonly ts.Node[] {
  if (declaration === undefined || !ts.isFunctionLike(declaration)) return []
  if (declaration.type !== undefined) return [declaration.type]
  const body = 'body' in declaration ? declaration.body : undefined
  if (body === undefined) return []
  return ts.isBlock(body) ? returnedIn(body) : [body]
}

/** The arguments that a class or an interface, or one above it, gives what it extends. */
export function baseArguments(source: Source, symbol: ts.Symbol | undefined): readonly ts.TypeNode[] {
  const seen = new Set(symbol === undefined ? [] : [symbol])
  const found: ts.TypeNode[] = []
  for (const item of seen) {
    for (const declaration of item.declarations ?? []) {
      if (!ts.isClassLike(declaration) && !ts.isInterfaceDeclaration(declaration)) continue
      for (const base of (declaration.heritageClauses ?? []).flatMap(({ types }) => types)) {
        found.push(...(base.typeArguments ?? []))
        const above = symbolAt(source, base.expression)
        if (above !== undefined) seen.add(above) // grows as it is walked
      }
    }
  }
  return found
}

/** Whether the type of a property is written with a type parameter of what declares it. */
export function isOfParameter(source: Source, { declarations = [] }: ts.Symbol): boolean {
  const names = (node: ts.Node): boolean => {
    const symbol = ts.isTypeReferenceNode(node) ? symbolAt(source, node.typeName) : undefined
    if (symbol !== undefined && symbol.flags & ts.SymbolFlags.TypeParameter) return true
    return ts.forEachChild(node, (child) => names(child) || undefined) ?? false
  }
  return declarations.some((node) => 'type' in node && node.type !== undefined && names(node.type as ts.Node)) // declarations of properties have it
}
