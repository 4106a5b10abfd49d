/** Names and comments are in the field's words, and one exported name means one thing in the whole project. Source: words.md. */
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

const sources = ['cli', 'runtime', 'templates'].flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const file = `${room}/${path}`
      return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2023)
    }),
)

function exportedIn({ statements }: ts.SourceFile): readonly string[] {
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
  const ours = sources.filter(({ fileName }) => !/^templates\/(project|client)\//.test(fileName)) // what `acmcp` copies into applications
  for (const source of ours)
    for (const name of exportedIn(source))
      files.set(name, (files.get(name) ?? new Set()).add(source.fileName))
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

/** Never as names, whether exported or not. Source: words.md. */
const forbidden =
  /^#?(?:[Tt]old|[Aa]sked|[Aa]part|[Gg]iven|[Oo]ne|[Mm]isfit|[Ii]nVain|fewest|(?:most|fewest)[A-Z]\w*)$/

/** The names of everything that is declared in it: variables, parameters, types, members, private ones too. */
function declaredIn(source: ts.SourceFile): readonly string[] {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    const { name } = node as { readonly name?: ts.Node }
    const isDeclared = name !== undefined && !ts.isPropertyAccessExpression(node)
    if (isDeclared && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) names.push(name.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return names
}

t.test('no local, parameter or private name is one that words.md forbids', async (t) => {
  const found = sources.flatMap((source) =>
    declaredIn(source)
      .filter((name) => forbidden.test(name))
      .map((name) => `${source.fileName}: ${name}`),
  )
  t.strictSame(found, [])
})

/** A comment names its actor: the client, the route, the store, the user. Nor does it begin a clause with a bare `who`. */
const withoutActor =
  /\b(?:whoever|nobody|somebody|anybody)\b|(?:^|[.:;=] |\(|\b(?:of|to|for|by|from|than|but|as|with) )who\b/i

/** Where comments are texts for people, and why. */
const texts: Readonly<Record<string, string>> = {
  'templates/project/desk/app/controllers/':
    'what tools and the document say of the routes of that application',
  'templates/project/desk/app/desk-controller.ts': 'the same, of its errors',
  'templates/project/desk/app/model/': 'what the document says of its types',
}

/** The comments of a file, each on one line, without what is quoted. */
const commentsOf = ({ text }: ts.SourceFile): readonly string[] =>
  [...text.matchAll(/^ *\/\*\*[\s\S]*?\*\/|(?:^|(?<=\s))\/\/ .*$/gm)].map(([comment]) =>
    comment
      .replace(/\s*\n *(?:\*|\/\/)\/? */g, ' ')
      .replace(/^ *(?:\/\*\*|\/\/) */, '')
      .replace(/`[^`]*`/g, '…'),
  )

t.test('the subject of a comment is an actor, and not whoever, nobody, somebody or who', async (t) => {
  const isText = ({ fileName }: ts.SourceFile): boolean =>
    Object.keys(texts).some((path) => fileName.startsWith(path))
  const vague = (source: ts.SourceFile): readonly string[] =>
    commentsOf(source)
      .filter((comment) => withoutActor.test(comment))
      .map((comment) => `${source.fileName}: ${comment}`)
  t.ok(sources.flatMap(commentsOf).length > 5000, 'all comments are seen')
  t.strictSame(sources.filter((source) => !isText(source)).flatMap(vague), [])
  const idle = Object.keys(texts).filter(
    (path) => !sources.some((source) => source.fileName.startsWith(path) && vague(source).length > 0),
  )
  t.strictSame(idle, [], 'every reason is for comments that need it')
})
