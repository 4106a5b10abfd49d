/** `acmcp users show`, `block`, `unblock` and `erase`, beside instances that serve the same store. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTestApp } from '../../runtime/testing.ts'
import { auditAt } from '../audit/support/vault.ts'
import { acmcpHere } from '../cli/support/here.ts'
import { temporaryFolder } from '../flow/support.ts'
import { builtFolder } from '../support/linked.ts'
import { openStore } from '../support/whole-store.ts'
import { builtTeam, dumpOf, freshStores, hooks, linesWith, secrets, status, withoutAudit } from './team.ts'

t.setTimeout(240_000)

const engines = await freshStores(t)
const ada = { id: 'dev:subject-88', name: 'Ada', email: 'ada@example.com' }
const variables = (url: string): Record<string, string> => ({
  DATABASE_URL: url,
  JWT_SECRET: secrets.jwtSecrets.join(),
  SESSION_SECRET: secrets.sessionSecrets.join(),
  DEV_LOGIN: '1',
})

for (const [engine, url] of Object.entries(engines)) {
  t.test(`${engine}, users: block, unblock and erase, as text and as JSON`, async (t) => {
    const databaseUrl = await url()
    const cwd = await builtTeam()
    const app = await openTestApp({ cwd, environment: { databaseUrl, ...secrets } })
    t.teardown(() => app.close())
    const erased: string[] = []
    hooks.erase = async ({ id }) => void erased.push(id)
    const token = await app.accessToken(ada)
    const users = async (words: string) => {
      const {
        status: code,
        stdout,
        stderr,
      } = await acmcpHere(cwd, variables(databaseUrl), 'users', ...words.split(' '))
      return { code, out: stdout, err: stderr }
    }
    const shown = async () => JSON.parse((await users(`show ${ada.id} --json`)).out)
    t.match(await shown(), { ...ada, blockedAt: null, isBeingErased: false, attributes: null })
    t.strictSame(await users(`block ${ada.id}`), { code: 0, out: `${ada.id} is blocked\n`, err: '' })
    t.equal(await status(app.client().withBearer(token)), 401)
    t.match(await shown(), { blockedAt: /^20/ })
    t.match((await users(`show ${ada.id}`)).out, /\tblocked 20\S+Z\n$/)
    t.match((await users('list')).out, new RegExp(`^${ada.id}.*\t20\\S+Z$`, 'm'))
    t.strictSame(await users(`unblock ${ada.id} --json`), {
      ...{ code: 0, out: `{"user":"${ada.id}","blocked":false}\n`, err: '' },
    })
    const none = { code: 1, out: '', err: 'acmcp: there is no user dev:none\n' }
    for (const word of ['show', 'block', 'unblock', 'erase', 'erase --dry-run'])
      t.strictSame(await users(`${word} dev:none`), none, word)
    const before = withoutAudit(await dumpOf(app.application.store))
    const counted = JSON.parse((await users(`erase ${ada.id} --dry-run --json`)).out)
    t.match(counted, { dryRun: true, grants: 1, tasks: 0 })
    t.equal(withoutAudit(await dumpOf(app.application.store)), before)
    t.match(await users(`erase ${ada.id}`), {
      ...{
        code: 0,
        err: '',
        out: /^erased: the user, and\n {2}0 sessions\n {2}1 connections\n {2}0 tasks\n/,
      },
    })
    t.strictSame(erased, [ada.id])
    t.strictSame(linesWith(await dumpOf(app.application.store), ['subject-88', 'ada@example']), [])
    const events = (await auditAt(databaseUrl)).filter(({ event }) => /block|erasure/.test(event))
    t.match(
      events.map(({ event, user, detail }) => [event, user, detail]),
      [
        ['block', /^erased-/, null],
        ['unblock', /^erased-/, null],
        ['erasure', /^erased-/, { by: 'operator', grants: 1 }],
      ],
    )
  })
}

const dying = `import { existsSync, writeFileSync } from 'node:fs'
import { defineApp } from 'acmcp'

export const config = defineApp({
  onErase: (user) => {
    const file = process.env.LEFT ?? ''
    const isFirst = !existsSync(file)
    writeFileSync(file, user.id, { flag: 'a' })
    if (isFirst) process.kill(process.pid, 'SIGKILL')
  },
})
`

t.test('users erase: a process that is killed after onErase is followed by the next command', async (t) => {
  const cwd = await builtFolder({
    'package.json': '{"name":"dying","version":"1.0.0","private":true,"type":"module"}',
    'app/config.ts': dying,
    'app/controllers/notes.ts': `import { Controller } from 'acmcp'
/** Notes. */
export class Notes extends Controller {
  /** @get /notes */
  list(): string[] { return [] }
}
`,
  })
  const folder = temporaryFolder()
  const databaseUrl = `sqlite:${join(folder, 'a.db')}`
  const store = await openStore({ url: databaseUrl, clock: Date.now, migrations: {}, migrate: 'apply' })
  t.teardown(() => store.close())
  await store.saveSignIn(ada, '{"phone":"5550188"}', Date.now())
  const env = { ...variables(databaseUrl), LEFT: join(folder, 'left') }
  const main = join(process.cwd(), 'dist/cli/main.js')
  const erase = () =>
    spawnSync(process.execPath, [main, 'users', 'erase', ada.id], {
      ...{ cwd, encoding: 'utf8', env: { PATH: process.env.PATH, ...env } },
    })
  const killed = erase()
  t.strictSame([killed.signal, killed.stderr], ['SIGKILL', ''])
  t.ok(existsSync(env.LEFT))
  t.match(await store.findStanding(ada.id), { erasedAs: /^erased-/ })
  t.equal(await store.findUser(ada.id), null)
  const again = erase()
  t.match(again, { status: 0, stdout: /^erased: / })
  t.equal(await store.findStanding(ada.id), null)
  t.strictSame(linesWith(await dumpOf(store), ['subject-88', '5550188']), [])
})
