/** Small applications as real files, and the help desk that `acmcp init` copies, each with what it generates. `ACMCP_UPDATE_GOLDEN=1` writes the files anew. */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { diskHost } from '../../../cli/build/disk.ts'
import { type Compilation, compile } from '../../../cli/compiler/compile.ts'
import { emitOpenapi } from '../../../cli/compiler/emit/openapi/openapi.ts'
import { loadCatalogue } from '../codecs/printed.ts'
import { refusedLists } from '../dialects/judge.ts'
import { servedPins, writtenPins } from '../support/pinned.ts'
import { redocly } from '../support/redocly.ts'
import { unreviewed } from '../support/reviewed-texts.ts'
import { buildErrorsOf, typeErrorsOf } from '../support/type-check.ts'

t.setTimeout(240_000)
const goldens = 'test/cli/golden'
const names = readdirSync(goldens).sort()
/** A header that a model fills in is a warning. */
const expected: ReadonlyMap<string, readonly string[]> = new Map([['enums', ['ACM227']]])
const isUpdate = process.env.ACMCP_UPDATE_GOLDEN === '1'

/** The applications beside one `node_modules`. */
const root = mkdtempSync(join(tmpdir(), 'acmcp-golden-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))
cpSync(goldens, root, { recursive: true })
for (const part of ['desk', 'both'])
  cpSync(join('templates/project', part), join(root, 'desk'), { recursive: true })
mkdirSync(join(root, 'node_modules'))
symlinkSync(process.cwd(), join(root, 'node_modules/acmcp'))
for (const name of ['@types', 'kysely', 'zod'])
  symlinkSync(join(process.cwd(), 'node_modules', name), join(root, 'node_modules', name))

const documents: string[] = []
const built = new Map<string, Compilation>(names.map((name) => [name, build(name)]))

/** The other templates, and the example: they have no golden. */
const others = new Map(
  ['notes', 'empty'].map((name) => {
    for (const part of [name, 'both'])
      cpSync(join('templates/project', part), join(root, name), { recursive: true })
    return [`the template ${name}`, compile(diskHost(join(root, name)))]
  }),
)
others.set('the example', compile(diskHost(process.cwd())))

t.test('no client refuses a list of these applications, of the templates or of the example', async (t) => {
  for (const [name, { catalogue }] of [...built, ...others])
    t.strictSame(refusedLists(loadCatalogue(catalogue)), [], name)
})

function build(name: string): Compilation {
  const compilation = compile(diskHost(join(root, name)), { lint: true })
  const path = join(root, `${name}.yml`)
  writeFileSync(path, emitOpenapi(compilation.model))
  documents.push(path)
  for (const { path, text } of compilation.files) {
    const target = join(isUpdate ? goldens : root, name, path)
    mkdirSync(join(target, '..'), { recursive: true })
    if (isUpdate) writeFileSync(target, text)
  }
  return compilation
}

for (const [name, { files, diagnostics }] of built) {
  t.test(`${name}: the generated files are those that are committed, byte by byte`, async (t) => {
    t.strictSame(
      diagnostics.map(({ code }) => code),
      expected.get(name) ?? [],
    )
    t.strictSame(
      files.map(({ path }) => path).sort(),
      readdirSync(join(goldens, name, 'generated'))
        .sort()
        .map((file) => `generated/${file}`),
    )
    for (const { path, text } of files) t.equal(text, readFileSync(join(goldens, name, path), 'utf8'), path)
  })
}

t.test(
  'texts of the golden files: every text that these applications show to models stands in their mcp.yml',
  async (t) => {
    for (const [name, { catalogue }] of built) {
      const yml = readFileSync(join(goldens, name, 'generated/mcp.yml'), 'utf8')
      t.strictSame(unreviewed(yml, loadCatalogue(catalogue)), [], name)
    }
  },
)

t.test('the fingerprints of the golden files are those of what a server of 2026-07-28 answers', async (t) => {
  for (const [name, { catalogue }] of built) {
    const yml = readFileSync(join(goldens, name, 'generated/mcp.yml'), 'utf8')
    t.strictSame(writtenPins(yml), await servedPins(loadCatalogue(catalogue)), name)
  }
})

t.test("the route tables compile under the applications' own tsconfig.json", async (t) => {
  const own = ['cjs', 'desk', 'monorepo'] // that of the desk: init/desk.test.ts
  t.equal(typeErrorsOf(join(root, 'cjs/tsconfig.json')), '')
  t.equal(buildErrorsOf(join(root, 'monorepo/tsconfig.json')), '', 'with its references')
  const alike = names.filter((name) => !own.includes(name))
  const settings = alike.map((name) => readFileSync(join(root, name, 'tsconfig.json'), 'utf8'))
  t.equal(new Set(settings).size, 1, 'the others have the same settings: one run is enough')
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ extends: `./${alike[0]}/tsconfig.json`, include: alike }),
  )
  t.equal(typeErrorsOf(join(root, 'tsconfig.json')), '')
})

t.test('every document is clean for @redocly/cli', async (t) => {
  t.strictSame(
    redocly(documents, { 'operation-4xx-response': 'some have no exception handler, so nothing is 4xx' }),
    [],
  )
})
