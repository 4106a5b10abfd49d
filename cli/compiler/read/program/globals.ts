/** The names that a file declares for every other, such as `Buffer`. */
import { ts } from './typescript.ts'

/** The names in the order of the file. Modules that it declares or augments stand in quotes: `"node:fs"`. */
export function globalsOf(file: ts.SourceFile): readonly string[] {
  const isModule = ts.isExternalModule(file)
  return file.statements.flatMap((statement) => [
    ...(isModule ? [] : namesOf(statement)),
    ...spreadBy(statement),
  ])
}

/** What a statement of a module declares for all, too. */
function spreadBy(statement: ts.Statement): readonly string[] {
  if (ts.isNamespaceExportDeclaration(statement)) return [statement.name.text]
  if (!ts.isModuleDeclaration(statement)) return []
  const { name, body, flags } = statement
  const inside = body !== undefined && ts.isModuleBlock(body) ? body.statements : []
  if (flags & ts.NodeFlags.GlobalAugmentation) return inside.flatMap(namesOf)
  return ts.isStringLiteral(name) ? [`"${name.text}"`, ...inside.flatMap(spreadBy)] : []
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    )
  }
  const name = 'name' in statement ? (statement.name as ts.Node | undefined) : undefined // whatever is declared has a name
  return name !== undefined && ts.isIdentifier(name) ? [name.text] : []
}
