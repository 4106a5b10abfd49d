/** The store on a real PostgreSQL: the contract, and what only a server can show. */
import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import type { Store } from '../../runtime/store/store.ts'
import { storeContract } from './contract.ts'
import { postgresOrNotice } from './postgres-server.ts'
import { code, grant, notes, openedAt, pair, start } from './support.ts'

const server = await postgresOrNotice((text) => t.comment(text))

/** The number of the next transaction that writes: asking takes one. */
async function nextTransaction(store: Store): Promise<number> {
  const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(store.database)
  return Number(rows[0]?.id)
}

if (server === null) {
  t.pass('skipped: no PostgreSQL')
} else {
  t.teardown(() => server.stop())
  /** Its own database, emptied: a new one takes ten times as long. */
  const emptied = async (): Promise<string> => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('drop schema public cascade; create schema public').finally(() => client.end())
    return server.url
  }
  await storeContract(t, 'PostgreSQL', emptied)

  t.test(
    'writes, efficiency: an exchange is one durable commit; a checked bearer writes nothing',
    async (t) => {
      const { store } = await openedAt(await server.freshDatabase(), t)
      await store.issueCode(grant, code)
      const during = async (work: () => Promise<unknown>): Promise<number> => {
        const before = await nextTransaction(store)
        await work()
        return (await nextTransaction(store)) - before - 1
      }
      t.strictSame(
        {
          code: await during(() => store.redeemCode('code-1', pair('a'))),
          refresh: await during(() => store.rotateRefresh('refresh-a', pair('b'))),
          retry: await during(() => store.rotateRefresh('refresh-a', pair('d'), { ms: 1, maxRetries: 1 })),
          unknown: await during(() => store.redeemCode('code-2', pair('c'))),
          bearer: await during(() => store.findUserOfToken('u', 'access-a')),
        },
        { code: 1, refresh: 1, retry: 1, unknown: 0, bearer: 0 },
      )
    },
  )

  t.test('purge: while another instance purges, this one leaves it alone', async (t) => {
    const { store, open, clock } = await openedAt(await server.freshDatabase(), t)
    const other = await open()
    await store.writeSession('s', {}, start)
    clock.now = start + 1
    await other.database.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${0x61636d63})`.execute(connection)
      t.equal(await store.purgeExpired(), 0)
      await sql`select pg_advisory_unlock(${0x61636d63})`.execute(connection)
    })
    t.equal(await store.purgeExpired(), 1)
    t.equal(store.isShared, true)
  })

  t.test(
    'PostgreSQL: a repeated selectAll() answers after a rolling migration, and the core stays prepared',
    async (t) => {
      const { store, open } = await openedAt(await server.freshDatabase(), t)
      const { database } = await open({ migrations: { '001_notes': notes } })
      const all = async (): Promise<unknown> => (await sql`select * from notes`.execute(database)).rows
      const both = async (): Promise<unknown> =>
        (
          await sql`select * from notes left join acmcp_users on acmcp_users.id = notes.text`.execute(
            database,
          )
        ).rows
      await store.findUser('u')
      await store.findUser('u')
      const { rows } = await sql<{
        statement: string
      }>`select statement from pg_prepared_statements`.execute(store.database)
      t.strictSame(rows, [
        {
          statement:
            'select id, name, email, attributes from acmcp_users where id = $1 and blocked_at is null',
        },
      ])
      for (let i = 0; i < 10; i += 1) t.strictSame([await all(), await both()], [[], []])
      await sql`alter table notes add column done boolean`.execute(store.database)
      await sql`insert into notes values ('one', true)`.execute(store.database)
      t.strictSame(await all(), [{ text: 'one', done: true }])
      await both().catch(() => {}) // the plan that had been kept
      const user = {
        id: null,
        name: null,
        email: null,
        updated_at: null,
        attributes: null,
        signed_in_at: null,
        attributes_at: null,
        blocked_at: null,
        erased_as: null,
        tokens_since: null,
      }
      t.strictSame(await both(), [{ text: 'one', done: true, ...user }])
    },
  )
}
