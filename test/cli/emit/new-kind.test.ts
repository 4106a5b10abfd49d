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

/** The compiler's files with a mistake, when `schema.ts` is another. */
function filesThatStop(edit: (schema: string) => string): readonly string[] {
  const read = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { readFile } = host
  host.readFile = (path) => {
    const text = readFile(path)
    return path.endsWith('/cli/compiler/ir/schema.ts') ? edit(text ?? '') : text
  }
  const program = ts.createProgram(files, { ...options, noEmit: true }, host)
  return files.filter((path) => {
    const file = program.getSourceFile(path)
    return file !== undefined && program.getSemanticDiagnostics(file).length > 0
  })
}

/** Those that ask for the kind of a schema case by case. */
const switching = files.filter((file) => /switch \((\w+\.)?kind\)/.test(readFileSync(file, 'utf8')))

t.test(
  'issue 13, 5: a new kind of schema does not compile until every emitter and walk has it',
  async (t) => {
    const stopped = filesThatStop((text) =>
      text.replace('export type Schema =', "export type Schema =\n  | { readonly kind: 'duration' }"),
    )
    t.ok(stopped.length >= 12, `${stopped.length} files`)
    t.strictSame(
      switching.filter((file) => !stopped.includes(file)),
      [],
    )
    t.ok(stopped.every((file) => switching.includes(file)))
  },
)
