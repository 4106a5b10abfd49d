/** `acmcp init --example desk`: what it makes, and that it works. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectFiles } from '../../../cli/capabilities/init/project-files.ts'
import { acmcp, built, write } from '../support/built-app.ts'
import { emptyFolder, filesOf, init, manifest, works } from './made-project.ts'

t.test(
  'desk: --example desk is a help desk that builds without a warning and passes its tests',
  async (t) => {
    const root = join(emptyFolder(t), 'desk')
    const { status, stdout, stderr } = acmcp('.', 'init', root, '--example', 'desk')
    t.match({ status, stderr, stdout }, { status: 0, stderr: '', stdout: '  app/database/migrations.ts\n' })
    const { '.env': env, '.env.example': example, 'package.json': made } = filesOf(root)
    t.equal(env, example)
    t.match(env, 'DESK_ADMINS=dev:developer', 'its own settings come in place of those of every application')
    const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
    t.strictSame(JSON.parse(made ?? ''), {
      ...manifest('desk'),
      dependencies: { acmcp: '^0.1.0', kysely: dependencies.kysely, zod: devDependencies.zod },
    })
    await works(t, root)
    t.equal((await built(root, 'check')).status, 0)
  },
)

t.test('desk: its tour names every file, and no other', async (t) => {
  const tour = readFileSync('templates/docs/example-desk.md', 'utf8')
  const named = tour.match(/\b(app|test|testing)\/[\w./-]+\.\w+/g) ?? []
  const files = projectFiles('desk').map(({ path }) => path)
  const shown = files.filter((path) => /^(app|test|testing)\//.test(path))
  t.strictSame([...new Set(named)].sort(), shown)
})

t.test(
  'the help desk: git leaves out the folder of the database, and no folder of the application',
  async (t) => {
    const root = emptyFolder(t)
    await init(root, '--empty')
    spawnSync('git', ['init', '-q'], { cwd: root })
    const paths = ['data/acmcp.db', 'app/data/orders.ts', 'node_modules/a.js', '.env']
    const { stdout } = spawnSync('git', ['check-ignore', ...paths], { cwd: root, encoding: 'utf8' })
    t.strictSame(stdout.trim().split('\n'), ['data/acmcp.db', 'node_modules/a.js', '.env'])
  },
)

t.test('desk: an application that is there gets nothing of the desk', async (t) => {
  const root = emptyFolder(t)
  write(root, 'app/config.ts', '')
  t.equal((await init(root, '--example', 'desk')).status, 0)
  const { 'package.json': made, 'README.md': readme, '.env': env } = filesOf(root)
  t.strictSame(JSON.parse(made ?? '').dependencies, { acmcp: '^0.1.0' })
  t.equal(readme, undefined)
  t.notMatch(env, 'DESK_ADMINS')
})

t.test('desk: an unknown example is an error that lists the names', async (t) => {
  const root = emptyFolder(t)
  const { status, stdout, stderr } = await init(root, '--example', 'shop')
  t.match(
    { status, stdout, stderr },
    { status: 2, stdout: '', stderr: /argument 'shop' is invalid\. Allowed choices are notes, desk\./ },
  )
  t.strictSame(filesOf(root), {})
})
