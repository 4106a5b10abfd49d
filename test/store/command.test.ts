/** `acmcp store status|migrate|purge|backup`, through the real command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openStore } from '../support/whole-store.ts'
import { folderOf, type Ran, runStore, type StoreTask } from './care/run-store.ts'
import { postgresOrNotice } from './postgres-server.ts'
import { grant } from './support.ts'

async function acmcp(cwd: string, args: readonly string[], databaseUrl?: string): Promise<Ran> {
  const main = join(process.cwd(), 'dist/cli/main.js')
  const database = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
  const env = { PATH: process.env.PATH ?? '', ...database }
  const child = spawn(process.execPath, [main, ...args], { cwd, env })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  const [code] = await once(child, 'close')
  return { code: typeof code === 'number' ? code : null, out, err }
}

/** Of the core and of the capabilities, whoever's each part is: existing stores have them by these names. */
const namesOfMigrations = [
  ...[
    '0001_core',
    '0002_limits',
    '0003_prefix',
    '0004_allowed',
    '0005_additive',
    '0006_changes',
    '0007_audit',
  ],
  ...['0008_tasks', '0009_task_headers', '0010_paging', '0011_approvals', '0012_grant_terms'],
  ...['0013_idempotency_keys', '0014_sign_ins', '0015_used_once', '0016_leaving', '0017_session_sids'],
  ...['0018_enterprise', '0019_key_sources', '0020_refresh_retries', '0021_audit_batches'],
]
const migrations = [...namesOfMigrations.map((name) => `core ${name}`), 'app 001_notes']
const listed = (state: string): string => migrations.map((migration) => `  ${state}  ${migration}\n`).join('')
const pending = `${listed('pending')}${migrations.length} pending: run acmcp store migrate\n`
const current = `${listed('applied')}the schema is current\n`
const applied = `${migrations.map((migration) => `applied ${migration}\n`).join('')}the schema is current\n`

t.test('store status, migrate, purge and backup on SQLite', async (t) => {
  const folder = folderOf(t)
  const path = join(folder, 'data', 'acmcp.db')
  const title = `SQLite at sqlite:${path}\n`
  const seen = { code: 1, out: `${title}${pending}`, err: '' }
  t.strictSame(await acmcp(folder, ['store', 'status']), seen, 'as a process')
  t.strictSame(await runStore(folder, { kind: 'status', json: false }), seen)
  t.equal(existsSync(path), false, 'looking makes no file')
  const behind =
    'acmcp: the store is behind: run acmcp store migrate, or start once with acmcp serve --migrate\n'
  t.strictSame(await runStore(folder, { kind: 'purge' }), { code: 1, out: '', err: behind })
  t.strictSame(await runStore(folder, { kind: 'migrate', json: false }), { code: 0, out: applied, err: '' })
  t.strictSame(await runStore(folder, { kind: 'migrate', json: false }), {
    code: 0,
    out: 'the schema is current\n',
    err: '',
  })

  const now = Date.now()
  const options = { url: `sqlite:${path}`, clock: () => now, migrate: 'apply' } as const
  const opened = await openStore({ ...options, migrations: null })
  await opened.writeSession('s', {}, now - 61_000)
  await opened.issueCode(grant, { jti: 'c', expiresAt: now + 3_600_000 })
  await opened.close()

  const seenNow = { code: 0, out: `${title}${current}`, err: '' }
  t.strictSame(await runStore(folder, { kind: 'status', json: false }), seenNow)
  t.strictSame(await runStore(folder, { kind: 'purge' }), { code: 0, out: 'purged 1 rows\n', err: '' })
  const copy = join(folder, 'copy.db')
  t.strictSame(await runStore(folder, { kind: 'backup', file: copy }), {
    code: 0,
    out: `copied to ${copy}\n`,
    err: '',
  })
  t.strictSame(await runStore(folder, { kind: 'backup', file: copy }), {
    code: 1,
    out: '',
    err: `acmcp: ${copy} exists: it is not overwritten\n`,
  })
  const copied = { code: 0, out: `SQLite at sqlite:${copy}\n${current}`, err: '' }
  t.strictSame(
    await runStore(folder, { kind: 'status', json: false }, { DATABASE_URL: `sqlite:${copy}` }),
    copied,
  )
})

t.test('store check and store restore are gone: commander says so', async (t) => {
  const folder = folderOf(t)
  for (const [words, said] of [
    ['check', "error: unknown command 'check'"],
    ['restore copy.db', "error: unknown command 'restore'"],
  ] as const) {
    const { code, out, err } = await acmcp(folder, ['store', ...words.split(' ')])
    t.strictSame([code, out, err.split('\n')[0]], [2, '', said])
  }
})

t.test('store status, purge and backup need no build; migrate says that there is none', async (t) => {
  const folder = folderOf(t, false)
  const env = { DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
  await runStore(folderOf(t), { kind: 'migrate', json: false }, env)
  const note = 'there is no build here: nothing was asked of the migrations of the application'
  const { code, out, err } = await runStore(folder, { kind: 'status', json: true }, env)
  t.strictSame([code, err], [0, `acmcp: ${note}\n`])
  const { migrations: states, ...rest } = JSON.parse(out)
  t.strictSame(rest, { engine: 'SQLite', address: env.DATABASE_URL, isCurrent: true, note })
  t.strictSame(
    states.map(({ name }: { name: string }) => name),
    namesOfMigrations,
    'of the core alone',
  )
  t.equal((await runStore(folder, { kind: 'purge' }, env)).code, 0)
  t.equal((await runStore(folder, { kind: 'backup', file: join(folder, 'copy.db') }, env)).code, 0)
  t.match(await runStore(folder, { kind: 'migrate', json: false }, env), {
    code: 1,
    err: /there is no bundle at .*: run acmcp build/,
  })
})

t.test('store: the commands need DATABASE_URL alone, in production too', async (t) => {
  const folder = folderOf(t)
  const env = { NODE_ENV: 'production', PORT: 'none', DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
  t.strictSame(await runStore(folder, { kind: 'migrate', json: false }, env), {
    code: 0,
    out: applied,
    err: '',
  })
  t.notOk(existsSync(join(folder, 'data')), 'no secrets were made')
})

t.test('store: what cannot be done is one clear line and exit code 1', async (t) => {
  const folder = folderOf(t)
  const fails = async (task: StoreTask, url: string): Promise<string> => {
    const { code, out, err } = await runStore(folder, task, { DATABASE_URL: url })
    t.strictSame([code, out], [1, ''])
    return err
  }
  const status = { kind: 'status', json: false } as const
  const backup = { kind: 'backup', file: "a copy's.dump" } as const
  const unreachable = 'postgres://me:a-password@127.0.0.1:1/db'
  const refused = 'acmcp: the store is not available: connect ECONNREFUSED 127.0.0.1:1\n'
  t.equal(await fails(status, unreachable), refused)
  t.equal(
    await fails(backup, unreachable),
    `acmcp: PostgreSQL makes its own backups: pg_dump --format=custom --file='a copy'\\''s.dump' "$DATABASE_URL"\n`,
  )
  t.equal(await fails(status, 'mysql://x'), 'acmcp: DATABASE_URL must be sqlite:path or postgres://…\n')
  t.equal(await fails(backup, 'sqlite:nowhere.db'), 'acmcp: there is no store at sqlite:nowhere.db\n')
})

/** Exactly one of them made each change: a second one would have failed, for the tables were there. */
async function fourMigrateAtOnce(t: Test, url: string | undefined): Promise<void> {
  const folder = folderOf(t)
  const all = await Promise.all([1, 2, 3, 4].map(() => acmcp(folder, ['store', 'migrate'], url)))
  t.strictSame(
    all.map(({ code, err }) => [code, err]),
    [0, 0, 0, 0].map((code) => [code, '']),
  )
  const env = url === undefined ? {} : { DATABASE_URL: url }
  const { code, out } = await runStore(folder, { kind: 'status', json: false }, env)
  t.strictSame([code, out.split('\n').slice(1).join('\n')], [0, current])
  t.notMatch(out, /a-test-password/)
}

t.test('four processes migrate one SQLite file at once', (t) => fourMigrateAtOnce(t, undefined))

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.test('four processes migrate one PostgreSQL database at once', (t) => fourMigrateAtOnce(t, server.url))
  t.teardown(() => server.stop())
}
