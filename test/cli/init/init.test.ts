/** `acmcp init` through the command line: new projects, existing ones, and what it refuses. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { acmcp, write } from '../support/built-app.ts'
import { acmcpIn } from '../support/here.ts'
import { emptyFolder, filesOf, init, manifest, works } from './made-project.ts'

const next = (name: string): string => `next:
  npm install
  npm run dev
  then give http://localhost:3000/mcp to an MCP client, such as
    claude mcp add --transport http ${name} http://localhost:3000/mcp
`
const bothFiles = `  .dockerignore
  .env.example
  .gitattributes
  .github/workflows/acmcp.yml
  .gitignore
  AGENTS.md
  Dockerfile
  tsconfig.json
  .env
`

t.test('init: the example in an empty folder builds and passes its test', async (t) => {
  const root = emptyFolder(t)
  t.strictSame(acmcp(root, 'init', 'My Shop', '--yes'), {
    status: 0,
    stdout: `created in My Shop:
  package.json
  app/config.ts
  app/controllers/health.ts
  app/controllers/notes.ts
  app/controllers/users.ts
  app/notes-table.ts
  app/protected.ts
  test/notes.test.mjs
${bothFiles}${next('my-shop').replace('next:\n', 'next:\n  cd "My Shop"\n')}`,
    stderr: '',
  })
  const project = join(root, 'My Shop')
  t.strictSame(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')), manifest('my-shop'))
  const { '.env': env, '.env.example': example } = filesOf(project)
  t.equal(env, example)
  await works(t, project, { isFound: true })
})

t.test('init: --empty is one route; what is not a terminal is asked nothing', async (t) => {
  const root = join(emptyFolder(t), 'acmcp')
  t.equal((await init(process.cwd(), root, '--empty')).status, 0)
  t.match(
    readFileSync(join(root, 'Dockerfile'), 'utf8'),
    '\nHEALTHCHECK CMD ["node_modules/.bin/acmcp", "health"]\n',
    'no route of its own is asked',
  )
  t.strictSame(Object.keys(filesOf(root)), [
    '.dockerignore',
    '.env',
    '.env.example',
    '.gitattributes',
    '.github/workflows/acmcp.yml',
    '.gitignore',
    'AGENTS.md',
    'Dockerfile',
    'app/config.ts',
    'app/controllers/health.ts',
    'package.json',
    'test/health.test.mjs',
    'tsconfig.json',
  ])
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  t.equal(name, 'acmcp-app', 'npm installs no package into its namesake')
  const guide = readFileSync(join(root, 'AGENTS.md'), 'utf8')
  const [, sample = ''] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? []
  t.match(sample, '@base /api/books', 'the sample for coding agents')
  write(root, 'app/controllers/books.ts', sample)
  await works(t, root)
})

/** Runs the lines that begin with `npm pkg set`, as the user is told to. */
function setFields(root: string, stdout: string): void {
  for (const [line] of stdout.matchAll(/(?<=^ {2})npm pkg set .*$/gm))
    t.equal(spawnSync(line, { cwd: root, shell: true }).status, 0, line)
}

t.test(
  'init: after `npm init -y` the commands that it prints complete package.json, its type too',
  async (t) => {
    const root = emptyFolder(t)
    const scripts = { test: 'echo "Error: no test specified" && exit 1' }
    const old = { name: 'old', version: '1.0.0', license: 'ISC', type: 'commonjs', scripts }
    write(root, 'package.json', JSON.stringify(old, null, 2))
    const { status, stdout } = await init(root)
    t.equal(status, 0)
    t.match(
      stdout,
      `next:
  npm pkg set type=module "scripts.build=acmcp build" "scripts.dev=acmcp dev" "scripts.start=acmcp serve" "scripts.test=acmcp build && node --test" "scripts.version=acmcp build && git add generated"
  npm install "acmcp@^0.1.0"
  npm install -D "@types/node@^20.19.0" "typescript@~6.0.3"
  npm run dev
`,
    )
    t.strictSame(JSON.parse(filesOf(root)['package.json'] ?? ''), old, 'it is not edited')
    setFields(root, stdout)
    const { scripts: added, type } = JSON.parse(filesOf(root)['package.json'] ?? '')
    t.match({ scripts: added, type }, { scripts: Object(manifest('old')).scripts, type: 'module' })
    await works(t, root, { isChecked: true })
  },
)

t.test(
  'init: after npm install alone the type is set, and tests of the application in TypeScript run',
  async (t) => {
    const root = emptyFolder(t)
    write(root, 'package.json', '{ "dependencies": { "acmcp": "^0.1.0" } }')
    write(root, 'node_modules/other/index.js', '')
    const { status, stdout } = await init(root, '--example')
    t.equal(status, 0)
    t.notMatch(stdout, 'to do by hand')
    setFields(root, stdout)
    await works(t, root, { isChecked: true })
  },
)

t.test('init: a project of CommonJS keeps its type, and is told what to do', async (t) => {
  const root = emptyFolder(t)
  write(root, 'package.json', '{ "type": "commonjs" }')
  write(root, 'lib/index.js', "module.exports = require('node:fs')\n")
  const { status, stdout } = await init(root)
  t.equal(status, 0)
  t.match(
    stdout,
    'to do by hand:\n  package.json: "type" is "commonjs", but an application is ES modules: npm pkg set type=module, and rename .js files that call require to .cjs.',
  )
  t.equal(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).type, 'commonjs')
  await works(t, root)
})

t.test('init: an existing project keeps every byte, and is told what to do', async (t) => {
  const root = emptyFolder(t)
  const scripts = { dev: 'vite', test: 'vitest' }
  const dependencies = { typescript: '^5.9.0', acmcp: '0.0.9' }
  const old = { name: 'old', scripts, dependencies, more: [1] }
  const before = {
    'package.json': JSON.stringify(old, null, '\t').replaceAll('\n', '\r\n'),
    '.env': 'PORT=4000\n',
    '.gitignore': '/node_modules\ndata\n',
    'AGENTS.md': 'ours\n',
    'src/index.ts': 'export {}\n',
    'test/notes.test.mjs': '// ours\n',
    'tsconfig.json':
      '{ // settings\n  "compilerOptions": { "moduleResolution": "node10", },\n  "include": ["src"]\n}\n',
  }
  for (const [path, text] of Object.entries(before)) write(root, path, text)
  const added = `  npm pkg set type=module "scripts.build=acmcp build" "scripts.start=acmcp serve" "scripts.version=acmcp build && git add generated"
  npm install -D "@types/node@^20.19.0"
`
  t.strictSame(await init(root, '--yes', '--empty'), {
    status: 0,
    stdout: `created:
  app/config.ts
  app/controllers/health.ts
  test/health.test.mjs
  .dockerignore
  .env.example
  .gitattributes
  .github/workflows/acmcp.yml
  Dockerfile
there already, unchanged:
  .gitignore
  AGENTS.md
  tsconfig.json
  .env
  the script dev of package.json
  the script test of package.json
to do by hand:
  with "type": "module", rename .js files that call require to .cjs
  .gitignore: add .acmcp/, .env
  .env: add DEV_LOGIN=1 to sign in on this machine without an identity provider
  tsconfig.json: set "strict": true: the build reads types strictly
  tsconfig.json: set "allowImportingTsExtensions": true with "noEmit": true: imports end in .ts
  tsconfig.json: set "module": "nodenext" without another "moduleResolution": acmcp/testing is found by its exports
  tsconfig.json: set "types": ["node"]: the application runs on Node
  tsconfig.json: add "app" and "generated" to "include"
${next(basename(root).toLowerCase())
  .replace('  npm run dev', '  npx acmcp dev')
  .replace('  npm install\n', added)}`,
    stderr: '',
  })
  t.match(filesOf(root), before)
})

t.test('init: a second time, and in an application, nothing of it is written again', async (t) => {
  const root = emptyFolder(t)
  await init(root, '--example')
  rmSync(join(root, 'app/controllers/users.ts'))
  rmSync(join(root, 'AGENTS.md'))
  const { 'package.json': _, ...before } = filesOf(root)
  const again = await init(root, '--empty')
  t.match(again, { status: 0, stdout: /^created:\n {2}AGENTS.md\nthere already, unchanged:\n/ })
  const { 'AGENTS.md': guide, ...after } = filesOf(root)
  t.match(after, before)
  t.match(guide, '# Working on this application')
  t.notOk(existsSync(join(root, 'app/controllers/users.ts')), 'the application is the user’s own')
  const third = await init(root)
  t.match(
    third.stdout,
    /^nothing to add: all of it is there\nthere already, unchanged:\n {2}\.dockerignore\n/,
  )
  t.strictSame(filesOf(root), { ...after, 'AGENTS.md': guide })
})

t.test(
  'acmcp init stops: what cannot be written or understood is one line, and nothing is written',
  async (t) => {
    const root = emptyFolder(t)
    write(root, 'file', '')
    const refused = async (...args: readonly string[]): Promise<readonly unknown[]> => {
      const { status, stdout, stderr } = await init(root, ...args)
      return [status, stdout, stderr]
    }
    t.strictSame(await refused('file'), [1, '', `acmcp: ${root}/file is not a folder\n`])
    t.strictSame(await refused('file/shop'), [
      1,
      '',
      `acmcp: the folder ${root}/file/shop cannot be made (ENOTDIR: not a directory): look at its permissions, or name another folder\n`,
    ])
    for (const [text, message] of [
      ['[]', 'package.json is not an object'],
      ['{', /^acmcp: package.json is not JSON \(.+\)\n$/],
      ['{ "scripts": "none" }', 'package.json: scripts is not an object'],
    ] as const) {
      write(root, 'shop/package.json', text)
      const [status, stdout, stderr] = await refused('shop')
      t.match([status, stdout, stderr], [1, '', message])
      t.strictSame(filesOf(join(root, 'shop')), { 'package.json': text })
    }
    write(root, 'blocked/app', 'a file')
    t.strictSame(await refused('blocked'), [
      1,
      '',
      `acmcp: the folder ${root}/blocked/app/controllers cannot be made (ENOTDIR: not a directory): look at its permissions, or name another folder\n`,
    ])
    t.strictSame(filesOf(join(root, 'blocked')), { app: 'a file' })
  },
)

t.test(
  'init: a folder of the system that takes no file ends in a line too',
  { skip: process.platform === 'linux' ? false : 'it is /proc of Linux' },
  async (t) => {
    t.match(await init(process.cwd(), '/proc/acmcp'), {
      status: 1,
      stdout: '',
      stderr: /^acmcp: the folder \/proc\/acmcp cannot be made \(\w+: .+\): look at its permissions, .+\n$/,
    })
  },
)

t.test('init: bad usage is exit code 2', async (t) => {
  const root = emptyFolder(t)
  t.equal((await init(root, '--exampel')).status, 2)
  t.equal((await init(root, '--example', '--empty')).status, 2)
  t.equal((await init(root, 'a', 'b')).status, 2)
  t.strictSame(filesOf(root), {})
})

t.test('in a package of a workspace it says what belongs at the root of the repository', async (t) => {
  for (const [path, text, manager] of [
    ['package.json', '{"private":true,"workspaces":["apps/*"]}', 'npm'],
    ['pnpm-workspace.yaml', 'packages: [apps/*]\n', 'pnpm'],
  ] as const) {
    const root = emptyFolder(t)
    write(root, path, text)
    const { status, stdout } = await init(root, 'apps/api', '--yes')
    t.equal(status, 0)
    const lines = stdout.slice(stdout.indexOf('to do by hand:')).split('\n').slice(1, 3)
    const otherwise = manager === 'npm' ? '' : ', by pnpm in place of npm'
    t.strictSame(lines, [
      `  .github/workflows/acmcp.yml: move it to ../../.github/workflows/acmcp.yml, where GitHub looks for it, and let its steps run in apps/api${otherwise}`,
      '  Dockerfile: `npx acmcp docs monorepos` has one that installs from the lock file of the workspace',
    ])
    t.match(
      stdout,
      `\n  cd apps/api\n  ${manager} install\n  ${manager} run dev\n`,
      'the manager of the workspace',
    )
  }
})

t.test('a project is made for the package manager that ran the command', async (t) => {
  const root = emptyFolder(t)
  const made = async (agent: string, lock?: string): Promise<readonly string[]> => {
    const folder = `${agent}${lock ?? ''}`.replace(/\W/g, '-')
    mkdirSync(join(root, folder))
    if (lock !== undefined) write(root, `${folder}/yarn.lock`, lock)
    const context = { cwd: join(root, folder), env: { npm_config_user_agent: agent } }
    const { stdout } = await acmcpIn(context, 'init', '--yes', '--empty')
    const files = filesOf(join(root, folder))
    const installs = /^RUN (.*install.*|npm ci)$/m.exec(files.Dockerfile ?? '')?.[1] ?? ''
    const settings = files['pnpm-workspace.yaml'] ?? files['.yarnrc.yml'] ?? ''
    const { resolutions } = JSON.parse(files['package.json'] ?? '{}')
    return [
      ...(/^ {2}\w+ install$/m.exec(stdout) ?? []),
      installs,
      settings,
      JSON.stringify(resolutions) ?? '',
    ]
  }
  t.strictSame(await made('pnpm/11.2.0 npm/? node/v22.13.0 linux x64'), [
    '  pnpm install',
    'corepack enable && pnpm install --frozen-lockfile',
    'allowBuilds:\n  esbuild: true\n',
    '',
  ])
  t.strictSame(await made('yarn/4.9.0 npm/? node/v20.19.0 linux x64'), [
    '  yarn install',
    'corepack enable && yarn install --immutable',
    'nodeLinker: node-modules\n',
    '',
  ])
  t.strictSame(await made('yarn/1.22.22 npm/? node/v20.19.0 linux x64'), [
    '  yarn install',
    'yarn install --frozen-lockfile',
    '',
    '{"light-my-request":"~6.6.0"}',
  ])
  const npm = 'npm/10.8.2 node/v20.19.0 linux x64'
  t.strictSame(await made(npm), ['  npm install', 'npm ci', '', ''])
  const locks = ['# yarn lockfile v1\n', '__metadata:\n  version: 8\n', '# of touch\n'] // that of npx in a project of yarn
  t.strictSame(await Promise.all(locks.map(async (lock) => (await made(npm, lock))[1])), [
    'yarn install --frozen-lockfile',
    'corepack enable && yarn install --immutable',
    'corepack enable && yarn install --immutable',
  ])
})

t.test("--cwd that is no folder, and Yarn Plug'n'Play, are refused in one line", (t) => {
  const root = emptyFolder(t)
  write(root, 'pnp.cjs', "Object.defineProperty(process.versions, 'pnp', { value: '3' })")
  t.strictSame(acmcp(root, 'build', '--cwd', 'nowhere'), {
    status: 2,
    stdout: '',
    stderr: `acmcp: --cwd: there is no folder ${join(realpathSync(root), 'nowhere')}\n`,
  })
  const main = join(process.cwd(), 'dist/cli/main.js')
  const { status, stderr } = spawnSync(process.execPath, ['-r', './pnp.cjs', main, 'build'], {
    cwd: root,
    encoding: 'utf8',
  })
  t.equal(status, 1)
  t.match(
    stderr,
    /^acmcp: Yarn Plug'n'Play has no node_modules, .* `nodeLinker: node-modules` into \.yarnrc\.yml and run `yarn install`\n$/,
  )
  t.end()
})
