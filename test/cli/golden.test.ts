/** Small applications as real files, each with what it generates. `ACMCP_UPDATE_GOLDEN=1` writes the files anew. */
import { spawnSync } from 'node:child_process'
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
import { diskHost } from '../../cli/commands/disk.ts'
import { type Compilation, compile } from '../../cli/compiler/compile.ts'

t.setTimeout(240_000)
const goldens = 'test/cli/golden'
const names = readdirSync(goldens).sort()
const isUpdate = process.env.ACMCP_UPDATE_GOLDEN === '1'

/** The applications beside one `node_modules`. */
const root = mkdtempSync(join(tmpdir(), 'acmcp-golden-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))
cpSync(goldens, root, { recursive: true })
mkdirSync(join(root, 'node_modules'))
symlinkSync(process.cwd(), join(root, 'node_modules/acmcp'))
symlinkSync(join(process.cwd(), 'node_modules/@types'), join(root, 'node_modules/@types'))

const documents: string[] = []
const built = new Map<string, Compilation>(names.map((name) => [name, build(name)]))

function build(name: string): Compilation {
  const compilation = compile(diskHost(join(root, name)), { lint: true })
  const older = compile(diskHost(join(root, name)), { openapi: '3.0' })
  for (const [kind, { files }] of [['', compilation] as const, ['-3.0', older] as const]) {
    const text = files.find(({ path }) => path.endsWith('openapi.yml'))?.text ?? ''
    const path = join(root, `${name}${kind}.yml`)
    writeFileSync(path, text)
    documents.push(path)
  }
  for (const { path, text } of compilation.files) {
    const target = join(isUpdate ? goldens : root, name, path)
    mkdirSync(join(target, '..'), { recursive: true })
    if (isUpdate) writeFileSync(target, text)
  }
  return compilation
}

for (const [name, { files, diagnostics }] of built) {
  t.test(`${name}: the generated files are those that are committed, byte by byte`, async (t) => {
    t.strictSame(diagnostics, [])
    t.strictSame(
      files.map(({ path }) => path).sort(),
      readdirSync(join(goldens, name, 'generated'))
        .sort()
        .map((file) => `generated/${file}`),
    )
    for (const { path, text } of files) t.equal(text, readFileSync(join(goldens, name, path), 'utf8'), path)
  })
}

/** What TypeScript says under `settings`, a tsconfig.json. */
function typeErrors(settings: string, how: '-p' | '-b' = '-p'): string {
  const tsc = join(process.cwd(), 'node_modules/typescript/bin/tsc')
  return spawnSync(process.execPath, [tsc, how, join(root, settings)], { cwd: root, encoding: 'utf8' }).stdout
}

t.test("the route tables compile under the applications' own tsconfig.json", async (t) => {
  const own = ['cjs', 'monorepo']
  t.equal(typeErrors('cjs/tsconfig.json'), '')
  t.equal(typeErrors('monorepo/tsconfig.json', '-b'), '', 'with its references')
  const alike = names.filter((name) => !own.includes(name))
  const settings = alike.map((name) => readFileSync(join(root, name, 'tsconfig.json'), 'utf8'))
  t.equal(new Set(settings).size, 1, 'the others have the same settings: one run is enough')
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ extends: `./${alike[0]}/tsconfig.json`, include: alike }),
  )
  t.equal(typeErrors('tsconfig.json'), '')
})

t.test('every document is clean for @redocly/cli, in OpenAPI 3.1 and 3.0', async (t) => {
  const lint = spawnSync('node_modules/.bin/redocly', ['lint', ...documents], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  t.equal(lint.status, 0, lint.stdout + lint.stderr)
})
