/** The store on a real PostgreSQL: the contract, and what only a server can show. */
import { sql } from 'kysely'
import t from 'tap'
import type { Store } from '../../runtime/store/store.ts'
import { storeContract } from './contract.ts'
import { postgresOrNotice } from './postgres-server.ts'
import { code, grant, openedAt, pair, start } from './support.ts'

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
  await storeContract(t, 'PostgreSQL', () => server.freshDatabase())

  t.test(
    'issue 5, efficiency: an exchange is one durable commit; a checked bearer writes nothing',
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
          unknown: await during(() => store.redeemCode('code-2', pair('c'))),
          bearer: await during(() => store.findUserOfToken('u', 'access-a')),
        },
        { code: 1, refresh: 1, unknown: 0, bearer: 0 },
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
}
