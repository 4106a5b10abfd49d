/** How the generated table imports a class that a tag names: from `acmcp`, from the file of the application that exports it, or
 *  as the file with the tag does, from a package: what lies where in a package is the package's own affair. A base class of
 *  another package may name a class that it imports by its place: then by the package that the application imports. */
import type { SymbolRef } from '../../ir/schema.ts'
import { byText, pathFrom } from '../program/host.ts'
import { exportedRef, followAlias, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** The import of `symbol`, which `type` names; null when nothing exports it there. Classes that every module sees have no
 *  module. */
export function importOf(source: Source, type: ts.TypeNode, symbol: ts.Symbol): SymbolRef | null {
  if (publicName(source, symbol) !== null || isOfApplication(source, symbol))
    return exportedRef(source, symbol)
  const specifier = specifierOf(source, type)
  const named = specifier === null ? null : exportedBy(source, specifier, symbol)
  if (named !== null) return named
  const exported = importedPackages(source).flatMap((literal) => exportedBy(source, literal, symbol) ?? [])[0]
  if (exported !== undefined) return exported
  if (isSource(symbol)) return exportedRef(source, symbol)
  return specifier === null && isGlobal(symbol) ? { module: '', name: symbol.name } : null
}

/** The same of a constant that a type names (`typeof name`): the application may export it under another name too. */
export function importOfValue(source: Source, type: ts.TypeNode, symbol: ts.Symbol): SymbolRef | null {
  const own = (): SymbolRef | null => exportedByFile(source, symbol)
  const specifier = specifierOf(source, type)
  const named = (): SymbolRef | null => (specifier === null ? null : exportedBy(source, specifier, symbol))
  if (isOfApplication(source, symbol)) return own() ?? named()
  const exported = (): readonly SymbolRef[] =>
    importedPackages(source).flatMap((literal) => exportedBy(source, literal, symbol) ?? [])
  return named() ?? exported()[0] ?? (isSource(symbol) ? own() : null)
}

/** Where `symbol` is declared, and its name there: the same however it is imported. */
export function identityOf({ checker, host }: Source, symbol: ts.Symbol): string {
  if (isGlobal(symbol)) return `#${symbol.name}`
  const file = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
  const name = checker.getFullyQualifiedName(symbol).replace(/^".*"\./, '') // the module stands before it
  return `${pathFrom(host.root, file)}#${name}`
}

/** The name in a type that is one, with its namespaces. */
export function entityNameOf(type: ts.TypeNode): ts.EntityName | null {
  if (ts.isTypeReferenceNode(type)) return type.typeName
  return ts.isImportTypeNode(type) ? (type.qualifier ?? null) : null
}

/** The same, also of `typeof name`. */
export const valueNameOf = (type: ts.TypeNode): ts.EntityName | null =>
  ts.isTypeQueryNode(type) ? type.exprName : entityNameOf(type)

/** Whether it is written in TypeScript, also in another folder of a monorepo, and not only declared. */
function isSource({ declarations = [] }: ts.Symbol): boolean {
  return declarations[0]?.getSourceFile().isDeclarationFile === false
}

function isOfApplication({ host }: Source, symbol: ts.Symbol): boolean {
  const path = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
  return isSource(symbol) && path.startsWith(`${host.root}/`) && !path.includes('/node_modules/')
}

const packagesBySource = new WeakMap<Source, readonly ts.StringLiteral[]>()

/** What the application's files import by the name of a package, each once, by name. */
function importedPackages(source: Source): readonly ts.StringLiteral[] {
  const known = packagesBySource.get(source)
  if (known !== undefined) return known
  const byName = new Map(
    source.files.flatMap(({ statements }) =>
      statements.flatMap((statement) => {
        const written =
          ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
            ? statement.moduleSpecifier
            : undefined
        const isPackage =
          written !== undefined && ts.isStringLiteral(written) && !/^\.|^node:/.test(written.text)
        return isPackage ? [[written.text, written] as const] : []
      }),
    ),
  )
  const found = [...byName].sort(([a], [b]) => byText(a, b)).map(([, written]) => written)
  packagesBySource.set(source, found)
  return found
}

/** Whether every module sees the class without an import, as it does `Error` and `RangeError`. */
function isGlobal({ declarations = [] }: ts.Symbol): boolean {
  return declarations.length > 0 && !declarations.some((node) => ts.isExternalModule(node.getSourceFile()))
}

/** What the file imports the first name of `type` from. */
function specifierOf({ checker }: Source, type: ts.TypeNode): ts.StringLiteral | null {
  if (ts.isImportTypeNode(type)) return literalOf(type.argument)
  let name = valueNameOf(type)
  while (name !== null && ts.isQualifiedName(name)) name = name.left
  const local = name === null ? undefined : checker.getSymbolAtLocation(name)
  const written = ts.findAncestor(local?.declarations?.[0], ts.isImportDeclaration)
  return written !== undefined && ts.isStringLiteral(written.moduleSpecifier) ? written.moduleSpecifier : null
}

const literalOf = (node: ts.TypeNode): ts.StringLiteral | null =>
  ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal : null

/** The export of the module that is `symbol`, whatever the module calls it. */
function exportedBy(source: Source, specifier: ts.StringLiteral, symbol: ts.Symbol): SymbolRef | null {
  const module = source.checker.getSymbolAtLocation(specifier)
  const name = module === undefined ? null : exportName(source, module, symbol)
  if (name === null) return null
  if (!specifier.text.startsWith('.')) return { module: `package:${specifier.text}`, name }
  const file = module?.declarations?.find(ts.isSourceFile)
  if (file?.fileName.startsWith(`${source.host.root}/`) !== true || file.isDeclarationFile) return null
  return { module: file.fileName.slice(source.host.root.length + 1), name }
}

/** The export of the file that declares `symbol`. */
function exportedByFile(source: Source, symbol: ts.Symbol): SymbolRef | null {
  const file = symbol.valueDeclaration?.getSourceFile()
  const module = file === undefined ? undefined : source.checker.getSymbolAtLocation(file)
  const name = module === undefined ? null : exportName(source, module, symbol)
  return file === undefined || name === null
    ? null
    : { module: pathFrom(source.host.root, file.fileName), name }
}

/** The name by which a module exports `symbol`: its own, if it can be. */
function exportName({ checker }: Source, module: ts.Symbol, symbol: ts.Symbol): string | null {
  const found = checker
    .getExportsOfModule(module)
    .filter((item) => item.name !== 'default' && followAlias(checker, item) === symbol)
  return (found.find((item) => item.name === symbol.name) ?? found[0])?.name ?? null
}
