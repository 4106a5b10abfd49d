/** What three pages of the documentation walk through, done as they say, against their own applications. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import t, { type Test } from 'tap'
import { built } from './cli/support/built-app.ts'
import type { Files } from './cli/support/memory-host.ts'
import { typeErrorsOf } from './cli/support/type-check.ts'
import { workspaceOf } from './cli/support/workspaces/layout.ts'
import { spawnServe, temporaryFolder } from './flow/support.ts'
import { linkPackages, stageFolder, write, writeStage } from './support/doc-apps.ts'
import { type Page, pages, stagesOf } from './support/doc-pages.ts'
import { freePort } from './support/free-port.ts'

t.setTimeout(240_000)

interface BuiltPage {
  readonly page: Page
  /** Has `node_modules`, for folders of applications below. */
  readonly root: string
  readonly folder: string
}

function pageCalled(name: string): Page {
  const page = pages().find((item) => item.name === name)
  if (page === undefined) throw new Error(`there is no page ${name}`)
  return page
}

async function builtPage(t: Test, name: string): Promise<BuiltPage> {
  const page = pageCalled(name)
  const [stage] = stagesOf(page)
  if (stage === undefined) throw new Error(`${name} shows no application`)
  const root = temporaryFolder()
  linkPackages(root)
  t.teardown(() => spawnSync('rm', ['-r', root]))
  const folder = stageFolder(root, page, 0)
  writeStage(folder, stage)
  t.equal((await built(folder)).status, 0)
  return { page, root, folder }
}

t.test('the sign-in page, from the challenge to the revoked token', async (t) => {
  const { page, root, folder } = await builtPage(t, 'sign-in')
  const port = await freePort()
  const served = await spawnServe(folder, { PORT: String(port), DEV_LOGIN: '1' })
  t.teardown(() => served.process.kill('SIGKILL'))

  const here = (text: string): string => text.replaceAll('localhost:3000', `localhost:${port}`)
  const walk = page.blocks.slice(page.blocks.findIndex(({ text }) => text.startsWith('BASE=')))
  const scripts = walk.filter(({ language }) => language === 'sh').map(({ text }) => here(text))
  t.ok(scripts.length >= 6)
  const { status, stdout } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', scripts.join('')], {
    cwd: root,
    encoding: 'utf8',
  })
  t.equal(status, 0)
  const lines = stdout.split(/\r?\n/)
  for (const { language, text, at } of walk.filter(({ language }) => language !== 'sh')) {
    const shown = language === 'json' ? [JSON.stringify(JSON.parse(text))] : here(text).trim().split('\n')
    const start = lines.indexOf(shown[0] ?? '')
    t.strictSame(lines.slice(start, start + shown.length), shown, at)
  }
})

/** The files that a page shows below the root of a repository. */
const filesOf = ({ blocks }: Page): Files =>
  Object.fromEntries(
    blocks.filter(({ about }) => /^(apps|packages)\//.test(about)).map(({ about, text }) => [about, text]),
  )

t.test('the monorepos page: its files, its commands by npm, and its test from the root', async (t) => {
  const page = pageCalled('monorepos')
  const files = filesOf(page)
  const declared = {
    'apps/api': ['acmcp', '@acme/shared', '@types/node', 'typescript'],
    'packages/shared': ['acmcp', 'zod'],
  }
  const [ofApp, others] = [true, false].map((isApp) =>
    Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith('apps/') === isApp)),
  )
  const root = workspaceOf(t, { layout: 'npm', files: others ?? {}, declared })
  mkdirSync(join(root, 'node_modules/.bin'))
  const main = join(process.cwd(), 'dist/cli/main.js') // npm makes it executable when it installs it
  const starter = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`
  writeFileSync(join(root, 'node_modules/.bin/acmcp'), starter, { mode: 0o755 })
  const run = (at: string, script: string): void => {
    const options = { cwd: join(root, at), encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', script],
      options,
    )
    t.strictSame([status, stderr], [0, ''], script + stdout)
  }
  const [init, ...scripts] = page.blocks.filter(({ language }) => language === 'sh')
  t.ok(scripts.length > 0)
  run('', init?.text ?? '')
  for (const [path, text] of Object.entries(ofApp ?? {})) write(root, path, text)
  for (const { text } of scripts) run('', text)
  const steps = page.blocks
    .filter(({ language }) => language === 'dockerfile')
    .flatMap(({ text }) => [...text.matchAll(/^RUN (npx acmcp .*)$/gm)])
  t.ok(steps.length > 0)
  for (const [, step = ''] of steps) run('apps/api', step)
  t.equal(typeErrorsOf(join(root, 'apps/api/tsconfig.json')), '')
  for (const path of Object.keys(files).filter((name) => name.endsWith('.test.ts'))) {
    const { code } = await transform(files[path] ?? '', { loader: 'ts' })
    const compiled = path.replace(/ts$/, 'mjs')
    write(root, compiled, code)
    run('', `${process.execPath} ${compiled}`)
  }
})

t.test(
  'the deploying page: the files that it names are enough, with its secrets and its migration',
  async (t) => {
    const { page, root, folder } = await builtPage(t, 'deploying')
    const deployed = join(root, 'srv')
    const named = [...page.text.matchAll(/^\| `([\w./]+)` \| (?:name|the bundle|`serve`)/gm)]
    t.strictSame(
      named.map(([, file]) => file),
      ['package.json', '.acmcp/', 'generated/'],
    )
    for (const [, file = ''] of named) cpSync(join(folder, file), join(deployed, file), { recursive: true })
    const secrets = page.blocks.find(({ text }) => text.startsWith('openssl rand'))?.text ?? ''
    t.equal(spawnSync('bash', ['-ec', secrets], { cwd: root }).status, 0)
    const port = await freePort()
    const env = {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      BASE_URL: 'https://api.example.org',
      DATABASE_URL: `sqlite:${join(root, 'state/acmcp.db')}`,
      JWT_SECRET_FILE: join(root, 'jwt_secret'),
      SESSION_SECRET_FILE: join(root, 'session_secret'),
    }
    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [join(process.cwd(), 'dist/cli/main.js'), ...args], {
        cwd: deployed,
        env: { PATH: process.env.PATH ?? '', ...env },
        encoding: 'utf8',
      })
    t.match(run('serve'), { status: 1, stderr: 'acmcp: the store is behind' })
    t.equal(run('store', 'migrate').status, 0)
    t.equal(run('store', 'backup', join(root, 'copy.db')).status, 0)
    const served = await spawnServe(deployed, env)
    t.teardown(() => served.process.kill('SIGKILL'))
    const health = await fetch(`http://127.0.0.1:${port}/health`)
    t.strictSame([health.status, await health.json()], [200, { status: 'ok' }])
    served.process.kill('SIGTERM')
    t.strictSame(await once(served.process, 'exit'), [0, null])
  },
)
