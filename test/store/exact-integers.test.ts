/** No integer is rounded on its way from the database, and columns that a migration declares are bigints, on both engines. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import t, { type Test } from 'tap'
import { blobType, rowIdType } from '../../runtime/store/database.ts'
import type { Migration } from '../../runtime/store/migrations/migration.ts'
import { postgresOrNotice } from './postgres-server.ts'
import { openedAt } from './support.ts'

const server = await postgresOrNotice((text) => t.comment(text))

interface Tables {
  readonly accounts: {
    readonly id?: number | bigint
    readonly owner: string
    /** Declared. */
    readonly cents: bigint | null
    readonly seen: number | bigint | null
    readonly picture?: Uint8Array | null
  }
  readonly transfers: { readonly amount: bigint; readonly at: number }
}

const accounts: Migration = {
  bigints: { accounts: ['cents'] },
  async up(db) {
    await db.schema
      .createTable('accounts')
      .addColumn('id', rowIdType(db), (column) => column.primaryKey())
      .addColumn('owner', 'text', (column) => column.notNull())
      .addColumn('cents', 'bigint')
      .addColumn('seen', 'bigint')
      .addColumn('picture', blobType(db) as 'blob')
      .execute()
  },
}

/** Another migration declares for its own table. */
const transfers: Migration = {
  bigints: { transfers: ['amount'] },
  async up(db) {
    await db.schema.createTable('transfers').addColumn('amount', 'bigint').addColumn('at', 'bigint').execute()
  },
}

const limit = 2n ** 53n
const largest = 2n ** 63n - 1n

async function fill(database: Kysely<Tables>): Promise<void> {
  const row = (owner: string, cents: bigint | null, seen: number | bigint | null): object => ({
    owner,
    cents,
    seen,
  })
  await database
    .insertInto('accounts')
    .values([
      row('small', 5n, 5),
      row('edge', limit - 1n, limit - 1n),
      row('over', limit + 1n, limit + 1n),
      row('largest', largest, largest),
      row('least', -(2n ** 63n), -(2n ** 63n)),
      row('none', null, null),
    ] as never)
    .execute()
}

const expected = [
  ['small', 5n, 5],
  ['edge', limit - 1n, Number(limit - 1n)],
  ['over', limit + 1n, limit + 1n],
  ['largest', largest, largest],
  ['least', -(2n ** 63n), -(2n ** 63n)],
  ['none', null, null],
]

async function readings(t: Test, database: Kysely<Tables>): Promise<void> {
  const all = database.selectFrom('accounts').select(['owner', 'cents', 'seen']).orderBy('id')
  for (const turn of ['first', 'again']) {
    const rows = await all.execute()
    t.strictSame(
      rows.map(({ owner, cents, seen }) => [owner, cents, seen]),
      expected,
      `a table, ${turn}`,
    )
  }
  const small = database.selectFrom('accounts').where('owner', '=', 'small')
  t.strictSame(
    await small.select(['cents as c', 'seen as s', 'id']).execute(),
    [{ c: 5n, s: 5, id: 1 }],
    'aliases',
  )
  t.strictSame(
    await small.select(({ fn }) => [fn.countAll().as('n'), fn.max('cents').as('top')]).execute(),
    [{ n: 1, top: 5 }],
    'a count is a number, and so is an expression',
  )
  t.strictSame(
    await database
      .selectFrom('accounts')
      .select(({ fn }) => fn.max('cents').as('top'))
      .execute(),
    [{ top: largest }],
    'an expression beyond it is exact',
  )
  const { rows } = await sql<object>`with rich as (select cents from accounts where owner = 'small')
    select rich.cents, transfers.amount, transfers.at from rich cross join transfers`.execute(database)
  t.strictSame(rows, [{ cents: 5n, amount: 7n, at: 8 }], 'raw text, a join and a common table expression')
}

async function writings(t: Test, database: Kysely<Tables>): Promise<void> {
  const changed = database.updateTable('accounts').where('owner', '=', 'over')
  t.strictSame(
    await changed
      .set({ seen: limit + 3n })
      .returning(['cents', 'seen', 'owner'])
      .execute(),
    [{ cents: limit + 1n, seen: limit + 3n, owner: 'over' }],
    'what an update returns',
  )
  const inserted = await database.transaction().execute((trx) =>
    trx
      .insertInto('accounts')
      .values({ id: limit + 1n, owner: 'far', cents: 1n, seen: 1, picture: Buffer.from('png') })
      .returningAll()
      .execute(),
  )
  t.strictSame(
    inserted,
    [{ id: limit + 1n, owner: 'far', cents: 1n, seen: 1, picture: Buffer.from('png') }],
    'an insert',
  )
  const count = await sql<object>`select count(*) as n from accounts where seen = ${limit + 3n}`.execute(
    database,
  )
  t.strictSame(count.rows, [{ n: 1 }], 'the update ran once')
}

async function judge(t: Test, url: string): Promise<void> {
  const { open } = await openedAt(url, t)
  const store = await open({ migrations: { '001_accounts': accounts, '002_transfers': transfers } })
  const database = store.database as Kysely<Tables>
  await fill(database)
  await database.insertInto('transfers').values({ amount: 7n, at: 8 }).execute()
  await readings(t, database)
  await database.transaction().execute((trx) => readings(t, trx))
  await writings(t, database)
}

const folder = mkdtempSync(join(tmpdir(), 'acmcp-integers-'))
t.teardown(() => rmSync(folder, { recursive: true }))

t.test('SQLite: integers are exact', (t) => judge(t, `sqlite:${join(folder, 'store.db')}`))
t.test('SQLite in memory: integers are exact', (t) => judge(t, 'sqlite::memory:'))

t.test('SQLite: the id of an inserted row is exact', async (t) => {
  const { open } = await openedAt(`sqlite:${join(folder, 'ids.db')}`, t)
  const store = await open({ migrations: { '001_accounts': accounts } })
  const database = store.database as Kysely<Tables>
  const insert = (id: bigint): Promise<{ readonly insertId: bigint | undefined }> =>
    database.insertInto('accounts').values({ id, owner: 'a', cents: 1n, seen: 1 }).executeTakeFirstOrThrow()
  t.equal((await insert(3n)).insertId, 3n)
  t.equal((await insert(limit + 3n)).insertId, limit + 3n)
})

if (server === null) t.pass('skipped: no PostgreSQL')
else {
  t.teardown(() => server.stop())
  t.test('PostgreSQL: integers are exact', async (t) => judge(t, await server.freshDatabase()))

  t.test('PostgreSQL: several statements in one text run as before', async (t) => {
    const { open } = await openedAt(await server.freshDatabase(), t)
    const { database } = await open({ migrations: { '001_accounts': accounts } })
    await sql
      .raw("insert into accounts (owner, cents) values ('a', 1); select cents from accounts")
      .execute(database)
    const { rows } = await sql<object>`select cents from accounts`.execute(database)
    t.strictSame(rows, [{ cents: 1n }])
  })
}
