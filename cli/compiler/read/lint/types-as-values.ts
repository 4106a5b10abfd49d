/** Types that stand among values: `tsc` sees that they are types and leaves them out, a bundler sees one file at a time and has Node.js
 *  look for them. */
import { typeAsValue } from '../../diagnostics/bundle-diagnostics.ts'
import { followAlias, placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** Reports those of compiled modules: of sources that are bundled esbuild knows that they have no such value. */
export function reportTypesAsValues(source: Source): void {
  const keepsImports = source.program.getCompilerOptions().verbatimModuleSyntax === true
  for (const { statements } of source.wanted) {
    for (const statement of statements) {
      for (const name of valueNames(statement, keepsImports)) reportType(source, name)
    }
  }
}

/** The names that a statement passes on as values; of imports where none is left out. */
function valueNames(statement: ts.Statement, keepsImports: boolean): readonly ts.Identifier[] {
  if (ts.isExportAssignment(statement))
    return ts.isIdentifier(statement.expression) ? [statement.expression] : []
  if (ts.isExportDeclaration(statement)) {
    const { exportClause, isTypeOnly } = statement
    return exportClause !== undefined && ts.isNamedExports(exportClause) && !isTypeOnly
      ? named(exportClause.elements)
      : []
  }
  if (!keepsImports || !ts.isImportDeclaration(statement)) return []
  const { name, namedBindings, phaseModifier } = statement.importClause ?? {}
  if (phaseModifier === ts.SyntaxKind.TypeKeyword) return []
  const elements =
    namedBindings !== undefined && ts.isNamedImports(namedBindings) ? namedBindings.elements : []
  return [...(name === undefined ? [] : [name]), ...named(elements)]
}

const named = (elements: readonly ts.ImportOrExportSpecifier[]): readonly ts.Identifier[] =>
  elements.flatMap(({ isTypeOnly, propertyName, name }) => {
    const written = propertyName ?? name
    return isTypeOnly || !ts.isIdentifier(written) ? [] : [written]
  })

function reportType(source: Source, name: ts.Identifier): void {
  const module = moduleOf(source, name)
  if (module === null || !isCompiled(source, module)) return
  const symbol = symbolOf(source, name)
  const target = symbol === undefined ? undefined : followAlias(source.checker, symbol)
  if (target === undefined || source.checker.isUnknownSymbol(target)) return
  const isType = (target.flags & ts.SymbolFlags.Value) === 0
  if (isType) source.report(typeAsValue(placeOfNode(source, name), name.text, module.text))
}

function symbolOf({ checker }: Source, name: ts.Identifier): ts.Symbol | undefined {
  const { parent } = name
  return ts.isExportSpecifier(parent)
    ? checker.getExportSpecifierLocalTargetSymbol(parent)
    : checker.getSymbolAtLocation(name)
}

/** The module that a name is imported from; null = it is none, or imported as a type. */
function moduleOf(source: Source, name: ts.Identifier): ts.StringLiteral | null {
  const exported = ts.isExportSpecifier(name.parent) ? name.parent.parent.parent.moduleSpecifier : undefined
  if (exported !== undefined) return ts.isStringLiteral(exported) ? exported : null
  for (const declaration of symbolOf(source, name)?.declarations ?? []) {
    if (ts.isImportSpecifier(declaration) && !declaration.isTypeOnly)
      return specifierOf(declaration.parent.parent)
    if (ts.isImportClause(declaration)) return specifierOf(declaration)
  }
  return null
}

function specifierOf({ phaseModifier, parent }: ts.ImportClause): ts.StringLiteral | null {
  if (phaseModifier === ts.SyntaxKind.TypeKeyword || !ts.isImportDeclaration(parent)) return null
  return ts.isStringLiteral(parent.moduleSpecifier) ? parent.moduleSpecifier : null
}

const isCompiled = ({ checker }: Source, module: ts.StringLiteral): boolean =>
  checker
    .getSymbolAtLocation(module)
    ?.declarations?.some((declaration) => declaration.getSourceFile().isDeclarationFile) === true
