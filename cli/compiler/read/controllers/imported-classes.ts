/** How the generated table imports a class that a tag names: from `acmcp`, from the file of the application that exports it, or
 *  as the file with the tag does, from a package: what lies where in a package is the package's own affair. A base class of
 *  another package may name a class that it imports by its place: then by the package that the application imports. */
import { memoize } from '../../cache/memoize.ts'
import type { SymbolRef } from '../../ir/schema.ts'
import { byText, pathFrom } from '../program/host.ts'
import { exportedRef, followAlias, isExportedAsType, publicName, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'
import { classOf, entityNameOf, entityNames, localSymbol, symbolOfName } from './class-names.ts'

/** The import of the class `symbol`, which `type` names; null when nothing exports it there. Classes that every module sees have no
 *  module. */
export function importOf(source: Source, type: ts.TypeNode, symbol: ts.Symbol): SymbolRef | null {
  if (publicName(source, symbol) !== null) return exportedRef(source, symbol)
  if (isOfApplication(source, symbol))
    return exportedRef(source, symbol) ?? asWritten(source, type, symbol) ?? aliasOf(source, symbol)
  const specifier = specifierOf(source, type)
  const named = specifier === null ? null : exportedBy(source, specifier, symbol)
  const found = named ?? asWritten(source, type, symbol)
  if (found !== null) return found
  const exported = importedPackages(source).flatMap((literal) => exportedBy(source, literal, symbol) ?? [])[0]
  if (exported !== undefined) return exported
  if (isSource(symbol)) return exportedRef(source, symbol) ?? aliasOf(source, symbol)
  return isGlobal(symbol) ? { module: '', name: symbol.name } : null
}

/** By the names in `type`, where they lead to a class at run time too: `Prisma.KnownRequestError`, of an import or a namespace. */
function asWritten(source: Source, type: ts.TypeNode, symbol: ts.Symbol): SymbolRef | null {
  const entity = entityNameOf(type)
  if (entity === null || !isValueOf(source, entity, symbol)) return null
  const names = entityNames(entity)
  const name = names.join('.')
  if (ts.isImportTypeNode(type)) return inModule(source, literalOf(type.argument), name)
  const root = localSymbol(source, entity)
  const node = root?.declarations?.[0]
  if (root === undefined || node === undefined) return null
  if (isGlobal(root)) return { module: '', name }
  if (ts.isImportSpecifier(node)) {
    const imported = [node.propertyName?.text ?? node.name.text, ...names.slice(1)]
    return inModule(source, specifierOf(source, type), imported.join('.'))
  }
  if (ts.isNamespaceImport(node)) return inModule(source, specifierOf(source, type), names.slice(1).join('.'))
  if (ts.isImportClause(node)) return byDefault(specifierOf(source, type), name)
  return exportsRoot(source, root) ? inFile(source, node.getSourceFile(), name) : null
}

const fileOf = (node: ts.Node): string => node.getSourceFile().fileName

function isValueOf(source: Source, entity: ts.EntityName, symbol: ts.Symbol): boolean {
  const found = symbolOfName(source, entity)
  return (
    found !== undefined &&
    (found.flags & ts.SymbolFlags.Value) !== 0 &&
    (found === symbol || classOf(source, found) === symbol)
  )
}

/** `name` of a package, or of a file of the application. */
function inModule(source: Source, specifier: ts.StringLiteral | null, name: string): SymbolRef | null {
  const module = specifier === null ? undefined : source.checker.getSymbolAtLocation(specifier)
  const root = name.split('.', 1).join()
  const exported =
    module === undefined ? [] : source.checker.getExportsOfModule(module).filter((item) => item.name === root)
  if (specifier === null || root === 'default' || exported.every(isExportedAsType)) return null
  if (!specifier.text.startsWith('.')) return { module: `package:${specifier.text}`, name }
  const file = module?.declarations?.find(ts.isSourceFile)
  return file === undefined || file.isDeclarationFile ? null : inFile(source, file, name)
}

/** What lies elsewhere is imported by its package, if it can be. */
function inFile({ host: { root } }: Source, { fileName }: ts.SourceFile, name: string): SymbolRef | null {
  return fileName.startsWith(`${root}/`) ? { module: pathFrom(root, fileName), name } : null
}

/** `Stripe.errors.StripeError`, of what a package exports as its default. */
const byDefault = (specifier: ts.StringLiteral | null, name: string): SymbolRef | null =>
  specifier === null || specifier.text.startsWith('.') ? null : { module: `default:${specifier.text}`, name }

/** Whether the file that declares `root` exports it by its name. */
function exportsRoot({ checker }: Source, root: ts.Symbol): boolean {
  const file = root.declarations?.[0]?.getSourceFile()
  const module = file === undefined ? undefined : checker.getSymbolAtLocation(file)
  return (
    root.name !== 'default' &&
    module !== undefined &&
    checker
      .getExportsOfModule(module)
      .some(
        (item) =>
          item.name === root.name && followAlias(checker, item) === checker.getExportSymbolOfSymbol(root),
      )
  )
}

/** A constant that the file of a class exports in its place: `export const Alias = Err`, or inside a namespace. */
function aliasOf(source: Source, symbol: ts.Symbol): SymbolRef | null {
  const { checker, host } = source
  const node = symbol.declarations?.[0]
  const module = node === undefined ? undefined : checker.getSymbolAtLocation(node.getSourceFile())
  if (node === undefined || module === undefined) return null
  const name = reachedBy(source, module, symbol)
  return name === null ? null : { module: pathFrom(host.root, fileOf(node)), name }
}

/** The names by which the class is reached from what a module or a namespace exports. */
function reachedBy(source: Source, module: ts.Symbol, symbol: ts.Symbol): string | null {
  const exported = source.checker
    .getExportsOfModule(module)
    .filter(({ flags, name }) => !(flags & ts.SymbolFlags.Alias) && name !== 'default')
  const own = exported.find((item) => item.flags & ts.SymbolFlags.Value && classOf(source, item) === symbol)
  if (own !== undefined) return own.name
  for (const item of exported) {
    const inner = item.flags & ts.SymbolFlags.ValueModule ? reachedBy(source, item, symbol) : null
    if (inner !== null) return `${item.name}.${inner}`
  }
  return null
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
  const [node] = symbol.declarations ?? []
  const variable = node !== undefined && ts.isClassExpression(node) ? node.parent : undefined
  const named = variable !== undefined && ts.isVariableDeclaration(variable) ? variable.name : undefined
  const name = checker.getFullyQualifiedName(symbol).replace(/^".*"\./, '') // the module stands before it
  const place = named === undefined ? name : `${named.getText()}@${variable?.pos}` // class expressions are all called the same
  return `${pathFrom(host.root, node === undefined ? '' : fileOf(node))}#${place}`
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

/** What the application's files import by the name of a package, each once, by name. */
const importedPackages = memoize((source: Source): readonly ts.StringLiteral[] => {
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
  return [...byName].sort(([a], [b]) => byText(a, b)).map(([, written]) => written)
})

/** Whether every module sees the class without an import, as it does `Error` and `RangeError`, wherever it is declared. */
function isGlobal({ declarations = [] }: ts.Symbol): boolean {
  return declarations.length > 0 && declarations.every(isOfAll)
}

/** Stands at the top of a script, or in `declare global`. */
function isOfAll(node: ts.Node): boolean {
  const around = ts.findAncestor(node.parent, ts.isModuleDeclaration)
  return around === undefined
    ? !ts.isExternalModule(node.getSourceFile())
    : Boolean(around.flags & ts.NodeFlags.GlobalAugmentation)
}

/** What the file imports the first name of `type` from. */
function specifierOf(source: Source, type: ts.TypeNode): ts.StringLiteral | null {
  if (ts.isImportTypeNode(type)) return literalOf(type.argument)
  const name = valueNameOf(type)
  const local = name === null ? undefined : localSymbol(source, name)
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
    .filter(
      (item) => item.name !== 'default' && followAlias(checker, item) === symbol && !isExportedAsType(item),
    )
  return (found.find((item) => item.name === symbol.name) ?? found[0])?.name ?? null
}
