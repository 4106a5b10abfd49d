/** `acmcp build --check --against`: what changed since a revision of git or in another folder, told to people, programs and
 *  pull requests. The real git, in repositories of one application. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { copiesOfBuilt, emptyFolder, type Ran, write } from '../support/built-app.ts'
import { acmcpIn } from '../support/here.ts'

t.setTimeout(240_000)

const controller = (members: string): string => `import { ApplicationController } from 'acmcp'
/**
 * Orders of the shop.
 *
 * @base /api/orders
 */
export class Orders extends ApplicationController {
${members}
}
`

const show = (summary: string, type: string): string => `  /**
   * ${summary}
   *
   * @get /
   */
  show(): ${type} {
    return { total: 1 }
  }
`
const add = (params: string): string => `  /**
   * Adds an order.
   *
   * @post /
   * @param name - of whom
   * @param count - how many
   */
  add(${params}): void {}
`

const before = controller(
  show('Tells the total.', '{ total: number; paid?: string }') +
    add('name: string').replace(/.*@param count.*\n/, ''),
)
const after = controller(
  show('Tells what all cost.', '{ total: number }') + add('name: string, count: number'),
)
const source = 'app/controllers/orders.ts'

const copyOf = copiesOfBuilt({ [source]: before })

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(
    'git',
    ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false', ...args],
    {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )

/** An application whose first build is committed as `main`, with what `change` writes beside it. */
async function repository(t: Test): Promise<string> {
  const root = await copyOf(t)
  write(root, '.gitignore', 'node_modules\n.acmcp\n')
  git(root, 'init', '--quiet', '--initial-branch=main')
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '--message=first')
  return root
}

const clock = (): number => Date.parse('2026-11-27T10:00:00Z')
const run = (cwd: string, ...args: readonly string[]): Promise<Ran> =>
  acmcpIn({ cwd, env: {}, clock }, ...args)
const check = async (cwd: string, ...args: readonly string[]): Promise<Ran> => {
  await run(cwd, 'build')
  return run(cwd, 'build', '--check', '--against', ...args)
}

const told = `tool orders_show
  texts CON060 description: What models read of a tool: title, description, keywords, examples. (HTTP, tools)
    - Tells the total.
    + Tells what all cost.
    app/controllers/orders.ts:13:3
`
const changes = `route GET /api/orders
  breaking CON021 paid: A property of an answer is gone. (HTTP, tools)
    - {"type":"string"}
    app/controllers/orders.ts:13:3
route POST /api/orders
  breaking CON010 count: What could be left out must be sent. (HTTP, tools)
    app/controllers/orders.ts:23:21
${told}2 breaking, 1 text
next version: 2.0.0 after 1.2.3: something breaks
`

t.test('what changed since a revision, where it stands, and who is hit', async (t) => {
  const root = await repository(t)
  t.same(await check(root, 'main'), { status: 0, stdout: 'no change of the contract\n', stderr: '' })
  write(root, source, after)
  t.same(await check(root, 'main'), { status: 1, stdout: changes, stderr: '' })
  t.same(await check(root, 'HEAD', '--fail', 'texts'), { status: 1, stdout: changes, stderr: '' })
})

t.test('--fail says from which class on a change fails', async (t) => {
  const root = await repository(t)
  write(root, source, before.replace('Tells the total.', 'Tells what all cost.'))
  const statuses = []
  for (const fail of ['breaking', 'dangerous', 'texts', 'any'])
    statuses.push([fail, (await check(root, 'main', '--fail', fail)).status])
  t.same(statuses, [
    ['breaking', 0],
    ['dangerous', 0],
    ['texts', 1],
    ['any', 1],
  ])
})

t.test('programs read one JSON document', async (t) => {
  const root = await repository(t)
  write(root, source, after)
  const { status, stdout } = await check(root, 'main', '--format', 'json')
  const { diagnostics, contract } = JSON.parse(stdout)
  t.same([status, diagnostics, contract.summary], [1, [], '2 breaking, 1 text'])
  t.same(contract.findings[1], {
    rule: 'CON010',
    class: 'breaking',
    flow: 'input',
    subject: 'POST /api/orders',
    kind: 'route',
    path: 'count',
    before: null,
    after: null,
    hits: ['HTTP', 'tools'],
    usedBy: [],
    at: { file: 'app/controllers/orders.ts', line: 23, column: 21 },
  })
})

t.test('a pull request gets annotations on the source lines, and a summary', async (t) => {
  const root = await repository(t)
  write(root, source, after)
  const { status, stdout } = await check(root, 'main', '--format', 'github', '--summary', 'summary.md')
  t.equal(status, 1)
  t.equal(
    stdout,
    `::error file=app/controllers/orders.ts,line=13,col=3,title=CON021::GET /api/orders paid: A property of an answer is gone (HTTP, tools)
::error file=app/controllers/orders.ts,line=23,col=21,title=CON010::POST /api/orders count: What could be left out must be sent (HTTP, tools)
::notice file=app/controllers/orders.ts,line=13,col=3,title=CON060::orders_show description: What models read of a tool: title, description, keywords, examples (HTTP, tools)
2 breaking, 1 text
`,
  )
  const summary = readFileSync(join(root, 'summary.md'), 'utf8')
  t.match(summary, /^## Contract: 2 breaking, 1 text\n\nNext version: 2\.0\.0 after 1\.2\.3/)
  t.match(summary, '| breaking | CON010 | POST /api/orders count: What could be left out must be sent')
})

const accepting = (until: string, at = 'POST /api/orders count'): string => `import { defineApp } from 'acmcp'
export const config: object = defineApp({
  contract: {
    accept: [{ rule: 'CON010', at: '${at}', until: '${until}', because: 'nobody sends orders yet' }],
  },
})
`

t.test('somebody answers for a change, until a day', async (t) => {
  const root = await repository(t)
  write(
    root,
    source,
    controller(
      show('Tells the total.', '{ total: number; paid?: string }') + add('name: string, count: number'),
    ),
  )
  write(root, 'app/config.ts', accepting('2026-11-27'))
  t.same(await check(root, 'main'), {
    status: 0,
    stdout: '1 accepted in app/config.ts\nno change of the contract\n',
    stderr: '',
  })
  write(root, 'app/config.ts', accepting('2026-11-26'))
  const late = await check(root, 'main')
  t.equal(late.status, 1)
  t.match(
    late.stdout,
    'note: app/config.ts:4: contract.accept of CON010 at POST /api/orders count ended on 2026-11-26',
  )
  write(root, source, before)
  write(root, 'app/config.ts', accepting('2027-01-01'))
  t.match(await check(root, 'main'), {
    status: 0,
    stdout: 'contract.accept of CON010 at POST /api/orders count matches nothing any more: remove it',
  })
})

t.test('a folder, a detached head, a shallow clone, a merge, a renamed folder', async (t) => {
  const root = await repository(t)
  const first = git(root, 'rev-parse', 'HEAD').trim()
  const other = emptyFolder(t)
  cpSync(join(root, 'generated'), join(other, 'generated'), { recursive: true })
  git(root, 'checkout', '--quiet', '-b', 'side')
  write(root, source, after)
  await run(root, 'build')
  git(root, 'commit', '--quiet', '--all', '--message=side')
  t.equal((await check(root, other)).stdout, changes, 'a folder')
  git(root, 'checkout', '--quiet', '--detach')
  t.equal((await check(root, first)).stdout, changes, 'a detached head')
  git(root, 'checkout', '--quiet', 'main')
  write(root, 'notes.txt', 'main went on')
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '--message=main')
  git(root, 'merge', '--quiet', '--no-edit', 'side')
  t.equal((await check(root, 'HEAD^1')).stdout, changes, 'a merge, against its first parent')
  t.equal((await check(root, 'HEAD^2')).stdout, 'no change of the contract\n', 'and against what was merged')
  const shallow = join(emptyFolder(t), 'clone')
  git(root, 'clone', '--quiet', '--depth=1', `file://${root}`, shallow)
  cpSync(join(root, 'node_modules'), join(shallow, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  t.same(await check(shallow, first), {
    status: 2,
    stdout: '',
    stderr: `acmcp: nothing to compare with: git knows no revision ${first}: fetch it first, as \`git fetch --depth 1 origin main\` does\n`,
  })
  git(shallow, 'fetch', '--quiet', '--depth=1', 'origin', first)
  t.equal((await check(shallow, 'FETCH_HEAD')).stdout, changes, 'once it is there')
})

t.test('an application in a folder of its repository, which was called otherwise', async (t) => {
  const root = await repository(t)
  const inner = join(root, 'apps/desk')
  mkdirSync(join(root, 'apps'))
  mkdirSync(inner)
  for (const name of ['app', 'generated', 'package.json', 'node_modules'])
    renameSync(join(root, name), join(inner, name))
  write(inner, source, after)
  const lost = await check(inner, 'main')
  t.same(
    [lost.status, lost.stderr],
    [2, 'acmcp: nothing to compare with: main has no apps/desk/generated/openapi.yml\n'],
  )
  t.equal((await check(inner, 'main:')).status, 1)
  t.match((await check(inner, 'main:.')).stdout, '2 breaking, 1 text')
})

t.test('what is no revision is refused, and no option of git', async (t) => {
  const root = await repository(t)
  const file = join(root, 'written')
  mkdirSync(join(root, 'older/generated'), { recursive: true })
  writeFileSync(join(root, 'older/generated/openapi.yml'), 'openapi: 3.0.3\n')
  writeFileSync(join(root, 'older/generated/mcp.yml'), '')
  for (const [reference, why] of [
    [`--output=${file}`, `"--output=${file}" is no revision of git and no folder`],
    ['nothing', 'git knows no revision nothing: fetch it first, as `git fetch --depth 1 origin main` does'],
    ['./nowhere', './nowhere has no generated/openapi.yml'],
    ['main:elsewhere', 'main has no elsewhere/generated/openapi.yml'],
    [
      './older',
      'the generated/openapi.yml of ./older is OpenAPI 3.0, which acmcp no longer writes or compares: build it there as 3.1, without --openapi',
    ],
    ['main:../../..', 'main has no ../../../generated/openapi.yml'],
    [
      '$(touch written)',
      'git knows no revision $(touch written): fetch it first, as `git fetch --depth 1 origin main` does',
    ],
  ] as const) {
    const ran = await run(root, 'build', '--check', `--against=${reference}`)
    t.same(ran, { status: 2, stdout: '', stderr: `acmcp: nothing to compare with: ${why}\n` }, reference)
  }
  t.notOk(existsSync(file))
  rmSync(join(root, '.git'), { recursive: true })
  t.match(await run(root, 'build', '--check', '--against', 'main'), {
    status: 2,
    stderr: 'this folder is in no repository of git',
  })
  t.match(await run(root, 'build', '--against', 'main'), {
    status: 1,
    stderr: '--against compares what a build would write',
  })
})

t.test('in a partial clone git fetches nothing, and runs no program that the clone names', async (t) => {
  const root = await repository(t)
  git(root, 'config', 'uploadpack.allowFilter', 'true')
  write(root, source, after)
  await run(root, 'build')
  git(root, 'commit', '--quiet', '--all', '--message=second')
  const partial = join(emptyFolder(t), 'clone')
  git(root, 'clone', '--quiet', '--filter=blob:none', `file://${root}`, partial)
  cpSync(join(root, 'node_modules'), join(partial, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  const ran = join(emptyFolder(t), 'ran')
  await run(partial, 'build')
  for (const [name, value] of [
    ['remote.origin.url', 'ssh://host.example/x'],
    ['core.sshCommand', `touch ${ran}; false`],
    ['core.gitProxy', `touch ${ran}`],
    ['remote.origin.uploadpack', `touch ${ran}; git-upload-pack`],
  ] as const) {
    git(partial, 'config', name, value)
    for (const url of [
      'ssh://host.example/x',
      'git://host.example/x',
      `file://${root}`,
      `ext::touch ${ran}`,
    ]) {
      git(partial, 'config', 'remote.origin.url', url)
      const { status, stderr } = await run(partial, 'build', '--check', '--against', 'HEAD^')
      t.strictSame([status, existsSync(ran)], [2, false], `${name}, ${url}`)
      t.match(stderr, 'in this partial clone: `git fetch --refetch --no-filter` brings all of it')
    }
  }
})

t.test('acmcp diff tells all of it, also what is compatible, and fails with nothing', async (t) => {
  const root = await repository(t)
  write(root, source, after.replace('count: number', 'count: number, more?: string'))
  const { status, stdout, stderr } = await run(root, 'diff')
  t.same([status, stderr], [0, ''])
  t.match(stdout, 'compatible CON082 more: Something more may be sent. (HTTP, tools)')
  t.match(
    stdout,
    /\n2 breaking, 1 text, 1 compatible\nnext version: 2\.0\.0 after 1\.2\.3: something breaks\n$/,
  )
  t.equal(
    JSON.parse((await run(root, 'diff', 'main', '--json')).stdout).summary,
    '2 breaking, 1 text, 1 compatible',
  )
})
