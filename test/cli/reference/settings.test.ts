/** The example of every setting is TypeScript that `defineApp` takes, and a value that the boot accepts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { settingEntries } from '../../../cli/capabilities/reference/entries.ts'
import { folderOf, strictSettings, write } from '../support/built-app.ts'
import { typeErrorsOf } from '../support/type-check.ts'

const around = `import { type Access, type AppPlugin, AuthServerError, defineApp } from 'acmcp'
import type { Migration } from 'acmcp/store'
declare const cors: AppPlugin, helmet: AppPlugin
declare const orders: Migration
declare const credentials: { clientId: string; clientSecret: string }
declare function decode(bytes: Uint8Array): unknown
declare function toCsv(rows: unknown): string
declare function verifyAtMyIssuer(token: string): Promise<Access | null>
void [credentials, cors, helmet, orders, decode, toCsv, verifyAtMyIssuer, AuthServerError]
`

t.test(
  'tables of the reference pages: the example of every setting compiles',
  { timeout: 200_000 },
  async (t) => {
    const entries = settingEntries().filter(({ kind }) => kind === 'setting')
    const lines = entries.flatMap(({ samples }) => samples).map(({ text }) => text)
    const root = folderOf(t, {})
    write(
      root,
      'app/config.ts',
      `${around}${lines.map((line, index) => `export const c${index} = ${line}`).join('\n')}\n`,
    )
    write(root, 'tsconfig.json', strictSettings)
    t.equal(typeErrorsOf(join(root, 'tsconfig.json')), '')
    t.equal(lines.length, entries.length)
  },
)

/** Paths of what `type` has, through lists, records and unions; each type once. */
function* pathsIn(
  checker: ts.TypeChecker,
  type: ts.Type,
  path: string,
  seen = new Set<ts.Type>(),
): Generator<string> {
  if (type.isUnion()) for (const member of type.types) yield* pathsIn(checker, member, path, seen)
  const isWalked = (type.flags & ts.TypeFlags.Object) !== 0 && type.getCallSignatures().length === 0
  if (!isWalked || seen.has(type)) return
  seen.add(type)
  const items = type.getNumberIndexType()
  const values = type.getStringIndexType()
  if (items !== undefined) return yield* pathsIn(checker, items, `${path}[]`, seen)
  if (values !== undefined) yield* pathsIn(checker, values, `${path}.*`, seen)
  for (const property of type.getProperties()) {
    const name = `${path}.${property.name}`
    yield name
    yield* pathsIn(checker, checker.getTypeOfSymbol(property), name, seen)
  }
}

t.test('issue: whatever the type of defineApp takes stands on the page of the settings', async (t) => {
  const program = ts.createProgram(
    ['runtime/index.ts'],
    ts.parseJsonConfigFileContent(ts.readConfigFile('tsconfig.json', ts.sys.readFile).config, ts.sys, '.')
      .options,
  )
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile('runtime/index.ts') as ts.Node)
  const exported = module === undefined ? [] : checker.getExportsOfModule(module)
  const [config] = exported
    .filter(({ name }) => name === 'AppConfig')
    .map((alias) => checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(alias)))
  const paths = [...pathsIn(checker, config as ts.Type, '')]
  t.ok(paths.includes('.migrations.*.down') && paths.length > 130, String(paths.length))
  const page = readFileSync('templates/docs/reference-settings.md', 'utf8')
  const code = new Set([...page.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => text.split(/[^\w$]+/)))
  t.strictSame(
    paths.filter((path) => !code.has(path.slice(path.lastIndexOf('.') + 1))),
    [],
  )
})
