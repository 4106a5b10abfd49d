/** A store that answers and cannot be written: what the start, the probes and the commands say of it. */
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { openTestApp, type TestApp } from '../../../runtime/testing.ts'
import { openStore } from '../../support/whole-store.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { rejection } from '../support.ts'
import { folderOf, runStore } from './run-store.ts'

const main = join(process.cwd(), 'dist/cli/main.js')

async function readyz({ application }: TestApp): Promise<readonly [number, string]> {
  const { statusCode, body } = await application.server.inject('/readyz')
  return [statusCode, JSON.parse(body).status]
}

const ready = [200, 'ready']
const unwritable = [503, 'the store cannot be written']

/** A file may become so large, as if the disk were full. */
const limit = (bytes: string): unknown =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:unlimited`])

function canLimit(t: Test): boolean {
  if (spawnSync('prlimit', ['--version']).status === 0) {
    const ignore = (): void => {}
    process.on('SIGXFSZ', ignore) // then a write beyond the limit fails as one on a full disk does
    t.teardown(() => {
      limit('unlimited')
      process.off('SIGXFSZ', ignore)
    })
    return true
  }
  if (process.env.ACMCP_NOTHING_SKIPPED === '1') t.fail('prlimit (util-linux) is missing')
  t.comment('skipped: prlimit is missing')
  return false
}

t.test(
  'SQLite, full disk: not ready from the next look on, and ready again once there is room',
  async (t) => {
    if (!canLimit(t)) return
    const folder = folderOf(t)
    const url = `sqlite:${join(folder, 'full.db')}`
    let now = 1_800_000_000_000
    const open = (): Promise<TestApp> => openTestApp({ clock: () => now, environment: { databaseUrl: url } })
    const app = await open()
    t.strictSame(await readyz(app), ready)
    limit('8192')
    now += 4_999
    t.strictSame(await readyz(app), ready, 'found out at most every five seconds')
    now += 1_001
    t.strictSame(await readyz(app), unwritable)
    t.match(await rejection(open()), {
      name: 'BootError',
      message: /^the store cannot be written: .*full\.db: EFBIG: file too large/,
    })
    limit('unlimited')
    now += 6_000
    t.strictSame(await readyz(app), ready)
    t.strictSame(
      readdirSync(folder).filter((name) => name.endsWith('.probe')),
      [],
    )
    await app.close()
  },
)

t.test(
  'SQLite: a write that failed for what nobody can look at is tried again before it is ready',
  async (t) => {
    const path = join(folderOf(t), 'damaged.db')
    let now = 1_800_000_000_000
    const open = (): Promise<TestApp> =>
      openTestApp({ clock: () => now, environment: { databaseUrl: `sqlite:${path}` } })
    const first = await open()
    const { rows } = await sql<{ page: number; bytes: number }>`
    select rootpage as page, page_size as bytes from sqlite_master, pragma_page_size
    where name = 'acmcp_sizes'`.execute(first.application.store.database)
    await first.close()
    const { page, bytes } = rows[0] ?? { page: 0, bytes: 0 }
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(bytes, 0xff), 0, bytes, (page - 1) * bytes)
    closeSync(file)
    const app = await open()
    t.teardown(app.close)
    t.strictSame(await readyz(app), ready)
    const client = { id: 'c1', name: null, redirectUris: [], grantTypes: [], responseTypes: [] }
    await rejection(app.application.store.saveClient(client))
    now += 6_000
    t.strictSame(await readyz(app), unwritable)
  },
)

t.test('SQLite, locked by somebody who writes: ready at once, and nobody waits', async (t) => {
  const folder = folderOf(t)
  const app = await openTestApp({ environment: { databaseUrl: `sqlite:${join(folder, 'locked.db')}` } })
  t.teardown(app.close)
  const { store } = app.application
  const order: string[] = []
  const other = await openStore({
    url: `sqlite:${join(folder, 'locked.db')}`,
    clock: Date.now,
    migrations: null,
    migrate: 'refuse',
  })
  t.teardown(() => other.close())
  let written: Promise<unknown> = Promise.resolve()
  await store.database.transaction().execute(async () => {
    written = other
      .saveClient({ id: 'c1', name: null, redirectUris: [], grantTypes: [], responseTypes: [] })
      .then(() => order.push('written'))
    await store.probeWrite()
    t.strictSame(await readyz(app), ready)
    order.push('probed')
  })
  await written
  t.strictSame(order, ['probed', 'written'], 'whoever writes waits, the probe does not')
})

const isRoot = process.getuid?.() === 0

/** Root without the right to pass over permissions: what root owns is read as by everybody else, also below a folder that only root may enter. */
const withoutOverride = [
  'setpriv',
  '--bounding-set=-dac_override,-dac_read_search',
  '--inh-caps=-dac_override,-dac_read_search',
]

/** False where permissions would hold root back from nothing. */
function canHoldBack(t: Test): boolean {
  if (!isRoot || spawnSync('setpriv', ['--version']).status === 0) return true
  if (process.env.ACMCP_NOTHING_SKIPPED === '1') t.fail('setpriv (util-linux) is missing')
  t.comment('skipped: setpriv is missing')
  return false
}

/** `acmcp`, run by a user whom permissions hold back. */
function acmcp(
  cwd: string,
  words: string,
  env: Readonly<Record<string, string>> = secrets,
): readonly [number | null, string] {
  const own = { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite:data/x.db', DEV_LOGIN: '1', ...env }
  const variables = Object.entries(own).map(([name, value]) => `${name}=${value}`)
  // `env -i`: Node and `tap` would pass on where coverage is written, which may be a folder that is held back too.
  const command = [...(isRoot ? withoutOverride : []), process.execPath, main, ...words.split(' ')]
  const { status, stdout, stderr } = spawnSync('env', ['-i', ...variables, ...command], {
    cwd,
    encoding: 'utf8',
  })
  return [status, stdout + stderr]
}

const secrets = {
  JWT_SECRET: randomBytes(32).toString('hex'),
  SESSION_SECRET: randomBytes(32).toString('hex'),
}

/** A folder with the example's build and a migrated store. */
async function folderWithStore(t: Test): Promise<string> {
  const folder = folderOf(t)
  await runStore(
    folder,
    { kind: 'migrate', json: false },
    { DATABASE_URL: `sqlite:${join(folder, 'data/x.db')}` },
  )
  const data = join(folder, 'data')
  for (const end of ['-wal', '-shm']) rmSync(join(data, `x.db${end}`), { force: true })
  t.teardown(() => chmodSync(data, 0o755))
  return folder
}

const refused = (why: string): readonly [number, string] => [1, `acmcp: ${why}\n`]

t.test('SQLite, a file that may only be read: the start says so, what only reads goes on', async (t) => {
  if (!canHoldBack(t)) return
  const folder = await folderWithStore(t)
  chmodSync(join(folder, 'data/x.db'), 0o444)
  const why = "the store cannot be written: data/x.db: EACCES: permission denied, access 'data/x.db'"
  t.strictSame(acmcp(folder, 'serve'), refused(why))
  t.equal(acmcp(folder, 'grants list')[0], 0)
})

t.test(
  'SQLite in a folder that may not be written: one line with the path, from every command',
  async (t) => {
    if (!canHoldBack(t)) return
    const folder = await folderWithStore(t)
    chmodSync(join(folder, 'data'), 0o555)
    const why =
      'the store is not available: data/x.db: attempt to write a readonly database: no file may be made in its folder'
    for (const command of ['serve', 'store status', 'store migrate', 'audit'])
      t.strictSame(acmcp(folder, command), refused(why), command)
    const [code, said] = acmcp(folder, 'serve', {})
    t.equal(code, 1)
    t.match(
      said,
      /^acmcp: a secret cannot be kept: EACCES: permission denied, open '.*\/data\/jwt_secret.txt.\d+'\n/,
    )
  },
)

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.teardown(() => server.stop())
  t.test('PostgreSQL that only reads: not ready, nor does a start get through; then both', async (t) => {
    const url = await server.freshDatabase()
    const admin = async (text: string): Promise<void> => {
      const connection = new pg.Client({ connectionString: url })
      await connection.connect()
      await connection.query(text).finally(() => connection.end())
    }
    const name = new URL(url).pathname.slice(1)
    const cut =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    let now = 1_800_000_000_000
    const open = (): Promise<TestApp> => openTestApp({ clock: () => now, environment: { databaseUrl: url } })
    const app = await open()
    t.teardown(app.close)
    const { store } = app.application
    t.strictSame(await readyz(app), ready)
    await admin(`alter database ${name} set default_transaction_read_only = on`)
    await admin(cut)
    await store.findUser('u').catch(() => null) // the news of the cut
    now += 6_000
    t.strictSame(await readyz(app), unwritable)
    t.match(await rejection(open()), {
      message: 'the store cannot be written: cannot execute INSERT in a read-only transaction',
    })
    await admin(`begin read write; alter database ${name} reset default_transaction_read_only; commit`)
    await admin(cut)
    await store.findUser('u').catch(() => null)
    now += 6_000
    t.strictSame(await readyz(app), ready)
    const { rows } = await store.database.transaction().execute(async () => {
      await store.probeWrite()
      return pgRows(url, 'select count(*)::int as kept from acmcp_revoked_tokens')
    })
    t.strictSame(rows, [{ kept: 0 }], 'a probe leaves nothing')
    await store.database.connection().execute(async () => {
      const other = new pg.Client({ connectionString: url })
      await other.connect()
      await other.query('begin; lock table acmcp_revoked_tokens in access exclusive mode')
      await store.probeWrite()
      t.pass('it waits for nobody who keeps the table locked')
      await other.end()
    })
  })
}

async function pgRows(url: string, text: string): Promise<pg.QueryResult> {
  const connection = new pg.Client({ connectionString: url })
  await connection.connect()
  return connection.query(text).finally(() => connection.end())
}
