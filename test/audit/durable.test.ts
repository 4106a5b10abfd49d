/** When rows are written, what is lost and when, on both engines. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import Libsql from 'libsql'
import pg from 'pg'
import t, { type Test } from 'tap'
import { KeptTrail } from '../../runtime/capabilities/audit/audit-trail.ts'
import { auditTables } from '../../runtime/capabilities/audit/tables.ts'
import type { NewAuditRecord } from '../../runtime/contract/calls.ts'
import { type Store, StoreUnavailable } from '../../runtime/store/store.ts'
import { spawnServe, temporaryFolder } from '../flow/support.ts'
import { postgresOrNotice } from '../store/postgres-server.ts'
import { rejection } from '../store/support.ts'
import { freePort } from '../support/free-port.ts'
import { openStore, type WholeStore } from '../support/whole-store.ts'
import { auditAt, buildVault, jwtSecret, openVault, sessionSecret, start } from './support/vault.ts'

t.setTimeout(120_000)
t.jobs = 3 // SQLite waits five seconds for a lock

const root = await buildVault()

interface Place {
  readonly url: string
  /** Reads go on, writes do not. */
  away(): Promise<void>
  back(): Promise<void>
}

function sqlitePlace(): Place {
  const path = join(temporaryFolder(), 'audit.db')
  const locker: Libsql.Database[] = []
  return {
    url: `sqlite:${path}`,
    away: async () => {
      locker.push(new Libsql(path))
      locker[0]?.exec('begin immediate')
    },
    back: async () => {
      locker.pop()?.close()
    },
  }
}

function postgresPlace(url: string): Place {
  const admin = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  const name = new URL(url).pathname.slice(1)
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`
  return {
    url,
    away: async () => {
      await admin(`alter database ${name} set default_transaction_read_only = on`)
      await admin(cut)
    },
    back: async () => {
      await admin(`begin read write; alter database ${name} reset default_transaction_read_only; commit`)
      await admin(cut)
    },
  }
}

/** After its connections were cut, until it has noticed. */
async function noticed(store: Store): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) await store.findUser('nobody').catch(() => null)
}

const server = await postgresOrNotice((text) => t.comment(text))
const engines: readonly (readonly [string, () => Promise<Place>])[] = [
  ['SQLite', async () => sqlitePlace()],
  ...(server === null
    ? []
    : [['PostgreSQL', async () => postgresPlace(await server.freshDatabase())] as const]),
]

/** A trail on a store of its own, whose clock stands still. `unheard`: what is thrown after a batch was written all the same. */
async function trailAt(
  t: Test,
  url: string,
  unheard: (records: readonly NewAuditRecord[]) => Error | null = () => null,
): Promise<{ trail: KeptTrail; store: WholeStore; lines: unknown[]; tick: () => Promise<void> }> {
  const store = await openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' })
  t.teardown(() => store.close())
  const lines: unknown[] = []
  const write = (fields: unknown, message: string): void => void lines.push([message, fields])
  let tick = async (): Promise<void> => {}
  const trail = new KeptTrail({
    store: {
      appendAudit: async (records) => {
        await store.appendAudit(records)
        const error = unheard(records)
        if (error !== null) throw error
      },
    },
    clock: () => start,
    randomBytes,
    every: (_ms, work) => {
      tick = work
      return async () => {}
    },
    log: { info: write, warn: write, error: write },
  })
  return { trail, store, lines, tick: () => tick() }
}

for (const [engine, newPlace] of engines) {
  t.test(
    `${engine}: rows wait for the second, for 250 or for a strict one, and for the end`,
    { buffered: true },
    async (t) => {
      const { url } = await newPlace()
      const { trail, store, tick } = await trailAt(t, url)
      const count = async (): Promise<number> => (await store.listAudit({}, 10_000)).length
      trail.record({ event: 'sign-in', user: 'a' })
      t.equal(await count(), 0)
      await tick()
      t.equal(await count(), 1)
      trail.record({ event: 'sign-in', user: 'b' })
      await trail.recordDurably({ event: 'request', user: 'c' })
      t.strictSame(
        (await store.listAudit({}, 2)).map(({ user }) => user),
        ['b', 'c'],
        'and what waited before it',
      )
      for (let n = 0; n < 250; n += 1) trail.record({ event: 'sign-in', user: 'd' })
      await trail.recordDurably({ event: 'request', user: 'e' }) // by now the 250 are written
      t.equal(await count(), 254)
      trail.record({ event: 'sign-out', user: 'f' })
      await trail.close()
      t.equal((await store.listAudit({ user: 'f' }, 1)).length, 1)
    },
  )

  t.test(
    `${engine}: two instances at the same moment, and a batch that is written again`,
    { buffered: true },
    async (t) => {
      const { url } = await newPlace()
      const [item, two] = [await trailAt(t, url), await trailAt(t, url)]
      for (let n = 0; n < 5000; n += 1) {
        item.trail.record({ event: 'sign-in', user: 'one' })
        two.trail.record({ event: 'sign-in', user: 'two' })
      }
      await Promise.all([item.trail.close(), two.trail.close()])
      const rows = await item.store.listAudit({}, 100_000)
      t.strictSame([rows.length, new Set(rows.map(({ id }) => id)).size], [10_000, 10_000])
      const ofOne = rows
        .filter(({ user }) => user === 'one')
        .map(({ id, at, ...entry }) => ({ id, at, entry }))
      for (const batch of [ofOne.slice(0, 250), ofOne.slice(261, 500)]) await item.store.appendAudit(batch)
      t.equal((await item.store.listAudit({}, 100_000)).length, 10_000)
      t.strictSame((await item.store.listAudit({ user: 'two' }, 100_000)).length, 5000)
    },
  )

  t.test(
    `${engine}: a batch of which nobody heard that it was written comes again alone: no row is lost or doubled`,
    { buffered: true },
    async (t) => {
      const { url } = await newPlace()
      const sizes: number[] = []
      let isUnheard = true
      const { trail, store, lines, tick } = await trailAt(t, url, ({ length }) => {
        sizes.push(length)
        return isUnheard ? new StoreUnavailable() : null
      })
      for (let n = 0; n < 3; n += 1) trail.record({ event: 'sign-in', user: `before ${n}` })
      const strict = await rejection(trail.recordDurably({ event: 'request', user: 'strict' }))
      t.ok(strict instanceof StoreUnavailable)
      for (let n = 0; n < 9998; n += 1) trail.record({ event: 'sign-in', user: `after ${n}` })
      await tick()
      isUnheard = false
      await trail.recordDurably({ event: 'request', user: 'last' })
      t.strictSame([sizes.slice(0, 4), sizes.at(-1)], [[4, 2, 2, 250], 249])
      const rows = await store.listAudit({}, 100_000)
      const users = [...rows.slice(0, 5), ...rows.slice(-2)].map(({ user }) => user)
      t.strictSame(users, [
        ...['before 0', 'before 1', 'before 2', 'strict', 'after 0'],
        ...['after 9997', 'last'],
      ])
      t.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
      t.strictSame(rows[3]?.detail, null, 'its row was there before its answer was withheld')
      const told = { event: 'audit-loss', rows: 2 } // who does not know that they are there
      t.strictSame(lines, [['rows of the audit were lost', told]])
    },
  )

  t.test(
    `${engine}: the store is away: 10,000 rows wait, then the oldest are lost and counted`,
    { buffered: true },
    async (t) => {
      const { url, away, back } = await newPlace()
      const { trail, store, lines, tick } = await trailAt(t, url)
      await away()
      await noticed(store)
      for (let n = 0; n < 10_010; n += 1) trail.record({ event: 'sign-in', user: String(n) })
      t.ok(
        (await rejection(trail.recordDurably({ event: 'request', user: 'strict' }))) instanceof
          StoreUnavailable,
      )
      await back()
      await noticed(store)
      await tick()
      const rows = await store.listAudit({}, 100_000)
      t.strictSame([rows.length, rows[0]?.user, rows.at(-1)?.user], [10_000, '11', 'strict'])
      t.strictSame(rows.at(-1)?.detail, { withheld: true })
      t.strictSame(lines, [['rows of the audit were lost', { event: 'audit-loss', rows: 11 }]])
    },
  )

  t.test(
    `${engine}: an answer whose row cannot be written is withheld; its row comes later`,
    { buffered: true },
    async (t) => {
      const { url, away, back } = await newPlace()
      const app = await openVault({ root, url, clock: { now: start } })
      const token = await app.accessToken(undefined, { scope: 'vault:write' })
      const client = app.client().withBearer(token)
      const { store } = app.application
      const args = { name: 'n', value: 'v' }
      await client.tool('vault_keep', args)
      await away()
      await noticed(store)
      const [asTool, overHttp] = await Promise.all([
        client.tool('vault_keep', args),
        client.json('/vault', args),
      ])
      t.strictSame(asTool, {
        isError: true,
        content: [
          {
            type: 'text',
            text: '503 Service Unavailable\nthe call may have run, but it could not be recorded: its answer is withheld',
          },
        ],
      })
      t.equal(overHttp.statusCode, 503)
      t.ok(Number(overHttp.headers['retry-after']) > 0)
      await back()
      await noticed(store)
      t.equal((await client.json('/vault', args)).statusCode, 200)
      await app.close()
      const rows = (await auditAt(url)).filter(({ route }) => route === 'vault_keep')
      t.strictSame(
        rows.map(({ event, status, isError, detail }) => [event, status, isError, detail]).sort(),
        [
          ['request', 200, false, null],
          ['request', 200, false, { withheld: true }],
          ['tool-call', 200, false, null],
          ['tool-call', 200, false, { withheld: true }],
        ],
      )
    },
  )

  t.test(`${engine}: old rows go, in batches`, { buffered: true }, async (t) => {
    const { url } = await newPlace()
    const { store, trail } = await trailAt(t, url)
    for (let n = 0; n < 1200; n += 1) trail.record({ event: 'sign-in', user: 'a' })
    await trail.close()
    const dayMs = 86_400_000
    const later = async (days: number, keptDays: number | null): Promise<number> => {
      const keptMs = new Map(keptDays === null ? [] : auditTables.map(({ name }) => [name, keptDays * dayMs]))
      const other = await openStore({
        url,
        clock: () => start + days * dayMs,
        migrations: {},
        migrate: 'refuse',
        keptMs,
      })
      return other.purgeExpired().finally(() => other.close())
    }
    t.equal(await later(1000, null), 0)
    t.equal(await later(30, 30), 0)
    t.equal(await later(30.001, 30), 1200)
    t.strictSame(await store.listAudit({}, 10), [])
  })

  t.test(
    `${engine}: SIGKILL loses no row of an answer that was given to a strict call, and none before it`,
    { buffered: true },
    async (t) => {
      const { url } = await newPlace()
      const port = await freePort()
      const app = await openVault({ root, url, clock: { now: Date.now() } })
      const token = await app.accessToken(undefined, { scope: 'vault:read vault:write' })
      await app.close()
      const env = {
        DATABASE_URL: url,
        PORT: String(port),
        JWT_SECRET: jwtSecret,
        SESSION_SECRET: sessionSecret,
        BASE_URL: 'http://localhost:3000',
      }
      const killed = await spawnServe(root, env)
      /** Null = it is gone. */
      const post = async (name: string, args: object): Promise<boolean | null> => {
        const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${token}`,
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name, arguments: args },
          }),
        }).catch(() => null)
        const text = await answer?.text().catch(() => null)
        if (text?.includes('"isError"')) t.comment(text)
        return text == null ? null : !text.includes('"isError"')
      }
      let answered = 0
      let isUp = true
      const work = async (): Promise<void> => {
        while (isUp) {
          const found = await post('vault_find', { name: 'x' })
          const kept = await post('vault_keep', { name: 'x', value: 'y' })
          isUp = found !== null && kept !== null
          if (found && kept) answered += 1
          if (answered === 60) killed.process.kill('SIGKILL')
        }
      }
      await Promise.all([work(), work(), work(), work()])
      if (killed.process.signalCode === null) await once(killed.process, 'exit')
      const rows = await auditAt(url)
      const of = (route: string): number => rows.filter((row) => row.route === route).length
      t.ok(answered >= 60, `${answered} strict calls were answered`)
      t.ok(of('vault_keep') >= answered, `${of('vault_keep')} are recorded`)
      t.ok(of('vault_find') >= answered, 'the plain call before each of them too')
    },
  )
}

t.test('a row that the database does not take takes no other with it', async (t) => {
  const written: (string | null | undefined)[] = []
  const lines: unknown[] = []
  const write = (fields: unknown, message: string): void => void lines.push([message, fields])
  const tooLong = new Error('index row size 9048 exceeds the maximum')
  const trail = new KeptTrail({
    store: {
      appendAudit: async (records) => {
        const users = records.map(({ entry }) => entry.user)
        if (users.includes('long')) throw tooLong
        written.push(...users)
      },
    },
    clock: () => start,
    randomBytes,
    every: () => async () => {},
    log: { info: write, warn: write, error: write },
  })
  const strict = (user: string): Promise<unknown> =>
    trail.recordDurably({ event: 'request', user }).then(
      () => 'recorded',
      (error: unknown) => error,
    )
  const before = strict('a')
  trail.record({ event: 'sign-in', user: 'b' })
  t.strictSame(await Promise.all([before, strict('long'), strict('c')]), ['recorded', tooLong, 'recorded'])
  await trail.close()
  t.strictSame(written, ['a', 'b', 'c'])
  t.strictSame(lines, [
    ['the audit could not be written', { err: tooLong }],
    ['rows of the audit were lost', { event: 'audit-loss', rows: 1 }],
  ])
})

t.test('refusals that repeat are one row, and at the end of a minute one that counts them', async (t) => {
  const digests: string[] = []
  const written: unknown[] = []
  const clock = { now: start }
  let tick = async (): Promise<void> => {}
  const trail = new KeptTrail({
    store: {
      appendAudit: async (records) => {
        for (const { entry } of records) {
          written.push([entry.user, entry.tool, entry.decision, entry.detail ?? null])
          if (entry.argumentsDigest != null) digests.push(entry.argumentsDigest)
        }
      },
    },
    clock: () => clock.now,
    randomBytes,
    every: (_everyMs, work) => {
      tick = work
      return async () => {}
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
  })
  const entry = { event: 'tool-call', route: 'notes_show', status: 429 } as const
  const refuse = (user: string, tool: string): void => trail.record({ ...entry, user, tool, decision: 429 })
  for (let count = 0; count < 100; count += 1) refuse('ada', 'notes_show')
  for (const tool of ['x', 'y', 'z'])
    trail.record({ ...entry, route: null, user: 'ada', tool, decision: 403 })
  refuse('bob', 'notes_show')
  await trail.recordDurably({ event: 'request', route: 'notes_show', user: null, decision: 401 })
  await trail.recordDurably({ event: 'request', route: 'notes_show', user: null, decision: 401 })
  trail.record({ ...entry, user: 'ada', tool: 'notes_show', decision: 'allowed' })
  trail.record({ ...entry, user: 'ada', tool: 'notes_show', decision: 'allowed' })
  const strict = (user: string | null, argumentsDigest: string | null, decision: 403 | 429): Promise<void> =>
    trail.recordDurably({ event: 'request', route: 'strict', user, decision, argumentsDigest })
  const forbidden = ['ada', 'ada', null, null] as const
  for (const [place, user] of forbidden.entries()) await strict(user, `digest-${place}`, 403)
  for (const digest of ['digest-4', 'digest-5']) await strict('ada', digest, 429)
  await tick()
  const first = [
    ['ada', 'notes_show', 429, null],
    ['ada', 'x', 403, null],
    ['bob', 'notes_show', 429, null],
    [null, undefined, 401, null],
    ['ada', 'notes_show', 'allowed', null],
    ['ada', 'notes_show', 'allowed', null],
    ['ada', undefined, 403, null], // what a known user may not do on a strict route has its row each time
    ['ada', undefined, 403, null],
    [null, undefined, 403, null],
    ['ada', undefined, 429, null],
  ]
  t.strictSame(written.splice(0), first)
  t.strictSame(digests, ['digest-0', 'digest-1', 'digest-2', 'digest-4'])
  clock.now += 60_000
  await tick()
  t.strictSame(written.splice(0), [
    ['ada', 'notes_show', 429, { repeated: 99 }],
    ['ada', null, 403, { repeated: 2 }],
    [null, null, 401, { repeated: 1 }],
    [null, null, 403, { repeated: 1 }],
    ['ada', null, 429, { repeated: 1 }],
  ])
  for (let count = 0; count < 3; count += 1) refuse('ada', 'notes_show')
  await trail.close()
  t.strictSame(written, [
    ['ada', 'notes_show', 429, null],
    ['ada', 'notes_show', 429, { repeated: 2 }],
  ])
})

if (server !== null) t.teardown(() => server.stop())
