/** What a new kind of schema takes: TypeScript names every walk, check and emitter that must know it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'

t.setTimeout(240_000)
const root = process.cwd()

/** The passes behind the reader, which makes schemas and asks less. */
const files = ['check', 'emit', 'ir', 'link', 'schema']
  .map((room) => `cli/compiler/${room}`)
  .flatMap((room) => readdirSync(room, { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)))
  .filter((file) => file.endsWith('.ts'))

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile).config,
  ts.sys,
  root,
)

/** What was parsed for one program serves the others: two files differ. */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** The compiler's files with a mistake, when `schema.ts` is another. */
function filesThatStop(
  edit: (schema: string) => string,
  editWalk = (walk: string): string => walk,
): readonly string[] {
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, how) => {
    const isWalk = path.endsWith('/cli/compiler/ir/schema-walk.ts')
    const isSchema = path.endsWith('/cli/compiler/ir/schema.ts')
    if (isWalk || isSchema) {
      const text = readFileSync(path, 'utf8')
      return ts.createSourceFile(path, isWalk ? editWalk(text) : edit(text), how)
    }
    if (!parsed.has(path)) parsed.set(path, getSourceFile(path, how))
    return parsed.get(path)
  }
  const program = ts.createProgram(files, { ...options, noEmit: true }, host)
  return files.filter((path) => {
    const file = program.getSourceFile(path)
    return file !== undefined && program.getSemanticDiagnostics(file).length > 0
  })
}

const withDuration = (text: string): string =>
  text.replace('export type Schema =', "export type Schema =\n  | { readonly kind: 'duration' }")

/** Those that ask for the kind of a schema case by case, or have a table of kinds. `client/answers.ts` asks for the kind of what an
 *  answer comes with; of a form in `schema/questions.ts` clients show few kinds, and a further one is refused there. */
const switching = files.filter(
  (file) =>
    !file.endsWith('client/answers.ts') &&
    !file.endsWith('schema/questions.ts') &&
    !file.endsWith('config/setting-values.ts') && // kinds of what is written in app/config.ts
    /switch \((\w+\.)?kind\)|Record<Schema\['kind'\]/.test(readFileSync(file, 'utf8')),
)

/** Those that TypeScript names, and no others. */
const emitters = [
  'cli/compiler/check/examples.ts',
  'cli/compiler/emit/client/shapes.ts',
  'cli/compiler/emit/client/type-text.ts',
  'cli/compiler/emit/codecs/decoders.ts',
  'cli/compiler/emit/openapi/operations.ts',
  'cli/compiler/emit/routes/url-helpers.ts',
  'cli/compiler/ir/schema-walk.ts',
  'cli/compiler/schema/body-types.ts',
  'cli/compiler/schema/json-schema.ts',
]

t.test(
  'the kinds of schemas: a new kind of schema does not compile until every emitter and walk has it',
  async (t) => {
    const stopped = filesThatStop(withDuration)
    t.strictSame([...stopped].sort(), emitters)
    t.strictSame([...switching].sort(), emitters)
  },
)

/** Those that must still say what they make of a kind that is filed in a category. */
const deciding: Readonly<Record<string, readonly string[]>> = {
  StreamKind: [
    'cli/compiler/emit/client/shapes.ts',
    'cli/compiler/emit/client/type-text.ts',
    'cli/compiler/emit/codecs/decoders.ts',
    'cli/compiler/ir/schema-walk.ts',
    'cli/compiler/schema/json-schema.ts',
  ],
  OpenKind: [
    'cli/compiler/emit/client/shapes.ts',
    'cli/compiler/emit/client/type-text.ts',
    'cli/compiler/emit/codecs/decoders.ts',
    'cli/compiler/schema/body-types.ts',
    'cli/compiler/schema/json-schema.ts',
  ],
  WrapperKind: [
    'cli/compiler/emit/client/shapes.ts',
    'cli/compiler/emit/client/type-text.ts',
    'cli/compiler/emit/codecs/decoders.ts',
    'cli/compiler/emit/routes/url-helpers.ts',
    'cli/compiler/ir/schema-walk.ts',
    'cli/compiler/schema/json-schema.ts',
  ],
  StructureKind: [
    'cli/compiler/emit/client/shapes.ts',
    'cli/compiler/emit/client/type-text.ts',
    'cli/compiler/emit/codecs/decoders.ts',
    'cli/compiler/emit/openapi/operations.ts',
    'cli/compiler/ir/schema-walk.ts',
    'cli/compiler/schema/body-types.ts',
    'cli/compiler/schema/json-schema.ts',
  ],
  ScalarKind: [
    'cli/compiler/emit/client/shapes.ts',
    'cli/compiler/emit/client/type-text.ts',
    'cli/compiler/emit/codecs/decoders.ts',
    'cli/compiler/emit/routes/url-helpers.ts',
    'cli/compiler/schema/json-schema.ts',
  ],
}

for (const [category, expected] of Object.entries(deciding)) {
  t.test(`a new kind that is filed as ${category} must still be decided on`, async (t) => {
    const stopped = filesThatStop(withDuration, (walk) =>
      walk.replace(new RegExp(`export type ${category} =\\s*\\|?`), `export type ${category} = 'duration' |`),
    )
    t.strictSame([...stopped].sort(), expected)
  })
}
