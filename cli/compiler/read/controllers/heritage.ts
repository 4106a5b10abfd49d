/** What a class extends, up to Controller. */

import { baseIsCircular, baseNotFound, baseUnknown } from '../../diagnostics/source-diagnostics.ts'
import type { ClassRef } from '../../ir/schema.ts'
import type { Owner } from '../../ir/steps.ts'
import { isLibrary } from '../program/library.ts'
import { exportedRef, placeOfNode, publicName, type Source, symbolAt } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { meantClass } from './exception-classes.ts'

/** The class and its ancestors, furthest first, without Controller; `none` when Controller is not among them,
 *  `unknown` after a report. */
export function chainOf(
  source: Source,
  node: ts.ClassLikeDeclaration,
  below: readonly ts.Node[] = [],
): readonly ts.ClassDeclaration[] | 'none' | 'unknown' {
  const heritage = node.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
  const [base] = heritage?.types ?? []
  if (base === undefined) return 'none'
  const symbol = symbolAt(source, base.expression)
  const own = ts.isClassDeclaration(node) ? [node] : []
  if (publicName(source, symbol) === 'Controller') return own
  const parent = symbol?.declarations?.find(ts.isClassDeclaration)
  if (parent === undefined && symbol !== undefined && isLibrary(source, symbol)) return 'none'
  if (parent === undefined) return reportBase(source, node, base, symbol)
  const seen = [...below, node]
  if (seen.includes(parent)) {
    source.report(baseIsCircular(placeOfNode(source, base), nameOfClass(node)))
    return 'unknown'
  }
  const above = chainOf(source, parent, seen)
  return typeof above === 'string' ? above : [...above, ...own]
}

/** A name that nothing stands for is another mistake than a base that is computed. */
function reportBase(
  source: Source,
  node: ts.ClassLikeDeclaration,
  base: ts.ExpressionWithTypeArguments,
  symbol: ts.Symbol | undefined,
): 'unknown' {
  if (source.publicSurface.size === 0) return 'unknown' // said once: the package is missing
  const at = placeOfNode(source, base)
  const { expression } = base
  const isName = ts.isIdentifier(expression) || ts.isPropertyAccessExpression(expression)
  const isMissing = isName && symbol?.declarations === undefined
  source.report(
    isMissing
      ? baseNotFound(at, nameOfClass(node), expression.getText(), meantBase(source, expression))
      : baseUnknown(at, nameOfClass(node)),
  )
  return 'unknown'
}

/** What a base that stands for nothing was to be; what is imported from a missing file or package is no slip of the pen. */
function meantBase(source: Source, expression: ts.Expression): string {
  const isUnknown = source.checker.getSymbolAtLocation(expression) === undefined
  return isUnknown ? meantClass(source, expression, expression.getText()) : ''
}

/** Whether a class of the chain has `this.access` or `this.requireScopes` in it, in whatever form; a class without bodies (`.d.ts`) may, but
 *  for those that acmcp ships. */
export const readsAccess = (source: Source, chain: readonly ts.ClassDeclaration[]): boolean =>
  chain.some(
    (node) => !isShipped(source, node) && (node.getSourceFile().isDeclarationFile || namesAccess(node)),
  )

const isShipped = (source: Source, { name }: Pick<ts.ClassDeclaration, 'name'>): boolean =>
  name !== undefined && publicName(source, source.checker.getSymbolAtLocation(name)) !== null

const namesAccess = (node: ts.Node): boolean =>
  ts.isIdentifier(node) || ts.isStringLiteral(node)
    ? node.text === 'access' || node.text === 'requireScopes'
    : ts.forEachChild(node, namesAccess) === true

/** The class in which a member stands. */
export function ownerOf(source: Source, { parent }: ts.ClassElement): Owner {
  const name = ts.isClassDeclaration(parent) ? parent.name : undefined
  if (name === undefined) return { name: 'the class', isShipped: false }
  return { name: name.text, isShipped: isShipped(source, { name }) }
}

/** How another file names the type of a class of the application or of `acmcp`; null = it is not exported. */
export function importedClass(source: Source, node: ts.Node): ClassRef | null {
  if (!ts.isClassDeclaration(node) || node.name === undefined) return null
  const symbol = source.checker.getSymbolAtLocation(node.name)
  const isOwn = node.getSourceFile().fileName.startsWith(`${source.host.root}/app/`)
  const isNamed = symbol !== undefined && (isOwn || publicName(source, symbol) !== null)
  const ref = isNamed ? exportedRef(source, symbol) : null
  return ref === null ? null : { ...ref, arity: node.typeParameters?.length ?? 0 }
}

/** The name of a class for messages. */
export const nameOfClass = ({ name }: ts.ClassLikeDeclaration): string => name?.text ?? 'the class'
