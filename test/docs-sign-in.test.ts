/** The walk-through of templates/docs/sign-in.md, run as it stands against its own application: its lines end as the page shows. */
import { spawnSync } from 'node:child_process'
import t from 'tap'
import { built } from './cli/support/built-app.ts'
import { spawnServe, temporaryFolder } from './flow/support.ts'
import { linkPackages, stageFolder, writeStage } from './support/doc-apps.ts'
import { pages, stagesOf } from './support/doc-pages.ts'
import { freePort } from './support/free-port.ts'

t.test('the sign-in page, from the challenge to the revoked token', { timeout: 120_000 }, async (t) => {
  const page = pages().find(({ name }) => name === 'sign-in')
  const [stage] = page === undefined ? [] : stagesOf(page)
  if (page === undefined || stage === undefined) throw new Error('the page shows no application')
  const root = temporaryFolder()
  linkPackages(root)
  t.teardown(() => spawnSync('rm', ['-r', root]))
  const folder = stageFolder(root, page, 0)
  writeStage(folder, stage)
  t.equal((await built(folder)).status, 0)
  const port = await freePort()
  const served = await spawnServe(folder, { PORT: String(port), DEV_LOGIN: '1' })
  t.teardown(() => served.process.kill('SIGKILL'))

  const here = (text: string): string => text.replaceAll('localhost:3000', `localhost:${port}`)
  const from = page.blocks.findIndex(({ text }) => text.startsWith('BASE='))
  const walk = page.blocks.slice(from)
  const script = walk.filter(({ language }) => language === 'sh').map(({ text }) => here(text))
  t.ok(script.length >= 6)
  const { status, stdout } = spawnSync('bash', ['-euo', 'pipefail', '-c', script.join('')], {
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
