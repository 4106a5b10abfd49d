import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { shop } from './memory-host.ts'

const main = resolve(import.meta.dirname, '../../cli/main.js')
const repository = process.cwd()

/** A folder with the example's shapes and the package linked into it; removed after the test. */
function application(t: { teardown(clean: () => void): void }): string {
  const root = mkdtempSync(join(tmpdir(), 'acmcp-build-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  write(root, 'package.json', '{"name":"shop","version":"1.2.3","license":"MIT","type":"module"}')
  write(root, 'app/config.ts', `export const config: object = {}\n`)
  for (const [path, text] of Object.entries(shop)) write(root, path, text)
  mkdirSync(join(root, 'node_modules'))
  symlinkSync(repository, join(root, 'node_modules/acmcp'))
  return root
}

function write(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

function acmcp(
  cwd: string,
  ...args: readonly string[]
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { cwd, encoding: 'utf8' })
  return { status, stdout, stderr }
}

const outputs = [
  'generated/routes.ts',
  'generated/paths.ts',
  'generated/openapi.yml',
  'generated/mcp.yml',
  '.acmcp/app.mjs',
  '.acmcp/app.mjs.map',
]

t.test('build writes six files, again the same bytes, and check agrees', async (t) => {
  const root = application(t)
  t.strictSame(acmcp(root, 'build'), {
    status: 0,
    stdout: `${['generated/routes.ts', 'generated/paths.ts', 'generated/openapi.yml', 'generated/mcp.yml', '.acmcp/app.mjs.map', '.acmcp/app.mjs'].map((path) => `wrote ${path}`).join('\n')}\n`,
    stderr: '',
  })
  const first = outputs.map((path) => read(root, path))
  t.notMatch(first.join(''), root)
  t.strictSame(acmcp(root, 'build'), { status: 0, stdout: '', stderr: '' })
  rmSync(join(root, '.acmcp'), { recursive: true })
  rmSync(join(root, 'generated'), { recursive: true })
  acmcp(root, 'build')
  t.strictSame(
    outputs.map((path) => read(root, path)),
    first,
  )
  t.strictSame(acmcp(root, 'build', '--check'), { status: 0, stdout: '', stderr: '' })
})

t.test('the bundle can be imported and holds everything that serving needs', async (t) => {
  const root = application(t)
  acmcp(root, 'build')
  const bundle = await import(pathToFileURL(join(root, '.acmcp/app.mjs')).href)
  t.strictSame(Object.keys(bundle).sort(), ['catalogue', 'codecs', 'config', 'mcpDigest', 'routes'])
  t.strictSame(
    bundle.routes.map(({ id }: { id: string }) => id),
    Object.keys(bundle.codecs),
  )
})

t.test('check shows what is stale as a diff and writes nothing', async (t) => {
  const root = application(t)
  t.equal(acmcp(root, 'build', '--check').status, 1)
  t.notOk(existsSync(join(root, 'generated')) || existsSync(join(root, '.acmcp')))
  acmcp(root, 'build')
  const before = outputs.map((path) => read(root, path))
  write(
    root,
    'app/controllers/users.ts',
    read(root, 'app/controllers/users.ts').replace('Tells who', 'Says who'),
  )
  const { status, stdout } = acmcp(root, 'build', '--check')
  t.equal(status, 1)
  t.match(stdout, /-\s+summary: Tells who is signed in\.\n\+\s+summary: Says who is signed in\./)
  t.strictSame(
    outputs.map((path) => read(root, path)),
    before,
  )
})

t.test('nothing is written when there is an error', async (t) => {
  const root = application(t)
  write(root, 'app/controllers/bad.ts', 'export class Bad {\n  /** @get / */\n  show(): void {}\n}\n')
  const { status, stderr } = acmcp(root, 'build')
  t.equal(status, 1)
  t.match(stderr, 'app/controllers/bad.ts:1:1 - error ACM105: Bad has tags of a controller')
  t.notOk(existsSync(join(root, 'generated')) || existsSync(join(root, '.acmcp')))
})

t.test('an edit by hand in mcp.yml is refused, and --overwrite discards it', async (t) => {
  const root = application(t)
  acmcp(root, 'build')
  const made = read(root, 'generated/mcp.yml')
  const edited = made.replace('Adds a note.', 'Adds a very good note.')
  write(root, 'generated/mcp.yml', edited)
  for (const args of [['build'], ['build', '--check']]) {
    const { status, stderr } = acmcp(root, ...args)
    t.equal(status, 1)
    t.match(stderr, 'notes_create.description belongs in the doc comment above app/controllers/notes.ts:25')
    t.equal(read(root, 'generated/mcp.yml'), edited)
  }
  t.equal(acmcp(root, 'build', '--overwrite').status, 0)
  t.equal(read(root, 'generated/mcp.yml'), made)
})

t.test('a stale route table does not compile', async (t) => {
  const root = application(t)
  acmcp(root, 'build')
  symlinkSync(join(repository, 'node_modules/@types'), join(root, 'node_modules/@types'))
  const options = { module: 'nodenext', target: 'es2023', strict: true, noEmit: true, skipLibCheck: true }
  const strict = {
    allowImportingTsExtensions: true,
    noUnusedParameters: true,
    exactOptionalPropertyTypes: true,
  }
  const compilerOptions = { ...options, ...strict, verbatimModuleSyntax: true, types: ['node'] }
  write(root, 'tsconfig.json', JSON.stringify({ compilerOptions, include: ['app', 'generated'] }))
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  const compiled = (): string =>
    spawnSync(process.execPath, [tsc, '-p', root], { cwd: root, encoding: 'utf8' }).stdout
  t.equal(compiled(), '')
  const notes = read(root, 'app/controllers/notes.ts')
  for (const [from, to] of [
    ['remove(id: string)', 'remove(id: number)'],
    ['remove(id: string)', 'remove(id: string, more: string)'],
    ['remove(id', 'erase(id'],
  ] as const) {
    write(root, 'app/controllers/notes.ts', notes.replace(from, to))
    t.match(compiled(), /^generated\/routes\.ts.*error/m)
  }
})

t.test('unknown commands, arguments and flags exit 2 with help', async (t) => {
  for (const args of [['bild'], ['build', '--chek'], ['build', 'more'], ['serve', '--fast'], []]) {
    const { status, stderr } = acmcp(repository, ...args)
    t.equal(status, 2, args.join(' '))
    t.match(stderr, 'Usage: acmcp')
  }
  t.equal(acmcp(repository, '--help').status, 0)
})

t.test('serve without a build says so in one line', async (t) => {
  const root = application(t)
  const { status, stderr } = acmcp(root, 'serve')
  t.equal(status, 1)
  t.match(stderr, /^acmcp: [^\n]+\n$/)
})
