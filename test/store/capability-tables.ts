/** Tables and verbs of a capability: a part of the store's contract. */
import { sql } from 'kysely'
import type { Test } from 'tap'
import { applicationTables } from '../../runtime/boot/application-store.ts'
import { leavingVerbs } from '../../runtime/capabilities/leaving/leaving-verbs.ts'
import { adding } from '../../runtime/store/migrations/migration.ts'
import { TableTaken } from '../../runtime/store/migrations/migration-errors.ts'
import { openStore } from '../../runtime/store/open.ts'
import type { Store } from '../../runtime/store/store.ts'
import type { CapabilityTable } from '../../runtime/store/tables.ts'
import type { VerbParts } from '../../runtime/store/verbs/verb-parts.ts'
import { type Opened, rejection, start } from './support.ts'

interface Star {
  readonly id: string
  readonly user_id: string
  readonly expires_at: number
}

const stars: CapabilityTable<keyof Star> = {
  name: 'acmcp_stars',
  migrations: {
    '9001_stars': adding('create table acmcp_stars (id text primary key, user_id text not null)', ['stars']),
    '9002_ends': adding('alter table acmcp_stars add column expires_at bigint'),
  },
  key: 'id',
  ends: { column: 'expires_at' },
  person: { column: 'user_id', erasure: 'delete', countedAs: 'stars' },
}

/** Its table needs that of the other one, which stands before it. */
const views: CapabilityTable = {
  name: 'acmcp_views',
  migrations: { '9001_stars': adding('create table acmcp_views (id text references acmcp_stars (id))') },
  key: 'id',
}

const starVerbs = ({ database, clock }: VerbParts<{ readonly acmcp_stars: Star }>) => ({
  star: async (id: string, user_id: string): Promise<void> => {
    await database
      .insertInto('acmcp_stars')
      .values({ id, user_id, expires_at: id === 'old' ? clock() : clock() + 1 })
      .execute()
  },
  starred: async (): Promise<readonly string[]> =>
    (await database.selectFrom('acmcp_stars').select('id').orderBy('id').execute()).map(({ id }) => id),
})

type Case = readonly [name: string, run: (t: Test, opened: Opened) => Promise<void>]

export const capabilityTableCases: readonly Case[] = [
  [
    'tables of capabilities are made, purged, counted and erased with those of the core, and their verbs ask the same database',
    async (t, { url }) => {
      const open = (tables: readonly CapabilityTable[]): Promise<Store> =>
        openStore({ url, clock: () => start, migrations: null, migrate: 'apply', tables })
      const store = await open([...applicationTables, stars, views])
      t.teardown(() => store.close())
      t.equal(await store.isCurrent(), true)
      const { star, starred } = store.verbs(starVerbs)
      const user = { id: 'ada', name: 'Ada', email: null }
      await store.saveUser(user)
      for (const [id, owner] of [
        ['1', 'ada'],
        ['2', 'ada'],
        ['3', 'eve'],
        ['old', 'ada'],
      ] as const)
        await star(id, owner)
      t.equal(await store.purgeExpired(), 1)
      const { countRows, beginErasure, eraseRows } = store.verbs(leavingVerbs)
      t.match(await countRows('ada'), { grants: 0, stars: 2 })
      await beginErasure('ada', 'erased-1')
      const standing = { user, signedInAt: null, blockedAt: start, erasedAs: 'erased-1' }
      t.match(await eraseRows(standing), { grants: 0, stars: 2 })
      t.strictSame(await starred(), ['3'])
      const { rows } =
        await sql`select name from acmcp_additive_migrations where name > '9' order by name`.execute(
          store.database,
        )
      t.strictSame(rows, [{ name: '9001_stars' }, { name: '9002_ends' }])
    },
  ],
  [
    'two tables of one name are refused, of capabilities or of the core',
    async (t, { url }) => {
      const refused = async (...tables: readonly CapabilityTable[]): Promise<unknown> => {
        const options = { url, clock: () => start, migrations: null, migrate: 'apply' } as const
        const error = await rejection(openStore({ ...options, tables }))
        return error instanceof TableTaken && error.message
      }
      t.equal(await refused(stars, views, stars), 'two parts of acmcp have a table named acmcp_stars')
      t.equal(
        await refused({ ...views, name: 'acmcp_users' }),
        'two parts of acmcp have a table named acmcp_users',
      )
    },
  ],
]
