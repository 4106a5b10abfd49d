import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import Libsql from 'libsql'
import t from 'tap'
import { openStore } from '../../runtime/store/open.ts'
import { type Migration, type Store, StoreBusy, type TokenPair } from '../../runtime/store/store.ts'

const start = 1_800_000_000_000
const grant = { id: 'g1', userId: 'dev:developer', clientId: 'c1', scope: 'api', resource: '' }
const code = { jti: 'code-1', expiresAt: start + 300_000 }

const notes: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema.createTable('notes').addColumn('text', 'text').execute()
  },
}

function pair(name: string): TokenPair {
  return {
    access: { jti: `access-${name}`, expiresAt: start + 3_600_000 },
    refresh: { jti: `refresh-${name}`, expiresAt: start + 86_400_000 },
  }
}

interface Opened {
  readonly store: Store
  readonly url: string
  readonly path: string
  readonly clock: { now: number }
  readonly open: (
    migrations?: Readonly<Record<string, Migration>>,
    migrate?: 'apply' | 'refuse',
  ) => Promise<Store>
}

async function opened(t: { teardown(f: () => unknown): void }): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'acmcp-store-'))
  const path = join(folder, 'data', 'store.db')
  const url = `sqlite:${path}`
  const clock = { now: start }
  const stores: Store[] = []
  const open: Opened['open'] = async (migrations = {}, migrate = 'apply') => {
    const store = await openStore({ url, clock: () => clock.now, migrations, migrate })
    stores.push(store)
    return store
  }
  t.teardown(async () => {
    for (const store of stores) await store.close().catch(() => {})
    rmSync(folder, { recursive: true })
  })
  return { store: await open(), url, path, clock, open }
}

function tally(results: readonly { readonly kind: string }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { kind } of results) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

t.test('users: signing in again replaces the record, null email included', async (t) => {
  const { store } = await opened(t)
  t.equal(await store.findUser('google:1'), null)
  await store.saveUser({ id: 'google:1', name: 'Ada', email: 'ada@example.com' })
  await store.saveUser({ id: 'google:1', name: 'Ada L', email: null })
  t.strictSame(await store.findUser('google:1'), { id: 'google:1', name: 'Ada L', email: null })
})

t.test('clients: what is saved is found', async (t) => {
  const { store } = await opened(t)
  const client = {
    id: 'c1',
    name: null,
    redirectUris: ['https://a.example/cb'],
    grantTypes: [],
    responseTypes: ['code'],
  }
  await store.saveClient(client)
  t.strictSame([await store.findClient('c1'), await store.findClient('c2')], [client, null])
})

t.test('sessions: id kept hashed, expired ones read as null, destroyed ones are gone', async (t) => {
  const { store, path, clock } = await opened(t)
  await store.writeSession('a-very-secret-session-id', { user_id: 'u' }, start + 1000)
  await store.writeSession('a-very-secret-session-id', { user_id: 'v' }, start + 1000)
  t.strictSame(await store.readSession('a-very-secret-session-id'), { user_id: 'v' })
  clock.now = start + 999
  t.strictSame(await store.readSession('a-very-secret-session-id'), { user_id: 'v' })
  clock.now = start + 1000
  t.equal(await store.readSession('a-very-secret-session-id'), null)
  clock.now = start
  await store.destroySession('a-very-secret-session-id')
  t.equal(await store.readSession('a-very-secret-session-id'), null)
  await store.issueCode(grant, { jti: 'a-very-secret-code-id', expiresAt: start + 1 })
  const bytes = readFileSync(path).toString('latin1') + readFileSync(`${path}-wal`).toString('latin1')
  t.notMatch(bytes, /a-very-secret/)
})

t.test('a code: of 50 contenders exactly one is first', async (t) => {
  const { store, open } = await opened(t)
  const other = await open()
  await store.issueCode(grant, code)
  const contenders = Array.from({ length: 50 }, (_, i) =>
    (i % 2 ? store : other).redeemCode('code-1', pair(String(i))),
  )
  t.strictSame(tally(await Promise.all(contenders)), { first: 1, again: 49 })
})

t.test('a refresh token: of 50 contenders exactly one is first, and only its pair exists', async (t) => {
  const { store, open } = await opened(t)
  const other = await open()
  await store.issueCode(grant, code)
  await store.redeemCode('code-1', pair('0'))
  const names = Array.from({ length: 50 }, (_, i) => `r${i}`)
  const results = await Promise.all(
    names.map((name, i) => (i % 2 ? store : other).rotateRefresh('refresh-0', pair(name))),
  )
  t.strictSame(tally(results), { first: 1, again: 49 })
  const next = await Promise.all(
    names.map((name) => store.rotateRefresh(`refresh-${name}`, pair(`${name}-next`))),
  )
  t.strictSame(tally(next), { first: 1, unknown: 49 })
})

t.test('spending tells first, again with the time of the first, and unknown', async (t) => {
  const { store, clock } = await opened(t)
  await store.issueCode(grant, code)
  t.strictSame(await store.redeemCode('code-2', pair('x')), { kind: 'unknown' })
  t.strictSame(
    await store.rotateRefresh('code-1', pair('x')),
    { kind: 'unknown' },
    'a code is no refresh token',
  )
  t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'first' })
  clock.now = start + 7
  t.strictSame(await store.redeemCode('code-1', pair('b')), {
    kind: 'again',
    grantId: 'g1',
    firstSpentAt: start,
  })
  t.strictSame(
    await store.redeemCode('refresh-a', pair('b')),
    { kind: 'unknown' },
    'a refresh token is no code',
  )
  t.strictSame(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'first' })
  clock.now = start + 70_000
  t.strictSame(await store.rotateRefresh('refresh-a', pair('c')), {
    kind: 'again',
    grantId: 'g1',
    firstSpentAt: start + 7,
  })
})

t.test('spending and its new rows are one transaction: a clash of ids burns nothing', async (t) => {
  const { store } = await opened(t)
  await store.issueCode(grant, code)
  await t.rejects(store.redeemCode('code-1', { ...pair('a'), refresh: { jti: 'code-1', expiresAt: start } }))
  t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'first' })
})

t.test('a revoked grant takes its unspent tokens along, and access tokens with them', async (t) => {
  const { store } = await opened(t)
  await store.issueCode(grant, code)
  await store.redeemCode('code-1', pair('a'))
  const user = { id: 'dev:developer', name: 'Developer', email: null }
  await store.saveUser(user)
  t.strictSame(
    [await store.findUserOfToken(user.id, 'access-a'), await store.findUserOfToken(user.id, 'never-seen')],
    [user, user],
  )
  await store.revokeGrant('g1', 'test')
  await store.revokeGrant('g1', 'another reason')
  t.equal(await store.findUserOfToken(user.id, 'access-a'), null)
  t.strictSame(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'unknown' })
  await store.issueCode({ ...grant, id: 'g2' }, { jti: 'code-2', expiresAt: start + 1 })
  await store.revokeGrant('g2', 'test')
  t.strictSame(await store.redeemCode('code-2', pair('c')), { kind: 'unknown' })
  const { rows } = await sql<{ reason: string }>`select revoked_reason as reason from grants`.execute(
    store.database,
  )
  t.strictSame(rows, [{ reason: 'test' }, { reason: 'test' }])
})

t.test(
  'revokeToken: a known token takes its grant along, an unknown one is remembered until its end',
  async (t) => {
    const { store, clock } = await opened(t)
    const user = { id: 'u', name: 'U', email: null }
    await store.saveUser(user)
    await store.issueCode(grant, code)
    await store.redeemCode('code-1', pair('a'))
    t.strictSame(
      [
        await store.revokeToken('refresh-a', start + 9, 'r1'),
        await store.revokeToken('refresh-a', start + 9, 'r2'),
      ],
      ['g1', 'g1'],
    )
    t.equal(await store.findUserOfToken('u', 'access-a'), null)
    t.strictSame(await store.findUserOfToken('u', null), user)
    t.strictSame(
      [
        await store.revokeToken('foreign', start + 10, 'r'),
        await store.revokeToken('foreign', start + 10, 'r'),
      ],
      [null, null],
    )
    t.equal(await store.findUserOfToken('u', 'foreign'), null)
    clock.now = start + 9
    t.equal(await store.findUserOfToken('u', 'foreign'), null)
  },
)

t.test('shareCounts: sums over instances, a window at a time', async (t) => {
  const { store, open } = await opened(t)
  const other = await open()
  t.strictSame(await store.shareCounts(start, []), new Map())
  await store.shareCounts(start, [
    { key: 'a', count: 2 },
    { key: 'a', count: 1 },
  ])
  t.strictSame(
    await other.shareCounts(start, [
      { key: 'b', count: 1 },
      { key: 'a', count: 4 },
    ]),
    new Map([
      ['a', 7],
      ['b', 1],
    ]),
  )
  t.strictSame(await other.shareCounts(start + 60_000, [{ key: 'a', count: 5 }]), new Map([['a', 5]]))
})

t.test('what was acknowledged is there after a reopen', async (t) => {
  const { store, open } = await opened(t)
  await store.saveUser({ id: 'u', name: 'U', email: null })
  await store.issueCode(grant, code)
  await store.redeemCode('code-1', pair('a'))
  await store.writeSession('s', { a: 1 }, start + 1)
  await store.close()
  const again = await open()
  t.strictSame(await again.findUser('u'), { id: 'u', name: 'U', email: null })
  t.strictSame(await again.redeemCode('code-1', pair('b')), {
    kind: 'again',
    grantId: 'g1',
    firstSpentAt: start,
  })
  t.strictSame(await again.readSession('s'), { a: 1 })
})

t.test('purge removes in batches what has expired, and nothing a millisecond earlier', async (t) => {
  const { store, clock } = await opened(t)
  for (let i = 0; i < 501; i += 1) await store.writeSession(`s${i}`, {}, start + 1000)
  await store.issueCode(grant, { jti: 'code-1', expiresAt: start + 1000 })
  await store.redeemCode('code-1', pair('a'))
  await store.issueCode({ ...grant, id: 'g2' }, { jti: 'code-2', expiresAt: start + 1000 })
  clock.now = start + 999
  t.equal(await store.purgeExpired(), 0)
  clock.now = start + 1000
  t.equal(await store.purgeExpired(), 501 + 2 + 1, 'sessions, two codes, the grant that was never used')
  t.strictSame(
    await store.redeemCode('code-1', pair('b')),
    { kind: 'unknown' },
    'a purged code stays refused',
  )
  await store.saveUser({ id: 'dev:developer', name: 'Developer', email: null })
  await store.revokeGrant('g1', 'test')
  t.equal(await store.findUserOfToken('dev:developer', 'access-a'), null, 'the revocation outlives the code')
  clock.now = start + 86_400_000
  t.equal(await store.purgeExpired(), 3, 'access, refresh and grant')
})

t.test('migrations: core and application run once, each list can grow', async (t) => {
  const { open } = await opened(t)
  await (await open({ '0001_notes': notes })).close()
  const store = await open({
    '0001_notes': notes,
    '0002_more': { up: async (db) => void (await sql`insert into notes values ('x')`.execute(db)) },
  })
  await (
    await open({ '0001_notes': notes, '0002_more': { up: async () => void t.fail('ran twice') } })
  ).close()
  t.strictSame((await sql`select text from notes`.execute(store.database)).rows, [{ text: 'x' }])
})

t.test('migrations: four openers at once, each change is made once', async (t) => {
  const { open } = await opened(t)
  let runs = 0
  const counted: Migration = {
    up: async (database) => {
      runs += 1
      await notes.up(database)
    },
  }
  await Promise.all([1, 2, 3, 4].map(() => open({ '0001_notes': counted })))
  t.equal(runs, 1)
})

t.test('migrations: a failing one is rolled back whole and reported', async (t) => {
  const { open } = await opened(t)
  const broken: Migration = {
    up: async (database) => {
      await notes.up(database)
      throw new Error('broken migration')
    },
  }
  await t.rejects(open({ '0001_notes': broken }), { message: 'broken migration' })
  await open({ '0001_notes': notes })
})

t.test("migrations: 'refuse' starts on a current store only and changes nothing", async (t) => {
  const { open } = await opened(t)
  const behind = {
    message: 'the store is behind: run acmcp store migrate, or start once with acmcp serve --migrate',
  }
  await t.rejects(open({ '0001_notes': notes }, 'refuse'), behind)
  const store = await open({}, 'refuse')
  await t.rejects(sql`select * from notes`.execute(store.database))
  const fresh = { url: 'sqlite::memory:', clock: () => start, migrations: {}, migrate: 'refuse' } as const
  await t.rejects(openStore(fresh), behind)
})

t.test('addresses: anything but sqlite and postgres is refused', async (t) => {
  for (const url of ['', 'sqlite:', 'mysql://x', 'data.db']) {
    await t.rejects(
      openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' }),
      /the store address/,
    )
  }
})

t.test('a file locked by another process is waited for without blocking the event loop', async (t) => {
  const { store, path } = await opened(t)
  const locker = new Libsql(path)
  t.teardown(() => locker.close())
  locker.exec('begin immediate')
  let turns = 0
  const timer = setInterval(() => {
    turns += 1
    if (turns === 20) locker.exec('commit')
  }, 5)
  await store.saveUser({ id: 'u', name: 'U', email: null })
  clearInterval(timer)
  t.ok(turns >= 20, 'timers ran while the write waited')
  t.ok(await store.findUser('u'))
})

t.test('a file locked for good ends in StoreBusy (503), and the store recovers', async (t) => {
  const { store, path } = await opened(t)
  await store.issueCode(grant, code)
  const locker = new Libsql(path)
  t.teardown(() => locker.close())
  locker.exec('begin immediate')
  const error = await store.redeemCode('code-1', pair('a')).catch((error: unknown) => error)
  t.ok(error instanceof StoreBusy && error.status === 503)
  t.equal(await store.findUser('u'), null, 'reads go on')
  locker.exec('commit')
  t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'first' })
  await store.saveUser({ id: 'u', name: 'U', email: null })
})
