/** Plain data that is written in the application's configuration: followed through constants, spreads and imports. What is
 *  not written as a literal is what the checker's literal types say of it. */

import { followAlias, isReference, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** A value as it is written: an expression, or only a type where a declaration file gives no more. */
export interface Written {
  /** Where it is written, for diagnostics. */
  readonly node: ts.Node
  /** null = a method, or what only a type says. */
  readonly expression: ts.Expression | null
  /** The types that the checker gives it, best first. */
  readonly types: () => readonly ts.Type[]
}

export interface WrittenProperty {
  readonly name: string
  readonly key: ts.Node
  readonly value: Written
}

/** The value that `expression` stands for. */
export function writtenAt(source: Source, expression: ts.Expression): Written {
  const end = followed(source, expression)
  const types = (): readonly ts.Type[] =>
    [expression, end].map((item) => source.checker.getTypeAtLocation(item))
  return { node: expression, expression: end, types }
}

/** Through parentheses, `as`, `satisfies`, constants and their properties. */
function followed(source: Source, expression: ts.Expression): ts.Expression {
  if (
    ts.isParenthesizedExpression(expression) ||
    ts.isAsExpression(expression) ||
    ts.isSatisfiesExpression(expression)
  )
    return followed(source, expression.expression)
  const meant = meantBy(source, expression)
  return meant === null ? expression : followed(source, meant)
}

/** What a name or a property of a constant is set to where it is declared; null = the build cannot see that. */
function meantBy(source: Source, expression: ts.Expression): ts.Expression | null {
  if (ts.isIdentifier(expression)) return initializerOf(symbolOf(source, expression))
  if (!ts.isPropertyAccessExpression(expression) && !ts.isElementAccessExpression(expression)) return null
  const name = ts.isPropertyAccessExpression(expression)
    ? expression.name.text
    : writtenText(source, writtenAt(source, expression.argumentExpression))
  const holder = followed(source, expression.expression)
  const found =
    name === null || !ts.isObjectLiteralExpression(holder)
      ? null
      : propertyNamed(source, writtenAt(source, holder), name)
  return found?.expression ?? initializerOf(symbolAt(source, expression))
}

function symbolOf(source: Source, name: ts.Identifier): ts.Symbol | undefined {
  if (!ts.isShorthandPropertyAssignment(name.parent)) return symbolAt(source, name)
  const symbol = source.checker.getShorthandAssignmentValueSymbol(name.parent)
  return symbol === undefined ? undefined : followAlias(source.checker, symbol)
}

function initializerOf(symbol: ts.Symbol | undefined): ts.Expression | null {
  const declaration = symbol?.valueDeclaration
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return null
  const { parent, initializer = null } = declaration
  const isConstant = ts.isVariableDeclarationList(parent) && (parent.flags & ts.NodeFlags.Const) !== 0
  return isConstant ? initializer : null
}

/** The text that a value is; null = it is none, or the build cannot see which. */
export function writtenText(source: Source, { expression, types }: Written): string | null {
  if (expression !== null) {
    const text = foldedText(source, expression)
    if (text !== null) return text
  }
  const literal = types().find((type) => type.isStringLiteral())
  return literal?.isStringLiteral() === true ? literal.value : null
}

/** A text that is put together of literals. */
function foldedText(source: Source, expression: ts.Expression): string | null {
  if (ts.isStringLiteralLike(expression)) return expression.text
  const inner = (item: ts.Expression): string | null => writtenText(source, writtenAt(source, item))
  if (ts.isTemplateExpression(expression)) {
    const { head, templateSpans } = expression
    const parts = templateSpans.flatMap((span) => [inner(span.expression), span.literal.text])
    return parts.includes(null) ? null : [head.text, ...parts].join('')
  }
  if (!ts.isBinaryExpression(expression)) return null
  if (expression.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null
  const sides = [inner(expression.left), inner(expression.right)]
  return sides.includes(null) ? null : sides.join('')
}

/** Whether the value is true or false; null = neither, or the build cannot see which. */
export function writtenFlag({ checker }: Source, { types }: Written): boolean | null {
  const texts = types().map((type) => checker.typeToString(type))
  return texts.includes('true') ? true : texts.includes('false') ? false : null
}

/** Whether the value is `undefined`. */
export const isUndefined = ({ types }: Written): boolean =>
  types().some(({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0)

/** The items of a list; null = it is none, or the build cannot see them. */
export function writtenItems(
  source: Source,
  { node, expression, types }: Written,
): readonly Written[] | null {
  if (expression !== null && ts.isArrayLiteralExpression(expression)) {
    const items = expression.elements.map((element) =>
      ts.isSpreadElement(element)
        ? writtenItems(source, writtenAt(source, element.expression))
        : [writtenAt(source, element)],
    )
    return items.includes(null) ? null : items.flatMap((item) => item ?? [])
  }
  const { checker } = source
  const tuple = types().find((type) => checker.isTupleType(type))
  if (tuple === undefined || !isReference(tuple)) return null
  return checker.getTypeArguments(tuple).map((type) => ({ node, expression: null, types: () => [type] }))
}

/** The property `name` of an object, as far as the build can see it; null = none. */
export function propertyNamed(source: Source, value: Written, name: string): Written | null {
  const { expression } = value
  if (expression === null || !ts.isObjectLiteralExpression(expression)) {
    const found = typedProperties(source, value).find((property) => property.name === name)
    return found?.value ?? null
  }
  for (const member of [...expression.properties].reverse()) {
    if (ts.isSpreadAssignment(member)) {
      const found = propertyNamed(source, writtenAt(source, member.expression), name)
      if (found !== null) return found
    } else if (nameOf(source, member.name) === name) return memberValue(source, member)
  }
  return null
}

/** The properties of an object, in order; of a name that is written twice the last. `unreadable`: the node that says that there
 *  are more, but not which. */
export function writtenProperties(
  source: Source,
  value: Written,
): readonly WrittenProperty[] | { readonly unreadable: ts.Node } {
  const { node, expression } = value
  if (expression === null || !ts.isObjectLiteralExpression(expression)) {
    return isClosed(source, value) ? typedProperties(source, value) : { unreadable: node }
  }
  const found = new Map<string, WrittenProperty>()
  for (const member of expression.properties) {
    const more = membersOf(source, member)
    if ('unreadable' in more) return more
    for (const property of more) found.set(property.name, property)
  }
  return [...found.values()]
}

/** What one member of a literal adds. */
export function membersOf(
  source: Source,
  member: ts.ObjectLiteralElementLike,
): ReturnType<typeof writtenProperties> {
  if (ts.isSpreadAssignment(member)) return writtenProperties(source, writtenAt(source, member.expression))
  const name = nameOf(source, member.name)
  if (name === null) return { unreadable: member.name }
  return [{ name, key: member.name, value: memberValue(source, member) }]
}

function nameOf(source: Source, name: ts.PropertyName): string | null {
  if (!ts.isComputedPropertyName(name)) return name.text
  return writtenText(source, writtenAt(source, name.expression))
}

function memberValue(
  source: Source,
  member: Exclude<ts.ObjectLiteralElementLike, ts.SpreadAssignment>,
): Written {
  if (ts.isPropertyAssignment(member)) return writtenAt(source, member.initializer)
  if (ts.isShorthandPropertyAssignment(member)) return writtenAt(source, member.name)
  return { node: member, expression: null, types: () => [source.checker.getTypeAtLocation(member)] }
}

/** Whether the type says all names. */
function isClosed({ checker }: Source, { types }: Written): boolean {
  const [type] = types()
  if (type === undefined || (type.flags & ts.TypeFlags.Object) === 0) return false
  return checker.getIndexInfosOfType(type).length === 0
}

function typedProperties({ checker, isOwn }: Source, { node, types }: Written): readonly WrittenProperty[] {
  const [type] = types()
  return (type?.getProperties() ?? []).map((property) => {
    const written = property.valueDeclaration
    const key = written !== undefined && isOwn(written.getSourceFile()) ? written : node
    const typed = (): readonly ts.Type[] => [checker.getTypeOfSymbolAtLocation(property, node)]
    return { name: property.name, key, value: { node: key, expression: null, types: typed } }
  })
}
