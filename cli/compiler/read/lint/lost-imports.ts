/** Imports that lead nowhere: what a class or type that TypeScript does not find mostly comes from. */
import { dirname, posix } from 'node:path'
import { nameNotExported, noModule } from '../../diagnostics/import-diagnostics.ts'
import type { Diagnostic } from '../../diagnostics/source-diagnostics.ts'
import type { Host } from '../program/host.ts'
import { createResolver, type FoundModule, whyMissing } from '../program/package-files.ts'
import { followAlias, placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** The codes of what is not found. */
const notFound: ReadonlySet<string> = new Set(['ACM116', 'ACM144', 'ACM146'])

/** What is wrong with imports where one of `found` may come of it; else nothing: TypeScript lets a type that no code reads be lost.
 *  Names are told where every module is there. */
export function lostImports(source: Source, found: readonly Diagnostic[]): readonly Diagnostic[] {
  if (source.publicSurface.size === 0 || !found.some(({ code }) => notFound.has(code))) return []
  const imports = source.program.getSourceFiles().flatMap(importsOf)
  const lost = imports.filter(({ moduleSpecifier }) => !isThere(source, moduleSpecifier))
  if (lost.length === 0) return imports.flatMap((item) => lostNames(source, item))
  const why = reasons(source)
  return lost.map(({ moduleSpecifier: written }) =>
    noModule(placeOfNode(source, written), written.text, why(written)),
  )
}

type Import = (ts.ImportDeclaration | ts.ExportDeclaration) & { readonly moduleSpecifier: ts.StringLiteral }

function importsOf({ isDeclarationFile, statements }: ts.SourceFile): readonly Import[] {
  return isDeclarationFile ? [] : statements.filter(isImport)
}

function isImport(statement: ts.Statement): statement is Import {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return false
  return statement.moduleSpecifier !== undefined && ts.isStringLiteral(statement.moduleSpecifier)
}

/** Whether there is such a module; one of JavaScript may have no types. */
function isThere({ host, program, checker }: Source, written: ts.StringLiteral): boolean {
  if (checker.getSymbolAtLocation(written) !== undefined) return true
  const file = written.getSourceFile()
  const mode = program.getModeForUsageLocation(file, written)
  const options = program.getCompilerOptions()
  const { resolvedModule } = ts.resolveModuleName(
    ...[written.text, file.fileName, options, filesOf(host)],
    ...[undefined, undefined, mode],
  )
  return resolvedModule !== undefined
}

const filesOf = (host: Host): ts.ModuleResolutionHost => ({
  fileExists: host.fileExists,
  readFile: (path) => host.readFile(path) ?? undefined,
  directoryExists: host.directoryExists,
  realpath: host.realPath,
})

/** Says why a module is not there. */
function reasons({ host, program }: Source): (written: ts.StringLiteral) => string {
  const { customConditions = [], paths = {} } = program.getCompilerOptions()
  const resolve = createResolver(host, customConditions)
  return (written) => {
    const specifier = written.text
    const file = written.getSourceFile().fileName
    if (Object.keys(paths).some((pattern) => fits(specifier, pattern)))
      return '"paths" of tsconfig.json lead to no file'
    const found: FoundModule = specifier.startsWith('.')
      ? { kind: 'missing', folder: null, file: posix.resolve(dirname(file), specifier) }
      : resolve(specifier, dirname(file))
    if (found.kind !== 'missing') return 'TypeScript finds no types of it'
    return whyMissing(host, { specifier, file }, found)
  }
}

function fits(specifier: string, pattern: string): boolean {
  const [before = '', behind] = pattern.split('*')
  if (behind === undefined) return specifier === pattern
  return specifier.startsWith(before) && specifier.endsWith(behind)
}

/** The names of an import that its module does not export; what it passes on from elsewhere is told there. */
function lostNames(source: Source, declaration: Import): readonly Diagnostic[] {
  const { checker } = source
  const module = checker.getSymbolAtLocation(declaration.moduleSpecifier)
  if (module === undefined) return []
  return namesOf(declaration).flatMap(({ node, name }) => {
    const symbol = checker.getSymbolAtLocation(node)
    if (symbol === undefined || !checker.isUnknownSymbol(followAlias(checker, symbol))) return []
    if (checker.tryGetMemberInModuleExports(name, module) !== undefined) return []
    return [nameNotExported(placeOfNode(source, node), declaration.moduleSpecifier.text, name)]
  })
}

interface ImportedName {
  readonly node: ts.Node
  /** As the module calls it. */
  readonly name: string
}

function namesOf(declaration: Import): readonly ImportedName[] {
  if (ts.isExportDeclaration(declaration)) {
    const { exportClause } = declaration
    return exportClause !== undefined && ts.isNamedExports(exportClause)
      ? exportClause.elements.map(nameOf)
      : []
  }
  const { name, namedBindings } = declaration.importClause ?? {}
  const own = name === undefined ? [] : [{ node: name, name: 'default' }]
  if (namedBindings === undefined || !ts.isNamedImports(namedBindings)) return own
  return [...own, ...namedBindings.elements.map(nameOf)]
}

const nameOf = ({ name, propertyName }: ts.ImportOrExportSpecifier): ImportedName => ({
  node: name,
  name: (propertyName ?? name).text,
})
