/** One exported name means one thing in the whole project. Source: words.md. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import ts from 'typescript'

/** Names that stand in several files, and why they may. */
const allowed: Readonly<Record<string, string>> = {
  Client: 'RFC 6749 and MCP each have theirs: the registered client of a grant, the caller of the endpoint',
  Controller: 'the class that applications extend, and what the compiler makes of one',
  ParamSource: 'the same places; the compiler also knows parameters that are absent from a route',
  Session: 'the session of a browser, and that of a build that watches',
  add: 'every command of the command line has one',
  part: 'every capability that adds to a build has one',
  place: 'every command of the command line has one',
  run: 'every command of the command line has one; and the statements of SQLite are run',
  Verb: 'of HTTP in the compiler and in the runtime, which do not import each other',
}

function exportedIn(file: string): readonly string[] {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023)
  return statements.flatMap((statement) => {
    const isExported = ts.canHaveModifiers(statement)
      ? ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
      : false
    if (isExported !== true) return []
    const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]
    return declared.flatMap((item) => {
      const name = ts.getNameOfDeclaration(item as ts.Declaration) // what is exported by its own keyword declares a name
      return name !== undefined && ts.isIdentifier(name) ? [name.text] : []
    })
  })
}

t.test('an exported name stands in one file, but for those that have a reason', async (t) => {
  const files = new Map<string, Set<string>>()
  for (const room of ['cli', 'runtime', 'templates']) {
    const paths = readdirSync(room, { recursive: true, encoding: 'utf8' }).filter(
      (path) => path.endsWith('.ts') && !/^(project|client)\//.test(path), // what `acmcp` copies into applications
    )
    for (const path of paths)
      for (const name of exportedIn(`${room}/${path}`))
        files.set(name, (files.get(name) ?? new Set()).add(`${room}/${path}`))
  }
  t.ok(files.size > 1000, 'all exports are seen')
  const several = [...files].filter(([, paths]) => paths.size > 1)
  const unexplained = several.filter(([name]) => !Object.hasOwn(allowed, name))
  t.strictSame(
    unexplained.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`),
    [],
  )
  const explained = Object.keys(allowed).filter((name) => (files.get(name)?.size ?? 0) < 2)
  t.strictSame(explained, [], 'every reason is for a name that stands in several files')
})
