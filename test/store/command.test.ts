/** Issue 5: `acmcp store status|migrate|purge|backup`, through the real command line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { store } from '../../cli/commands/store.ts'
import { openStore } from '../../runtime/store/open.ts'
import { postgresOrNotice } from './postgres-server.ts'
import { grant } from './support.ts'

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** An application's folder with the example's build. */
function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-command-'))
  for (const name of ['.acmcp', 'generated']) symlinkSync(join(process.cwd(), name), join(folder, name))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

/** The command in this process: what `acmcp store` does once its arguments are read. */
async function inProcess(cwd: string, args: readonly string[], databaseUrl?: string): Promise<Ran> {
  const [task = '', file] = args
  let out = ''
  let err = ''
  const code = await store(task, {
    cwd,
    env: databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl },
    ...(file === undefined ? {} : { file }),
    print: (line) => {
      out += `${line}\n`
    },
    warn: (line) => {
      err += `${line}\n`
    },
  })
  return { code, out, err }
}

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

const pending = `  pending  core 0001_core
  pending  core 0002_limits
  pending  core 0003_prefix
  pending  core 0004_allowed
  pending  app 001_notes
5 pending: run acmcp store migrate
`
const current = `${pending.replaceAll('pending  ', 'applied  ').split('\n').slice(0, 5).join('\n')}
the schema is current
`
const applied = `applied core 0001_core
applied core 0002_limits
applied core 0003_prefix
applied core 0004_allowed
applied app 001_notes
the schema is current
`
const rows = (counts: readonly number[]): string =>
  ['users', 'clients', 'grants', 'tokens', 'revoked_tokens', 'sessions', 'shared_counts']
    .map((table, i) => `  acmcp_${table}: ${counts[i] ?? 0}\n`)
    .join('')

t.test('store status (tables by their own names), migrate, purge and backup on SQLite', async (t) => {
  const folder = folderOf(t)
  const path = join(folder, 'data', 'acmcp.db')
  const title = `SQLite at sqlite:${path}\n`
  const seen = { code: 1, out: `${title}${pending}`, err: '' }
  t.strictSame(await acmcp(folder, ['store', 'status']), seen, 'as a process')
  t.strictSame(await inProcess(folder, ['status']), seen)
  t.equal(existsSync(path), false, 'looking makes no file')
  const behind =
    'acmcp: the store is behind: run acmcp store migrate, or start once with acmcp serve --migrate\n'
  t.strictSame(await inProcess(folder, ['purge']), { code: 1, out: '', err: behind })
  t.strictSame(await inProcess(folder, ['migrate']), { code: 0, out: applied, err: '' })
  t.strictSame(await inProcess(folder, ['migrate']), {
    code: 0,
    out: 'the schema is current\n',
    err: '',
  })

  const now = Date.now()
  const options = { url: `sqlite:${path}`, clock: () => now, migrate: 'apply' } as const
  const migrations = { '001_notes': { up: async () => {} } } // has run
  const opened = await openStore({ ...options, migrations })
  await opened.writeSession('s', {}, now - 61_000)
  await opened.issueCode(grant, { jti: 'c', expiresAt: now + 3_600_000 })
  await opened.close()

  const before = await inProcess(folder, ['status'])
  t.strictSame(
    { ...before, out: before.out.replace(/row: (\d+) s/, (_, age) => `row: ${Number(age) >= 61}`) },
    { code: 0, out: `${title}${current}${rows([0, 0, 1, 1, 0, 1])}oldest expired row: true\n`, err: '' },
  )
  t.strictSame(await inProcess(folder, ['purge']), { code: 0, out: 'purged 1 rows\n', err: '' })
  const copy = join(folder, 'copy.db')
  t.strictSame(await inProcess(folder, ['backup', copy]), {
    code: 0,
    out: `copied to ${copy}\n`,
    err: '',
  })
  t.strictSame(await inProcess(folder, ['backup', copy]), {
    code: 1,
    out: '',
    err: `acmcp: ${copy} exists: it is not overwritten\n`,
  })
  t.strictSame(await inProcess(folder, ['status'], `sqlite:${copy}`), {
    code: 0,
    out: `SQLite at sqlite:${copy}\n${current}${rows([0, 0, 1, 1])}oldest expired row: none\n`,
    err: '',
  })
})

t.test('findings, store: the commands need DATABASE_URL alone, in production too', async (t) => {
  const folder = folderOf(t)
  let out = ''
  const env = { NODE_ENV: 'production', PORT: 'none', DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
  const print = (line: string): void => {
    out += `${line}\n`
  }
  t.equal(await store('migrate', { cwd: folder, env, print, warn: print }), 0)
  t.equal(out, applied)
  t.notOk(existsSync(join(folder, 'data')), 'no secrets were made')
})

t.test('store: what cannot be done is one clear line and exit code 1', async (t) => {
  const folder = folderOf(t)
  const fails = async (args: readonly string[], url: string): Promise<string> => {
    const { code, out, err } = await inProcess(folder, [...args], url)
    t.strictSame([code, out], [1, ''])
    return err
  }
  const unreachable = 'postgres://me:a-password@127.0.0.1:1/db'
  t.equal(
    await fails(['status'], unreachable),
    'acmcp: the store is not available: connect ECONNREFUSED 127.0.0.1:1\n',
  )
  t.equal(
    await fails(['backup'], unreachable),
    'acmcp: acmcp store backup copies SQLite files: use pg_dump for PostgreSQL\n',
  )
  t.equal(await fails(['status'], 'mysql://x'), 'acmcp: DATABASE_URL must be sqlite:path or postgres://…\n')
  t.equal(await fails(['backup'], 'sqlite:nowhere.db'), 'acmcp: there is no store at sqlite:nowhere.db\n')
})

/** Exactly one of them made each change: a second one would have failed, for the tables were there. */
async function fourMigrateAtOnce(t: Test, url: string | undefined): Promise<void> {
  const folder = folderOf(t)
  const all = await Promise.all([1, 2, 3, 4].map(() => acmcp(folder, ['store', 'migrate'], url)))
  t.strictSame(
    all.map(({ code, err }) => [code, err]),
    [0, 0, 0, 0].map((code) => [code, '']),
  )
  const { code, out } = await acmcp(folder, ['store', 'status'], url)
  t.strictSame(
    [code, out.split('\n').slice(1).join('\n')],
    [0, `${current}${rows([])}oldest expired row: none\n`],
  )
  t.notMatch(out, /a-test-password/)
}

t.test('four processes migrate one SQLite file at once', (t) => fourMigrateAtOnce(t, undefined))

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.test('four processes migrate one PostgreSQL database at once', (t) => fourMigrateAtOnce(t, server.url))
  t.teardown(() => server.stop())
}
