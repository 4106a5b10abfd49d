/** On PostgreSQL: a server that is stopped, cut off, read-only, locked or silent is StoreUnavailable (503), never a driver's error, and works
 *  again without a restart. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import t, { type Test } from 'tap'
import { defaultPool } from '../../../runtime/store/pool.ts'
import { type Store, StoreBusy, StoreUnavailable } from '../../../runtime/store/store.ts'
import { openStore } from '../../support/whole-store.ts'
import { ownPostgresOrNotice } from '../postgres-server.ts'
import { type Opened, openedAt, pair, rejection, start } from '../support.ts'
import { answers, each, filled, outages, reads, user, writes } from './outages.ts'

const server = await ownPostgresOrNotice((text) => t.comment(text))

async function database(t: Test): Promise<Opened & { readonly admin: (text: string) => Promise<unknown> }> {
  const opened = await openedAt((await server?.freshDatabase()) ?? '', t)
  await filled(opened)
  const admin = async (text: string): Promise<unknown> => {
    const connection = new pg.Client({ connectionString: opened.url })
    await connection.connect()
    return connection.query(text).finally(() => connection.end())
  }
  return { ...opened, admin }
}

const cutSessions =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'

if (server !== null) {
  const power = server.power
  if (power !== null) {
    t.test('PostgreSQL, stopped: every verb is 503; started again: every verb answers', async (t) => {
      const { open } = await database(t)
      const { reported, onOutage } = outages()
      const store = await open({ onOutage })
      await power.off()
      t.strictSame(await answers(store, { ...reads, ...writes }), each({ ...reads, ...writes }, '503'))
      await power.on()
      t.strictSame(await answers(store, { ...reads, ...writes }), each({ ...reads, ...writes }, 'an answer'))
      t.match(reported, [/ECONNREFUSED|terminat/, 'ended'], 'outage: told once at each end')
      t.equal(reported.length, 2)
    })
  }

  t.test(
    'PostgreSQL, sessions cut off inside a transaction: 503, nothing of it stays, the next one works',
    async (t) => {
      const { store, admin } = await database(t)
      const error = await rejection(
        store.database.transaction().execute(async (work) => {
          await sql`delete from acmcp_users`.execute(work)
          await admin(cutSessions)
          await sql`delete from acmcp_users`.execute(work)
        }),
      )
      t.ok(error instanceof StoreUnavailable, String(error))
      t.strictSame(await store.findUser('u'), user)
    },
  )

  /** The news of a cut may come after the next query was sent: that one is a 503. */
  const noticesTheCut = async (store: Store): Promise<unknown> => store.findUser('u').catch(() => null)

  t.test('PostgreSQL, read-only: writes are 503, reads go on; then both', async (t) => {
    const { store, url, admin } = await database(t)
    await store.writeSession('ended', {}, start - 1) // what is to purge
    const name = new URL(url).pathname.slice(1)
    await admin(`alter database ${name} set default_transaction_read_only = on`)
    await admin(cutSessions)
    await noticesTheCut(store)
    t.strictSame(await answers(store, reads), each(reads, 'an answer'))
    t.strictSame(await answers(store, writes), each(writes, '503'))
    await admin(`begin read write; alter database ${name} reset default_transaction_read_only; commit`)
    await admin(cutSessions)
    await noticesTheCut(store)
    t.strictSame(await answers(store, writes), each(writes, 'an answer'))
  })

  t.test(
    'PostgreSQL, locked by others: StoreBusy; a server that never answers: 503 within ten seconds',
    async (t) => {
      const { store, open, url } = await database(t)
      const other = await open()
      const sockets: Socket[] = []
      const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const address = silent.address()
      const mute = new URL(url)
      mute.port = String(typeof address === 'object' ? address?.port : 0)
      const toSilence = rejection(
        openStore({ url: mute.href, clock: () => start, migrations: {}, migrate: 'refuse' }),
      )
      await other.database.transaction().execute(async (work) => {
        await sql`lock table acmcp_tokens in access exclusive mode`.execute(work)
        const error = await rejection(store.redeemCode('code-1', pair('b')))
        t.ok(error instanceof StoreBusy, String(error))
      })
      t.strictSame(await store.rotateRefresh('refresh-a', pair('b')), { kind: 'redeemed', grantId: 'g1' })
      t.ok((await toSilence) instanceof StoreUnavailable)
      for (const socket of sockets) socket.destroy()
      silent.close()
    },
  )

  t.test(
    'PostgreSQL at its limit of connections: who finds none waits for one of ours, and no outage is told',
    async (t) => {
      const { url, admin } = await database(t)
      const [name, role] = [new URL(url).pathname.slice(1), `limited_${randomBytes(4).toString('hex')}`]
      await admin(`create role ${role} login password 'a-test-password' connection limit 3`)
      for (const table of ['all tables in schema public', 'schema public'])
        await admin(`grant all on ${table} to ${role}`)
      t.teardown(() => admin(`drop owned by ${role}; drop role ${role}`))
      const limited = new URL(url)
      limited.username = role
      limited.password = 'a-test-password'
      const { reported, onOutage } = outages()
      const options = { url: limited.href, clock: () => start, migrations: {}, migrate: 'refuse' } as const
      const store = await openStore({ ...options, onOutage })
      t.teardown(() => store.close())
      const found = await Promise.all(Array.from({ length: 400 }, () => store.findUser('u')))
      t.strictSame([...new Set(found.map((item) => item?.id))], ['u'], name)
      const writes = Array.from({ length: 30 }, (_, i) => store.saveUser({ ...user, id: `u${i}` }))
      t.equal((await Promise.all(writes)).length, 30)
      t.strictSame(reported, [])
    },
  )

  t.test('PostgreSQL that gives no connection for as long as one is waited for: an outage', async (t) => {
    const { url, admin } = await database(t)
    const role = `nobody_${randomBytes(4).toString('hex')}`
    await admin(`create role ${role} login password 'a-test-password' connection limit 1`)
    for (const table of ['all tables in schema public', 'schema public'])
      await admin(`grant all on ${table} to ${role}`)
    t.teardown(() => admin(`drop owned by ${role}; drop role ${role}`))
    const limited = new URL(url)
    limited.username = role
    limited.password = 'a-test-password'
    const { reported, onOutage } = outages()
    const pool = { ...defaultPool, connectSeconds: 1, idleSeconds: 1 }
    const options = { url: limited.href, clock: () => start, migrations: {}, migrate: 'refuse' } as const
    const store = await openStore({ ...options, pool, onOutage })
    t.teardown(() => store.close())
    await admin(cutSessions)
    const held = new pg.Client({ connectionString: limited.href })
    await held.connect()
    const error = await rejection(noticesTheCut(store).then(() => store.findUser('u')))
    t.ok(error instanceof StoreUnavailable && !(error instanceof StoreBusy), String(error))
    t.match(reported.at(-1), /too many connections/)
    const waiting = Array.from({ length: 20 }, () => store.findUser('u'))
    await held.end()
    t.strictSame(
      await Promise.all(waiting),
      waiting.map(() => user),
      'all of them, when one is free before the wait is over',
    )
    t.equal(reported.at(-1), 'ended')
  })

  t.teardown(() => server.stop())
}
