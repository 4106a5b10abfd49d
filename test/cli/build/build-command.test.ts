import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { typecheck } from '../../../cli/build/build-if-changed.ts'
import { openTestApp } from '../../../runtime/testing.ts'
import { acmcp, built, folderOf, typeErrors, write } from '../support/built-app.ts'
import { acmcpHere } from '../support/here.ts'
import { shop } from '../support/memory-host.ts'

t.setTimeout(240_000)
const repository = process.cwd()

/** Without the types of browsers and of Node, which take longer to read than the application. */
const small = JSON.stringify({
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023'],
    types: [],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    noEmit: true,
  },
  include: ['app'],
})

/** One application for all tests, which follow each other: a build takes longer than everything else. */
const root = folderOf(t, { ...shop, 'tsconfig.json': small })

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

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

const made = (): readonly string[] => outputs.map(read)
const isEmpty = (): boolean => !existsSync(join(root, 'generated')) && !existsSync(join(root, '.acmcp'))

/** The file with another text, until the test ends. */
function change(
  t: { teardown(clean: () => void): void },
  path: string,
  edit: (text: string) => string,
): void {
  const before = existsSync(join(root, path)) ? read(path) : null
  t.teardown(() => (before === null ? rmSync(join(root, path)) : write(root, path, before)))
  write(root, path, edit(before ?? ''))
}

const users = 'app/controllers/users.ts'
const notes = 'app/controllers/notes.ts'
const wroteAll = outputs.map((path) => `wrote ${path}\n`).join('')
const counts = '3 controllers, 5 routes, 4 tools, about 165 tokens'

t.test('nothing is written by --check, and nothing when there is an error', async (t) => {
  t.equal((await built(root, 'check')).status, 1)
  t.ok(isEmpty())
  change(t, 'app/controllers/bad.ts', () => 'export class Bad {\n  /** @get / */\n  show(): void {}\n}\n')
  const { status, stderr } = await built(root)
  t.equal(status, 1)
  t.match(stderr, 'app/controllers/bad.ts:1:1 - error ACM105: Bad has tags of a controller')
  t.ok(isEmpty())
})

t.test(
  'spec, What the service does 6: build writes mcp.yml and the others, again the same bytes',
  async (t) => {
    t.strictSame(acmcp(root, 'build'), {
      status: 0,
      stdout: `${wroteAll}${counts}; 8 files written\nhidden from models: 1 route\n`,
      stderr: '',
    })
    const first = made()
    t.notMatch(first.join(''), root)
    t.strictSame(acmcp(root, 'build'), { status: 0, stdout: 'nothing changed\n', stderr: '' })
    for (const folder of ['.acmcp', 'generated']) rmSync(join(root, folder), { recursive: true })
    t.strictSame((await built(root)).status, 0)
    t.strictSame(made(), first)
  },
)

t.test('the bundle can be imported and holds everything that serving needs', async (t) => {
  const bundle = await import(pathToFileURL(join(root, '.acmcp/app.mjs')).href)
  t.strictSame(Object.keys(bundle).sort(), [
    'catalogue',
    'codecs',
    'config',
    'mcpDigest',
    'routes',
    'version',
  ])
  t.strictSame(
    bundle.routes.map(({ id }: { id: string }) => id),
    Object.keys(bundle.codecs),
  )
})

/** `acmcp build --check` in a process that may write nothing at all. */
function checkReadOnly(): {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
} {
  const isNew = process.allowedNodeEnvironmentFlags.has('--permission')
  const permission = [
    isNew ? '--permission' : '--experimental-permission',
    '--allow-fs-read=*',
    '--no-warnings',
  ]
  const node = [process.execPath, ...permission, join(repository, 'dist/cli/main.js'), 'build', '--check']
  // the runner of the tests loads code of its own into every process, which needs more permissions
  const { status, stdout, stderr } = spawnSync('env', ['-u', 'NODE_OPTIONS', ...node], {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

t.test('--check agrees or shows a diff, and works where nothing may be written', async (t) => {
  const noImports = 'acmcp: imports were not checked: --allow-child-process is not given\n'
  rmSync(join(root, '.acmcp/build.json')) // else nothing is looked at
  t.strictSame(checkReadOnly(), { status: 0, stdout: '', stderr: noImports })
  const before = made()
  change(t, users, (text) => text.replace('Tells who', 'Says who'))
  const { status, stdout, stderr } = checkReadOnly()
  t.strictSame(
    [status, stderr],
    [
      1,
      `${noImports}acmcp: generated files are stale: run \`acmcp build\` and commit them\nacmcp explain ACM303 tells more\n`,
    ],
  )
  t.match(stdout, /-\s+summary: Tells who is signed in\.\n\+\s+summary: Says who is signed in\./)
  t.strictSame(made(), before)
})

t.test('to other programs stale files and errors of the bundler are diagnostics too', async (t) => {
  change(t, 'generated/paths.ts', () => '')
  t.strictSame(await built(root, 'check', 'github'), {
    status: 1,
    stdout:
      '::error file=generated/paths.ts,line=1,col=1,title=ACM303::generated/paths.ts is stale%0ARun `acmcp build` and commit what it writes.\n',
    stderr: '',
  })
  change(
    t,
    'app/config.ts',
    () => `import { none } from './none.ts'\nexport const config: object = { none }\n`,
  )
  t.strictSame(await built(root), {
    status: 1,
    stdout: '',
    stderr: `app/config.ts:1:22 - error ACM301: Could not resolve "./none.ts"
  1 | import { none } from './none.ts'
    |                      ^
  The message is of esbuild, which makes the bundle: correct the import or the syntax.
1 error
acmcp explain ACM301 tells more
`,
  })
})

t.test('decisions, mcp.yml: an edit by hand is refused, and --overwrite discards it', async (t) => {
  const right = read('generated/mcp.yml')
  const edited = right.replace('Adds a note.', 'Adds a very good note.')
  write(root, 'generated/mcp.yml', edited)
  for (const args of [[], ['check']] as const) {
    const { status, stderr } = await built(root, ...args)
    t.strictSame(
      [status, stderr],
      [
        1,
        `generated/mcp.yml:6:1 - error ACM302: generated/mcp.yml was edited by hand from here on
  6 |   - name: notes
    | ^
  It is generated: change the doc comment, or the text in app/config.ts, and build with --overwrite.
1 error
acmcp explain ACM302 tells more
`,
      ],
    )
    t.equal(read('generated/mcp.yml'), edited)
  }
  t.equal((await built(root, 'overwrite')).status, 0)
  t.equal(read('generated/mcp.yml'), right)
})

t.test('the line ends that git makes at a checkout are no edit', async (t) => {
  const paths = ['mcp.yml', 'openapi.yml', 'paths.ts', 'routes.ts'].map((name) => `generated/${name}`)
  const right = paths.map(read)
  const windows = right.map((text) => text.replaceAll('\n', '\r\n'))
  for (const [index, path] of paths.entries()) write(root, path, windows[index] ?? '')
  const said = [await built(root), await built(root, 'check')]
  rmSync(join(root, '.acmcp/build.json'))
  said.push(await built(root, 'check'), await built(root))
  t.strictSame(
    said.map(({ status, stderr }) => [status, stderr]),
    said.map(() => [0, '']),
  )
  t.equal(said[0]?.stdout, 'nothing changed\n')
  t.strictSame(paths.map(read), windows, 'they are left as they are')
  const app = await openTestApp({ cwd: root })
  await app.close()
  for (const [index, path] of paths.entries()) write(root, path, right[index] ?? '')
})

t.test('a terminal sees how far the build is, and the summary says what changed', async (t) => {
  change(t, users, (text) =>
    text.replace('  /**\n', '  /** More.\n   * @get /more */\n  more(): string { return "" }\n\n  /**\n'),
  )
  const lines: string[] = []
  const { stdout } = await built(root, { progress: (line: string) => void lines.push(line) })
  t.equal(
    stdout.split('\n').at(-3),
    '3 controllers, 6 routes (+1), 5 tools (+1), about 182 tokens (+17); 8 files written',
  )
  t.strictSame(lines, ['reading the controllers', '', 'bundling', ''])
})

t.test(
  'acmcp build: the routes that are no tools are named with their reasons, hidden ones counted',
  async (t) => {
    const route = (tags: string, code: string): string =>
      `  /**\n   * Does it.\n   *\n   * ${tags}\n   */\n  ${code}\n`
    change(
      t,
      'app/controllers/files.ts',
      () => `import { Controller, type UploadedFile } from 'acmcp'
/** Files. */
export class Files extends Controller {
${route('@post /', 'add(file: UploadedFile): string { return file.name }')}
${route('@put /maybe', 'put(file?: UploadedFile): string { return String(file) }')}
${route('@get /news', 'async *news(): AsyncIterable<{ id: string }> { yield { id: "" } }')}
${route('@websocket /talk', 'talk(socket: object): void { void socket }')}
${route('@get /own\n   * @mcp hide', 'own(): string { return "" }')}
}
`,
    )
    t.equal(
      (await built(root)).stdout.split('\n').at(-2),
      'no tools: POST /files/ (takes a file), GET /files/news (a stream), GET /files/talk (a WebSocket); hidden from models: 2 routes',
    )
  },
)

t.test('uploads: a filter may read one, and the table compiles', async (t) => {
  const scans = folderOf(t, {
    'app/config.ts': `import { defineApp } from 'acmcp'\nexport const config = defineApp({})\n`,
    'app/controllers/scans.ts': `import { Controller, type UploadedFile } from 'acmcp'
/** Scans. */
export class Scans extends Controller {
  size = 0
  /** @filter before */
  look(scan?: UploadedFile): void { this.size = scan?.size ?? -1 }
  /**
   * Adds one.
   *
   * @post /
   * @param title - of it
   */
  add(title: string): { title: string; size: number } { return { title, size: this.size } }
}
`,
  })
  t.equal((await built(scans)).status, 0)
  t.equal(typeErrors(scans), '')
  const app = await openTestApp({ cwd: scans })
  t.teardown(() => app.close())
  const scan = { filename: 'a.png', content: 'four' }
  const answer = await app.client().upload('/scans', { title: 'A letter', scan })
  t.strictSame([answer.statusCode, answer.json()], [200, { title: 'A letter', size: 4 }])
})

t.test('a stale route table does not compile', async (t) => {
  await built(root)
  const text = read(notes)
  change(t, 'tsconfig.json', (settings) => settings) // typeErrors writes its own
  t.equal(typeErrors(root), '')
  const changes = {
    'index(limit: Int32 = 20)': 'index(limit: Int32, more: string)',
    'create(note: Body<NewNote>): Note { return { id: 1n, text: note.text,':
      "create(): Note { return { id: 1n, text: '',",
    'remove(id': 'erase(id',
  }
  let changed = text
  for (const [from, to] of Object.entries(changes)) {
    t.ok(changed.includes(from), from)
    changed = changed.replace(from, to)
  }
  write(root, notes, changed)
  const lines = [...typeErrors(root).matchAll(/generated\/routes\.ts\((\d+),.*error/g)]
  t.equal(new Set(lines.map(([, line]) => line)).size, 3, 'a parameter more, one less, another name')
  write(root, notes, text)
})

t.test('--typecheck runs the tsc of the application, and its errors fail the build', async (t) => {
  const reported: string[] = []
  const check = (): Promise<0 | 1> =>
    typecheck({ cwd: root, colour: false, warn: (line) => void reported.push(line) })
  t.equal(await check(), 1)
  symlinkSync(join(repository, 'node_modules/typescript'), join(root, 'node_modules/typescript'))
  rmSync(join(root, 'tsconfig.json'))
  t.equal(await check(), 1)
  t.strictSame(reported.splice(0), [
    'acmcp: --typecheck: typescript is not installed: run `npm install --save-dev typescript@6.0`',
    'acmcp: --typecheck: there is no tsconfig.json: the README of acmcp has one to begin with',
  ])
  write(root, 'tsconfig.json', small)
  change(t, 'tsconfig.json', () => small.replace('"app"', '"app","generated"'))
  change(t, 'generated/routes.ts', () => 'export const stale: string = 1\n')
  const { status: mended, stderr: said } = await built(root, 'typecheck')
  t.strictSame([mended, said], [0, ''], '--typecheck: it reads the table that this build writes')
  change(t, 'app/wrong.ts', () => 'export const wrong: string = 1\n')
  const { status, stderr } = await built(root, 'typecheck')
  t.equal(status, 1)
  t.match(stderr, /^app\/wrong\.ts\(1,14\): error TS2322: /)
})

t.test('unknown commands, arguments and flags exit 2 with help', async (t) => {
  for (const args of [['bild'], ['build', '--chek'], ['build', 'more'], ['serve', '--fast'], []]) {
    const { status, stderr } = await acmcpHere(repository, {}, ...args)
    t.equal(status, 2, args.join(' '))
    t.match(stderr, 'Usage: acmcp')
  }
  t.match(acmcp(repository, 'bild'), { status: 2, stderr: 'Usage: acmcp' })
  t.equal(acmcp(repository, '--help').status, 0)
})

t.test('serve without a build says so in one line', async (t) => {
  rmSync(join(root, '.acmcp'), { recursive: true })
  const { status, stderr } = acmcp(root, 'serve')
  t.equal(status, 1)
  t.match(stderr, /^acmcp: [^\n]+\n$/)
})
