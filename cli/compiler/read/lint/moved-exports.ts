/** Names that `acmcp` had and another of its modules has now: esbuild leaves packages alone, so that only the start of the
 *  server would fail, without saying where. */
import { exportMoved } from '../../diagnostics/import-diagnostics.ts'
import { placeOfNode, type Source } from '../program/program.ts'
import { ts } from '../program/typescript.ts'

/** What to write instead, by the former name. */
const moved: ReadonlyMap<string, string> = new Map([
  ['database', "import { databaseOf } from 'acmcp/store', and call databaseOf<Tables>(this.services)"],
  ...['Database', 'Migration', 'rowIdType'].map((name): [string, string] => [
    name,
    `import { ${name} } from 'acmcp/store'`,
  ]),
])

/** Reports every import of such a name. */
export function reportMovedExports(source: Source): void {
  for (const { statements } of source.files) {
    for (const { name, propertyName } of statements.flatMap(namedFromAcmcp)) {
      const written = propertyName ?? name
      const cure = source.publicSurface.has(written.text) ? undefined : moved.get(written.text)
      if (cure !== undefined) source.report(exportMoved(placeOfNode(source, written), written.text, cure))
    }
  }
}

function namedFromAcmcp(statement: ts.Statement): readonly ts.ImportSpecifier[] {
  if (!ts.isImportDeclaration(statement)) return []
  const { moduleSpecifier, importClause } = statement
  if (!ts.isStringLiteral(moduleSpecifier) || moduleSpecifier.text !== 'acmcp') return []
  const bindings = importClause?.namedBindings
  return bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : []
}
