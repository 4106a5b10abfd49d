/** The decorators of a class or a property, and the packages and names that each of them comes from. */
import { nodesIn } from '../program/nodes.ts'
import type { Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** What a decorator, or a function in its stead, is known as. */
export interface DecoratorOrigin {
  /** The package; null = the application itself. */
  readonly package: string | null
  readonly name: string
}

export interface Decorator {
  readonly node: ts.Decorator
  /** As it is written. */
  readonly name: string
  readonly arguments: readonly ts.Expression[]
  /** By each name under which it was imported and exported on the way, the nearest first. */
  readonly origins: readonly DecoratorOrigin[]
  /** The decorators that it is put together of: by a function of the application, or of a package that is given others. */
  readonly parts: readonly DecoratorPart[]
}

/** A call inside a function that makes a decorator, or in what such a function is given. */
export type DecoratorPart = Pick<Decorator, 'origins' | 'arguments'>

/** Those of a declaration, in order. */
export function decoratorsOf(source: Source, node: ts.Node): readonly Decorator[] {
  if (!ts.canHaveDecorators(node) || node.modifiers === undefined) return []
  return (ts.getDecorators(node) ?? []).map((decorator) => {
    const expression = unwrapped(decorator.expression)
    const callee = ts.isCallExpression(expression) ? unwrapped(expression.expression) : expression
    const args = ts.isCallExpression(expression) ? expression.arguments : []
    const { origins, declared } = originsOf(source, callee)
    const inside = ts.isIdentifier(callee) || ts.isPropertyAccessExpression(callee) ? args : [expression]
    return {
      node: decorator,
      name: callee.getText(),
      arguments: args,
      origins,
      parts: partsOf(source, inside.filter(isNoCallback), declared),
    }
  })
}

/** Without parentheses and assertions. */
function unwrapped(node: ts.Expression): ts.Expression {
  const isAround =
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isTypeAssertionExpression(node)
  return isAround ? unwrapped(node.expression) : node
}

/** What is called later makes no decorator. */
const isNoCallback = (node: ts.Node): boolean => !ts.isFunctionLike(node)

function originsOf(source: Source, callee: ts.Expression): Followed {
  const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee
  const { origins, declared } = followed(source, source.checker.getSymbolAtLocation(name))
  const unresolved = ts.isPropertyAccessExpression(callee)
    ? namespaceOf(source, callee.expression).map((from) => ({ package: from, name: callee.name.text }))
    : []
  return { origins: [...origins, ...unresolved], declared }
}

interface Followed {
  readonly origins: readonly DecoratorOrigin[]
  readonly declared: readonly ts.Node[]
}

/** Through imports, re-exports and constants that are another function. */
function followed(source: Source, start: ts.Symbol | undefined): Followed {
  const seen = new Set(start === undefined ? [] : [start])
  const origins: DecoratorOrigin[] = []
  const declared: ts.Node[] = []
  for (const symbol of seen) {
    const declarations = symbol.declarations ?? []
    origins.push(...declarations.flatMap((node) => originOf(symbol, node)))
    const next =
      symbol.flags & ts.SymbolFlags.Alias ? source.checker.getImmediateAliasedSymbol(symbol) : undefined
    if (next !== undefined) seen.add(next) // grows as it is walked
    for (const node of declarations) {
      for (const other of ts.isVariableDeclaration(node) ? functionsOf(node.initializer) : []) {
        const named = source.checker.getSymbolAtLocation(other)
        if (named !== undefined) seen.add(named)
      }
      if (source.isOwn(node.getSourceFile())) declared.push(node)
    }
  }
  return { origins, declared }
}

/** `Exclude` of `const Hidden = Exclude`; of a choice each of both, for either may be meant. */
function functionsOf(written: ts.Expression | undefined): readonly ts.Node[] {
  if (written === undefined) return []
  const value = unwrapped(written)
  if (ts.isIdentifier(value)) return [value]
  if (ts.isPropertyAccessExpression(value)) return [value.name]
  if (ts.isConditionalExpression(value)) return [value.whenTrue, value.whenFalse].flatMap(functionsOf)
  return ts.isBinaryExpression(value) ? [value.left, value.right].flatMap(functionsOf) : []
}

function originOf(symbol: ts.Symbol, node: ts.Declaration): readonly DecoratorOrigin[] {
  if (ts.isImportSpecifier(node)) return named(node, node.parent.parent.parent.moduleSpecifier)
  if (ts.isExportSpecifier(node)) return named(node, node.parent.parent.moduleSpecifier)
  const from = packageOfFile(node)
  return [{ package: from, name: symbol.name }]
}

function named(
  node: ts.ImportOrExportSpecifier,
  specifier: ts.Expression | undefined,
): readonly DecoratorOrigin[] {
  const from = specifier === undefined ? null : packageOf(specifier)
  return from === null ? [] : [{ package: from, name: (node.propertyName ?? node.name).text }]
}

/** The package of `ct` in `ct.Exclude()`, where TypeScript does not find it. */
function namespaceOf({ checker }: Source, node: ts.Expression): readonly string[] {
  const declarations = checker.getSymbolAtLocation(node)?.declarations ?? []
  return declarations.flatMap((declaration) => {
    const clause = ts.isNamespaceImport(declaration) ? declaration.parent : declaration
    return ts.isImportClause(clause) ? (packageOf(clause.parent.moduleSpecifier) ?? []) : []
  })
}

/** Null = a file of the application. */
function packageOf(specifier: ts.Expression): string | null {
  const text = ts.isStringLiteral(specifier) ? specifier.text : '.'
  return /^[./#]/.test(text) ? null : (/^(?:@[^/]+\/)?[^/]+/.exec(text)?.[0] ?? null)
}

/** The package that a declaration is in, by its folder or by `declare module`. */
function packageOfFile(node: ts.Node): string | null {
  for (let around = node.parent; around !== undefined; around = around.parent)
    if (ts.isModuleDeclaration(around) && ts.isStringLiteral(around.name)) return packageOf(around.name)
  const folders = node.getSourceFile().fileName.split('/node_modules/')
  const inside = folders.length === 1 ? undefined : folders.at(-1)
  return inside === undefined ? null : (/^(?:@[^/]+\/)?[^/]+/.exec(inside)?.[0] ?? null)
}

/** The calls in `given`, and those inside the functions of the application that are called there or `declared`. */
function partsOf(
  source: Source,
  args: readonly ts.Node[],
  declared: readonly ts.Node[],
): readonly DecoratorPart[] {
  const found: DecoratorPart[] = []
  const open = new Set<ts.Node>([...args, ...declared.filter(isFunction)])
  for (const node of open)
    for (const call of nodesIn(node).filter(ts.isCallExpression)) {
      const called = originsOf(source, unwrapped(call.expression))
      found.push({ origins: called.origins, arguments: call.arguments })
      for (const inner of called.declared) if (isFunction(inner)) open.add(inner) // grows as it is walked
    }
  return found
}

/** Whether a declaration is, or may hold, a function. */
const isFunction = (node: ts.Node): boolean =>
  ts.isFunctionLike(node) ||
  ts.isVariableDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isPropertyDeclaration(node)
