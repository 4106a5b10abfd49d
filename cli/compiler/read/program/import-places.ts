/** Where a file imports a module: asked of single files, after something is wrong with what they import. */
import type { At } from '../../ir/schema.ts'
import { type Host, pathFrom } from './host.ts'
import { nodesIn } from './nodes.ts'
import { ts } from './typescript.ts'

export interface WrittenImport {
  readonly at: At
  /** Whether a failure of it is caught: it stands in a `try`, or before `.catch`. */
  readonly isTried: boolean
}

/** The place of the first import of `specifier` in the file at `path`, by `import`, `import()` or `require()` as `kind` says; of
 *  several such, of one whose failure is not caught. */
export function importPlace(
  host: Host,
  path: string,
  { specifier, kind }: { readonly specifier: string; readonly kind: string },
): WrittenImport {
  const file = ts.createSourceFile(path, host.readFile(path) ?? '', ts.ScriptTarget.Latest, true)
  const written = nodesIn(file).filter(
    (item) =>
      ts.isStringLiteralLike(item) && item.text === specifier && importKind(item.parent, item) === kind,
  )
  const node = written.find((item) => !isTried(item)) ?? written[0]
  const { line, character } = file.getLineAndCharacterOfPosition(node?.getStart() ?? 0)
  const at = { file: pathFrom(host.root, path), line: line + 1, column: character + 1 }
  return { at, isTried: node !== undefined && isTried(node) }
}

/** As esbuild calls them. */
function importKind(parent: ts.Node, node: ts.Node): string | null {
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return 'import-statement'
  if (ts.isExternalModuleReference(parent)) return 'require-call'
  if (ts.isConditionalExpression(parent)) return importKind(parent.parent, parent)
  if (!ts.isCallExpression(parent) || parent.arguments[0] !== node) return null
  if (parent.expression.kind === ts.SyntaxKind.ImportKeyword) return 'dynamic-import'
  const name = parent.expression.getText()
  if (name === 'require') return 'require-call'
  return name === 'require.resolve' ? 'require-resolve' : null
}

function isTried(node: ts.Node): boolean {
  const call = node.parent
  const access = call.parent
  const isCaught =
    ts.isPropertyAccessExpression(access) && access.expression === call && access.name.text === 'catch'
  return isCaught || isInTry(node)
}

function isInTry(node: ts.Node): boolean {
  for (let inner = node; inner.parent !== undefined; inner = inner.parent) {
    const { parent } = inner
    if (ts.isTryStatement(parent) && parent.tryBlock === inner && parent.catchClause !== undefined)
      return true
  }
  return false
}
