import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { acmcp, built, folderOf, strictSettings, write } from './built-app.ts'
import { shop } from './memory-host.ts'

const repository = process.cwd()

/** A folder with the example's shapes and the package linked into it; removed after the test. */
const application = (t: { teardown(clean: () => void): void }): string =>
  folderOf(t, { ...shop, 'tsconfig.json': small })

/** Without the types of browsers and of Node, which take longer to read than the application. */
const small = JSON.stringify({
  compilerOptions: { module: 'nodenext', target: 'es2023', lib: ['es2023'], types: [] },
})

const read = (root: string, path: string): string => readFileSync(join(root, path), 'utf8')

const outputs = [
  'generated/routes.ts',
  'generated/paths.ts',
  'generated/openapi.yml',
  'generated/mcp.yml',
  '.acmcp/codecs.mjs',
  '.acmcp/catalogue.mjs',
  '.acmcp/app.mjs.map',
  '.acmcp/app.mjs',
]

const wroteAll = outputs.map((path) => `wrote ${path}\n`).join('')
const counts = '3 controllers, 5 routes, 4 tools, about 166 tokens'

t.test('build writes its files, again the same bytes, and check agrees', async (t) => {
  const root = application(t)
  t.strictSame(acmcp(root, 'build'), {
    status: 0,
    stdout: `${wroteAll}${counts}; 8 files written\n`,
    stderr: '',
  })
  const first = outputs.map((path) => read(root, path))
  t.notMatch(first.join(''), root)
  t.strictSame(acmcp(root, 'build'), { status: 0, stdout: 'nothing changed\n', stderr: '' })
  rmSync(join(root, '.acmcp'), { recursive: true })
  rmSync(join(root, 'generated'), { recursive: true })
  t.strictSame((await built(root)).status, 0)
  t.strictSame(
    outputs.map((path) => read(root, path)),
    first,
  )
  t.strictSame(acmcp(root, 'build', '--check'), { status: 0, stdout: '', stderr: '' })
})

t.test('the summary says what changed since the build before', async (t) => {
  const root = application(t)
  await built(root)
  const source = read(root, 'app/controllers/users.ts')
  write(
    root,
    'app/controllers/users.ts',
    source.replace('  /**\n', '  /** More.\n   * @get /more */\n  more(): string { return "" }\n\n  /**\n'),
  )
  t.equal(
    (await built(root)).stdout.split('\n').at(-2),
    '3 controllers, 6 routes (+1), 5 tools (+1), about 183 tokens (+17); 8 files written',
  )
})

t.test('--typecheck runs the tsc of the application, and its errors fail the build', async (t) => {
  const root = application(t)
  t.strictSame(await built(root, 'typecheck').then(({ status, stderr }) => [status, stderr]), [
    1,
    'acmcp: --typecheck: typescript is not installed: run `npm install --save-dev typescript`\n',
  ])
  rmSync(join(root, 'tsconfig.json'))
  symlinkSync(join(repository, 'node_modules/typescript'), join(root, 'node_modules/typescript'))
  t.strictSame(await built(root, 'typecheck').then(({ status, stderr }) => [status, stderr]), [
    1,
    'acmcp: --typecheck: there is no tsconfig.json\n',
  ])
  write(root, 'tsconfig.json', strictSettings)
  t.strictSame(await built(root, 'typecheck').then(({ status, stderr }) => [status, stderr]), [0, ''])
  write(root, 'app/wrong.ts', 'export const wrong: string = 1\n')
  const { status, stderr } = await built(root, 'typecheck')
  t.equal(status, 1)
  t.match(stderr, /^app\/wrong\.ts\(1,14\): error TS2322: /)
})

t.test('the bundle can be imported and holds everything that serving needs', async (t) => {
  const root = application(t)
  await built(root)
  const bundle = await import(pathToFileURL(join(root, '.acmcp/app.mjs')).href)
  t.strictSame(Object.keys(bundle).sort(), ['catalogue', 'codecs', 'config', 'mcpDigest', 'routes'])
  t.strictSame(
    bundle.routes.map(({ id }: { id: string }) => id),
    Object.keys(bundle.codecs),
  )
})

t.test('check shows what is stale as a diff and writes nothing', async (t) => {
  const root = application(t)
  t.equal((await built(root, 'check')).status, 1)
  t.notOk(existsSync(join(root, 'generated')) || existsSync(join(root, '.acmcp')))
  await built(root)
  const before = outputs.map((path) => read(root, path))
  write(
    root,
    'app/controllers/users.ts',
    read(root, 'app/controllers/users.ts').replace('Tells who', 'Says who'),
  )
  const { status, stdout } = await built(root, 'check')
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
  const { status, stderr } = await built(root)
  t.equal(status, 1)
  t.match(stderr, 'app/controllers/bad.ts:1:1 - error ACM105: Bad has tags of a controller')
  t.notOk(existsSync(join(root, 'generated')) || existsSync(join(root, '.acmcp')))
})

t.test('an edit by hand in mcp.yml is refused, and --overwrite discards it', async (t) => {
  const root = application(t)
  await built(root)
  const made = read(root, 'generated/mcp.yml')
  const edited = made.replace('Adds a note.', 'Adds a very good note.')
  write(root, 'generated/mcp.yml', edited)
  for (const args of [[], ['check']] as const) {
    const { status, stderr } = await built(root, ...args)
    t.equal(status, 1)
    t.match(stderr, 'notes_create.description belongs in the doc comment above app/controllers/notes.ts:25')
    t.equal(read(root, 'generated/mcp.yml'), edited)
  }
  t.equal((await built(root, 'overwrite')).status, 0)
  t.equal(read(root, 'generated/mcp.yml'), made)
})

t.test('a stale route table does not compile', async (t) => {
  const root = application(t)
  await built(root)
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
