/** The store on SQLite: the contract, and what only a file can show. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { StoreBehind } from '../../runtime/store/migrations/migration-errors.ts'
import { StoreAddressError } from '../../runtime/store/store.ts'
import { openStore } from '../support/whole-store.ts'
import { storeContract } from './contract.ts'
import { code, grant, notes, openedAt, pair, rejection, start } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'acmcp-store-'))
t.teardown(() => rmSync(folder, { recursive: true }))
let databases = 0
const freshPath = (): string => join(folder, `data-${databases++}`, 'store.db')

await storeContract(t, 'SQLite', async () => `sqlite:${freshPath()}`)

/** How many transactions the write-ahead log holds: frames that carry the size of the database end one. A frame is 24
 *  bytes and a page; frames of an older generation have another salt. Source: SQLite, file format, 4. */
function commitsIn(log: string): number {
  const bytes = readFileSync(log)
  const frame = 24 + bytes.readUInt32BE(8)
  const salt = bytes.toString('hex', 16, 24)
  let commits = 0
  for (let at = 32; at + frame <= bytes.length; at += frame) {
    if (bytes.toString('hex', at + 8, at + 16) === salt && bytes.readUInt32BE(at + 4) > 0) commits += 1
  }
  return commits
}

t.test(
  'efficiency: an exchange is one durable commit; a refusal and a checked bearer are none',
  async (t) => {
    const path = freshPath()
    const { store } = await openedAt(`sqlite:${path}`, t)
    await store.saveUser({ id: 'u', name: 'U', email: null })
    await store.issueCode(grant, code)
    const during = async (work: () => Promise<unknown>): Promise<number> => {
      const before = commitsIn(`${path}-wal`)
      await work()
      return commitsIn(`${path}-wal`) - before
    }
    t.strictSame(
      {
        code: await during(() => store.redeemCode('code-1', pair('a'))),
        refresh: await during(() => store.rotateRefresh('refresh-a', pair('b'))),
        again: await during(() => store.rotateRefresh('refresh-a', pair('c'))),
        retry: await during(() => store.rotateRefresh('refresh-a', pair('d'), { ms: 1, maxRetries: 1 })),
        retried: await during(() => store.rotateRefresh('refresh-a', pair('e'), { ms: 1, maxRetries: 1 })),
        unknown: await during(() => store.redeemCode('code-2', pair('c'))),
        bearer: await during(() => store.findUserOfToken('u', 'access-a')),
        issue: await during(() =>
          store.issueCode({ ...grant, id: 'g2' }, { jti: 'code-2', expiresAt: start + 1 }),
        ),
        revoke: await during(() => store.revokeToken('refresh-a', start + 1, 'test')),
        client: await during(() =>
          store.saveClient({ id: 'c9', name: null, redirectUris: [], grantTypes: [], responseTypes: [] }),
        ),
      },
      {
        code: 1,
        refresh: 1,
        again: 0,
        retry: 1,
        retried: 0,
        unknown: 0,
        bearer: 0,
        issue: 1,
        revoke: 1,
        client: 1,
      },
    )
  },
)

t.test('bearer identifiers are nowhere in the file or its log', async (t) => {
  const path = freshPath()
  const { store } = await openedAt(`sqlite:${path}`, t)
  await store.writeSession('a-very-secret-session', {}, start + 1)
  await store.issueCode(grant, { jti: 'a-very-secret-code', expiresAt: start + 1 })
  await store.redeemCode('a-very-secret-code', {
    access: { jti: 'a-very-secret-access', expiresAt: start + 1 },
    refresh: { jti: 'a-very-secret-refresh', expiresAt: start + 1 },
  })
  await store.revokeToken('a-very-secret-foreign', start + 1, 'test')
  const bytes = [path, `${path}-wal`].map((file) => readFileSync(file).toString('latin1')).join('')
  t.match(bytes, /dev:developer/)
  t.notMatch(bytes, /a-very-secret/)
})

t.test('a store that was closed is whole in its one file, also after a migration', async (t) => {
  const path = freshPath()
  const { store, open } = await openedAt(`sqlite:${path}`, t)
  await store.saveUser({ id: 'u', name: 'U', email: null })
  await store.findUser('u')
  await store.close()
  t.equal(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0, 0)
  await (await open({ migrations: { '0001_notes': notes } })).close()
  const copy = join(mkdtempSync(join(folder, 'copy-')), 'store.db')
  copyFileSync(path, copy)
  const migrations = { '0001_notes': notes }
  const copied = await openStore({ url: `sqlite:${copy}`, clock: () => start, migrations, migrate: 'refuse' })
  t.teardown(() => copied.close())
  t.strictSame(await copied.findUser('u'), { id: 'u', name: 'U', email: null })
  t.strictSame((await sql`select * from notes`.execute(copied.database)).rows, [])
})

t.test('closing a store that another process uses loses nothing and disturbs nobody', async (t) => {
  const path = freshPath()
  const { store, open } = await openedAt(`sqlite:${path}`, t)
  const other = await open({})
  await other.saveUser({ id: 'a', name: 'A', email: null })
  await store.database.transaction().execute(async (transaction) => {
    await sql`select count(*) from acmcp_users`.execute(transaction)
    await other.close()
  })
  await store.saveUser({ id: 'b', name: 'B', email: null })
  t.strictSame([(await store.findUser('a'))?.name, (await store.findUser('b'))?.name], ['A', 'B'])
})

t.test('a store that has something in it is copied before a migration changes it', async (t) => {
  const path = freshPath()
  const { store, open } = await openedAt(`sqlite:${path}`, t)
  await store.saveUser({ id: 'u', name: 'U', email: null })
  t.strictSame(
    readdirSync(join(path, '..')).filter((name) => name.endsWith('.bak')),
    [],
  )
  await Promise.all([1, 2].map(() => open({ migrations: { '0001_notes': notes } })))
  const copy = await openedAt(`sqlite:${path}.before-0001_notes.bak`, t)
  t.strictSame(await copy.store.findUser('u'), { id: 'u', name: 'U', email: null })
  await rejection(sql`select * from notes`.execute(copy.store.database))
})

t.test(
  'files of SQLite: file, log and copies are 0600 in a folder of 0700, also those that were not',
  async (t) => {
    const path = freshPath()
    const seen = (): Readonly<Record<string, number>> =>
      Object.fromEntries(
        [join(path, '..'), ...readdirSync(join(path, '..')).map((name) => join(path, '..', name))].map(
          (file) => [file.slice(join(path, '..').length), statSync(file).mode & 0o777],
        ),
      )
    const { store, open } = await openedAt(`sqlite:${path}`, t)
    await store.saveUser({ id: 'u', name: 'U', email: null })
    await (await open({ migrations: { '0001_notes': notes } })).close()
    const files = ['', '-shm', '-wal', '.before-0001_notes.bak']
    const expected = {
      '': 0o700,
      '/.gitignore': 0o644,
      ...Object.fromEntries(files.map((end) => [`/store.db${end}`, 0o600])),
    }
    t.strictSame(seen(), expected)
    for (const end of files) chmodSync(`${path}${end}`, 0o644)
    writeFileSync(`${path}.other`, '', { mode: 0o644 })
    await open({ migrations: null })
    t.strictSame(seen(), { ...expected, '/store.db.other': 0o644 }, 'what is not ours is left alone')
  },
)

t.test("'refuse' makes no file", async (t) => {
  const path = freshPath()
  const options = { clock: () => start, migrations: {}, migrate: 'refuse' } as const
  t.ok((await rejection(openStore({ ...options, url: `sqlite:${path}` }))) instanceof StoreBehind)
  t.equal(existsSync(path), false)
  t.ok((await rejection(openStore({ ...options, url: 'sqlite::memory:' }))) instanceof StoreBehind)
})

t.test('in memory: the verbs work, transactions are kept apart from reads, nothing is shared', async (t) => {
  const { store } = await openedAt('sqlite::memory:', t)
  const other = await openedAt('sqlite::memory:', t)
  await store.issueCode(grant, code)
  const found = await store.database.transaction().execute(async (work) => {
    await sql`insert into acmcp_users (id, name, email, updated_at) values ('u', 'U', null, 1)`.execute(work)
    const reading = store.findUser('u')
    await sql`update acmcp_users set name = 'V'`.execute(work)
    return { reading }
  })
  t.strictSame(await found.reading, { id: 'u', name: 'V', email: null })
  t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'redeemed', grantId: 'g1' })
  t.strictSame([store.isShared, await other.store.findUser('u')], [false, null])
})

t.test('savepoints: a nested failure takes back its own part only', async (t) => {
  const { store } = await openedAt(`sqlite:${freshPath()}`, t)
  const controlled = await store.database.startTransaction().execute()
  await sql`insert into acmcp_users (id, name, email, updated_at) values ('kept', 'K', null, 1)`.execute(
    controlled,
  )
  const inner = await controlled.savepoint('inner "quoted"').execute()
  await sql`insert into acmcp_users (id, name, email, updated_at) values ('lost', 'L', null, 1)`.execute(
    inner,
  )
  await inner.rollbackToSavepoint('inner "quoted"').execute()
  await inner.releaseSavepoint('inner "quoted"').execute()
  await controlled.commit().execute()
  t.strictSame(
    [await store.findUser('lost'), await store.findUser('kept')],
    [null, { id: 'kept', name: 'K', email: null }],
  )
})

t.test('addresses: anything but sqlite and postgres is refused', async (t) => {
  for (const url of ['', 'sqlite:', 'mysql://x', 'data.db']) {
    const error = await rejection(openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' }))
    t.ok(error instanceof StoreAddressError, url)
  }
})

t.test('addresses: a socket of PostgreSQL is one, with and without a user', async (t) => {
  const socket = '/nowhere/.s.PGSQL.5432'
  for (const url of [
    'postgres://u:p@/notes?host=/nowhere',
    'postgresql://u@/notes?host=/nowhere',
    'postgres:///notes?host=/nowhere',
    'postgres://u:p@%2Fnowhere/notes',
  ]) {
    const error = await rejection(openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' }))
    t.match(String(Object(error).cause ?? error), socket, url)
  }
})

t.test('a purge of many rows gives the event loop its turns', async (t) => {
  const path = freshPath()
  const { store, clock } = await openedAt(`sqlite:${path}`, t)
  await sql`insert into acmcp_sessions (id_hash, data, expires_at)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
    select 'h' || i, '{}', ${start} from n`.execute(store.database)
  clock.now = start + 1
  let turns = 0
  const count = (): void => {
    turns += 1
    if (turns < 1_000_000) next = setImmediate(count)
  }
  let next = setImmediate(count)
  t.equal(await store.purgeExpired(), 5000)
  clearImmediate(next)
  t.ok(turns >= 10, `${turns} turns for 10 batches`)
  t.ok(statSync(path).size > 0)
})
