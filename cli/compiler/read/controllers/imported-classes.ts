/** How the generated table imports a class that a tag names: from `acmcp`, from the file of the application that exports it, or
 *  as the file with the tag does, from a package: what lies where in a package is the package's own affair. */
import type { SymbolRef } from '../../ir/schema.ts'
import { exportedRef, followAlias, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** The import of `symbol`, which `type` names; null when nothing exports it there. Classes that every module sees have no
 *  module. */
export function importOf(source: Source, type: ts.TypeNode, symbol: ts.Symbol): SymbolRef | null {
  if (publicName(source, symbol) !== null || isOfApplication(symbol)) return exportedRef(source, symbol)
  const specifier = specifierOf(source, type)
  if (specifier !== null) return exportedBy(source, specifier, symbol)
  return isGlobal(symbol) ? { module: '', name: symbol.name } : null
}

/** Where `symbol` is declared, and its name there: the same however it is imported. */
export function identityOf({ checker, host }: Source, symbol: ts.Symbol): string {
  if (isGlobal(symbol)) return `#${symbol.name}`
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
  const name = checker.getFullyQualifiedName(symbol).replace(/^".*"\./, '') // the module stands before it
  return `${file.startsWith(`${host.root}/`) ? file.slice(host.root.length + 1) : file}#${name}`
}

/** The name in a type that is one, with its namespaces. */
export function entityNameOf(type: ts.TypeNode): ts.EntityName | null {
  if (ts.isTypeReferenceNode(type)) return type.typeName
  return ts.isImportTypeNode(type) ? (type.qualifier ?? null) : null
}

/** Sources that a build reads, also those of another folder of a monorepo. */
function isOfApplication({ declarations = [] }: ts.Symbol): boolean {
  const file = declarations[0]?.getSourceFile()
  return file !== undefined && !file.isDeclarationFile && !file.fileName.includes('/node_modules/')
}

/** Whether every module sees the class without an import, as it does `Error` and `RangeError`. */
function isGlobal({ declarations = [] }: ts.Symbol): boolean {
  return declarations.length > 0 && !declarations.some((node) => ts.isExternalModule(node.getSourceFile()))
}

/** What the file imports the first name of `type` from. */
function specifierOf({ checker }: Source, type: ts.TypeNode): ts.StringLiteral | null {
  if (ts.isImportTypeNode(type)) return literalOf(type.argument)
  let name = entityNameOf(type)
  while (name !== null && ts.isQualifiedName(name)) name = name.left
  const local = name === null ? undefined : checker.getSymbolAtLocation(name)
  const written = ts.findAncestor(local?.declarations?.[0], ts.isImportDeclaration)
  return written !== undefined && ts.isStringLiteral(written.moduleSpecifier) ? written.moduleSpecifier : null
}

const literalOf = (node: ts.TypeNode): ts.StringLiteral | null =>
  ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal : null

/** The export of the module that is `symbol`, whatever the module calls it. */
function exportedBy(
  { checker, host }: Source,
  specifier: ts.StringLiteral,
  symbol: ts.Symbol,
): SymbolRef | null {
  const module = checker.getSymbolAtLocation(specifier)
  if (module === undefined) return null
  const found = checker
    .getExportsOfModule(module)
    .filter((one) => one.name !== 'default' && followAlias(checker, one) === symbol)
  const name = (found.find((one) => one.name === symbol.name) ?? found[0])?.name
  if (name === undefined) return null
  if (!specifier.text.startsWith('.')) return { module: `package:${specifier.text}`, name }
  const file = module.declarations?.find(ts.isSourceFile)
  if (file === undefined || !file.fileName.startsWith(`${host.root}/`) || file.isDeclarationFile) return null
  return { module: file.fileName.slice(host.root.length + 1), name }
}
