/** Stores made by the version before the prefix, applications with tables of the names that the core once took, and
 *  migrations that fail; on both engines. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import t, { type Test } from 'tap'
import { inspectApplicationStore } from '../../runtime/boot/application-store.ts'
import { engineOf } from '../../runtime/store/engine.ts'
import type { Migration } from '../../runtime/store/migrations/migration.ts'
import { MigrationFailed } from '../../runtime/store/migrations/migration-errors.ts'
import { StoreUnavailable } from '../../runtime/store/store.ts'
import { openStore } from '../support/whole-store.ts'
import { makeOldStore } from './old-schema.ts'
import { postgresOrNotice } from './postgres-server.ts'
import { code, grant, noTerms, openedAt, pair, rejection, start } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'acmcp-upgrade-'))
t.teardown(() => rmSync(folder, { recursive: true }))
let databases = 0
const freshFile = async (): Promise<string> => `sqlite:${join(folder, `${databases++}.db`)}`

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const hashes = { code: hash('code-1'), session: hash('a session') }
const core = ['users', 'clients', 'grants', 'tokens', 'revoked_tokens', 'shared_counts', 'sizes', 'sessions']

/** Does `work` on a plain connection. */
async function direct(url: string, work: (database: Kysely<unknown>) => Promise<unknown>): Promise<void> {
  const database = new Kysely<unknown>({ dialect: (await engineOf(url)).dialect })
  await work(database).finally(() => database.destroy())
}

/** The names of tables and indexes; primary keys of SQLite have none of their own. */
async function namesIn(url: string): Promise<readonly string[]> {
  const text = url.startsWith('sqlite:')
    ? "select name from sqlite_master where name not like 'sqlite_%'"
    : "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r','i')"
  let names: readonly string[] = []
  await direct(url, async (database) => {
    const { rows } = await sql.raw<{ name: string }>(text).execute(database)
    const isOfNobody = (name: string): boolean => !name.startsWith('app_migration') // where no application has any
    names = rows.flatMap(({ name }) => (isOfNobody(name) ? [name] : [])).sort()
  })
  return names
}

/** What an application of a stranger makes: the core's old names, with indexes of the core's old names too. */
const ownTables: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    for (const name of core) {
      await database.schema
        .createTable(name)
        .addColumn('id', 'integer', (c) => c.primaryKey())
        .execute()
      await database.schema.createIndex(`${name}_expires_at`).on(name).column('id').execute()
      await sql`insert into ${sql.id(name)} values (7)`.execute(database)
    }
  },
}

/** A page of the documentation says of each table how much strangers can put into it. */
t.test('tables of the store: security.md bounds each, and no other', async (t) => {
  const url = await freshFile()
  const { store } = await openedAt(url, t)
  const { rows } = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(
    store.database,
  )
  const page = readFileSync('templates/docs/security.md', 'utf8')
  const [, table = ''] = page.split('What strangers, or one client, can make the store keep')
  const lines = table.split('\n').filter((line) => line.startsWith('| '))
  const bounded = lines.flatMap((line) => line.split('|')[1]?.match(/[a-z_]+_[a-z_]+/g) ?? [])
  t.strictSame([...bounded].sort(), rows.map(({ name }) => name).sort())
  const cells = lines.slice(2).flatMap((line) => line.split('|').slice(2, -1))
  t.ok(cells.length > 0 && cells.every((cell) => cell.trim() !== ''), 'rows, bytes, and what comes then')
})

async function upgrades(t: Test, fresh: () => Promise<string>): Promise<void> {
  for (const until of ['0001_core', '0002_limits'] as const) {
    t.test(
      `tables of the core: a store of the version before (${until}) keeps everything under acmcp_`,
      async (t) => {
        const url = await fresh()
        await direct(url, (database) => makeOldStore(database, until, hashes))
        const { store, clock } = await openedAt(url, t)
        t.strictSame(
          [await store.findUser('u'), await store.findClient('c1'), await store.readSession('a session')],
          [
            { id: 'u', name: 'Ada', email: 'ada@example.com' },
            {
              id: 'c1',
              name: 'Old',
              redirectUris: ['https://a.example/cb'],
              grantTypes: ['authorization_code'],
              responseTypes: ['code'],
            },
            { user_id: 'u' },
          ],
        )
        t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'redeemed', grantId: 'g1' })
        t.strictSame((await store.redeemCode('code-1', pair('b'))).kind, 'replayed')
        t.equal(await store.revokeToken('access-a', start + 1, 'test'), 'g1')
        clock.now = start + 100 * 24 * 3_600_000
        t.equal(await store.purgeExpired(), 6, 'session, three tokens, grant, client')
        t.strictSame(await namesIn(url), await namesIn(await freshStore(fresh)), 'the names of a new store')
      },
    )
  }

  t.test(
    'grants: a store of the version before scopes keeps every grant, allowed as nobody had asked',
    async (t) => {
      const url = await fresh()
      await direct(url, (database) => makeOldStore(database, '0003_prefix', hashes))
      const { store } = await openedAt(url, t)
      const user = { id: 'u', name: 'Ada', email: 'ada@example.com' }
      const expected = { user, grantId: 'g1', allowed: null, ...noTerms }
      t.strictSame(await store.findUserOfToken('u', 'code-1'), expected)
      t.strictSame(await store.redeemCode('code-1', pair('a')), { kind: 'redeemed', grantId: 'g1' })
      t.strictSame(await store.findUserOfToken('u', 'access-a'), expected)
      t.strictSame(await store.findLiveGrants('u', 'c1'), [
        { scope: 'api', allowed: null, readOnly: false, surface: null },
      ])
      await store.issueCode({ ...grant, id: 'g2', allowed: ['read'] }, { ...code, jti: 'code-2' })
      await store.redeemCode('code-2', pair('b'))
      t.strictSame(await store.findUserOfToken('u', 'access-b'), {
        user,
        grantId: 'g2',
        allowed: ['read'],
        ...noTerms,
      })
      t.strictSame(await namesIn(url), await namesIn(await freshStore(fresh)), 'the names of a new store')
    },
  )

  t.test(
    'tables: an application has its own users, clients, sessions, grants, before or after',
    async (t) => {
      const url = await fresh()
      await direct(url, (database) => ownTables.up(database))
      const { store, open } = await openedAt(url, t)
      const made = await fresh()
      await direct(made, (database) => makeOldStore(database, '0002_limits', hashes))
      const upgraded = await openedAt(made, t)
      await upgraded.open({ migrations: { '001_own': ownTables } })
      const empty = await openedAt(await fresh(), t)
      await empty.open({ migrations: { '001_own': ownTables } })
      for (const { store } of [{ store: await open() }, upgraded, empty]) {
        await store.saveUser({ id: 'v', name: 'V', email: null })
        await store.issueCode({ ...grant, id: 'g2' }, { ...code, jti: 'code-2' })
        t.strictSame(await store.redeemCode('code-2', pair('x')), { kind: 'redeemed', grantId: 'g2' })
        for (const name of core) {
          const { rows } = await sql`select * from ${sql.id(name)}`.execute(store.database)
          t.strictSame(rows, [{ id: 7 }], name)
        }
      }
      t.strictSame((await store.findUser('v'))?.name, 'V')
    },
  )

  t.test(
    'tables: a table of the application that has a prefixed name is named, and nothing changes',
    async (t) => {
      const old = await fresh()
      await direct(old, (database) => makeOldStore(database, '0002_limits', hashes))
      for (const [url, migration] of [
        [old, '0003_prefix'],
        [await fresh(), '0001_core'],
      ] as const) {
        await direct(url, (database) => sql`create table acmcp_users (id integer)`.execute(database))
        const before = await namesIn(url)
        const error = await rejection(
          openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' }),
        )
        t.ok(error instanceof MigrationFailed)
        t.equal(
          String(error),
          `Error: the migration ${migration} of acmcp itself failed: acmcp_users: the database has that already, but names that begin with acmcp_ are acmcp's: rename it`,
        )
        t.strictSame(
          (await namesIn(url)).filter((name) => !name.startsWith('core_')),
          before.filter((name) => !name.startsWith('core_')),
        )
      }
    },
  )

  t.test(
    'failed migrations: one that fails names itself, whose it is, and what the driver said',
    async (t) => {
      const url = await fresh()
      const broken: Migration = {
        up: async (database: Kysely<unknown>) =>
          void (await sql`insert into nowhere values (1)`.execute(database)),
      }
      const opening = openStore({
        url,
        clock: () => start,
        migrations: { '001_fine': { up: async () => {} }, '002_broken': broken },
        migrate: 'apply',
      })
      t.match(await rejection(opening), {
        message: /^the migration 002_broken of the application failed: .*nowhere/,
      })
      const { migrations } = await inspectApplicationStore({ url, migrations: { '001_fine': broken } })
      t.strictSame(
        migrations.filter(({ isApplied }) => !isApplied).map(({ name }) => name),
        ['001_fine'],
      )
      await (
        await openStore({
          url,
          clock: () => start,
          migrations: { '001_fine': { up: async () => {} } },
          migrate: 'apply',
        })
      ).close()
      const renamed = openStore({
        url,
        clock: () => start,
        migrations: { '001_other': broken },
        migrate: 'apply',
      })
      t.match(await rejection(renamed), {
        message: /^the migrations of the application cannot be applied: .*001_fine is missing$/,
      })
      const outage = openStore({
        url: await fresh(),
        clock: () => start,
        migrations: {
          '001_waits': {
            up: async () => {
              throw new StoreUnavailable(undefined, { cause: new Error('disk I/O error') })
            },
          },
        },
        migrate: 'apply',
      })
      t.match(await rejection(outage), {
        message:
          'the migration 001_waits of the application failed: the store is not available: disk I/O error',
      })
    },
  )
}

async function freshStore(fresh: () => Promise<string>): Promise<string> {
  const url = await fresh()
  await (await openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' })).close()
  return url
}

const server = await postgresOrNotice((text) => t.comment(text))
t.test('SQLite', (t) => upgrades(t, freshFile))
if (server !== null) {
  t.teardown(() => server.stop())
  t.test('PostgreSQL', (t) => upgrades(t, () => server.freshDatabase()))
}
