/** Keys while the store is away: nothing runs without its claim, and what ran is never run again. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, renameSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { temporaryFolder } from '../flow/support.ts'
import { type PostgresServer, postgresOrNotice } from '../store/postgres-server.ts'
import { type Call, heldMethod, openShops, type Shop, type Told } from './instances.ts'
import { ada, builtShop, openShop } from './shop.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await loadBundle(await builtShop())
const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

/** A database that can be away. */
interface Database {
  readonly databaseUrl: string
  readonly away: () => Promise<void>
  readonly back: () => Promise<void>
}

async function onSqlite(): Promise<Database> {
  const folder = temporaryFolder()
  const [here, elsewhere] = [join(folder, 'data'), join(folder, 'elsewhere')]
  mkdirSync(here)
  return {
    databaseUrl: `sqlite:${join(here, 'shop.db')}`,
    away: async () => renameSync(here, elsewhere),
    back: async () => renameSync(elsewhere, here),
  }
}

const onPostgres = async (server: PostgresServer): Promise<Database> => {
  const databaseUrl = await server.freshDatabase()
  const name = new URL(databaseUrl).pathname.slice(1)
  const admin = async (...statements: readonly string[]): Promise<void> => {
    const connection = new pg.Client({ connectionString: server.url })
    await connection.connect()
    for (const text of statements) await connection.query(text)
    await connection.end()
  }
  return {
    databaseUrl,
    away: () =>
      admin(
        `alter database ${name} with allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      ),
    back: () => admin(`alter database ${name} with allow_connections true`),
  }
}

const engines: Readonly<Record<string, () => Promise<Database>>> = {
  SQLite: onSqlite,
  ...(postgres === null ? {} : { PostgreSQL: () => onPostgres(postgres) }),
}

const work: Call = { url: '/caught', tool: '', body: { text: 'work' }, key: 'work' }
const unavailable: Told = { status: 503, said: 'the store is not available' }
const isDone: Told = { status: 200, said: 'work' }

for (const [engine, open] of Object.entries(engines))
  t.test(`${engine}: a store that is away, of a controller that answers whatever fails`, async (t) => {
    const { databaseUrl, away, back } = await open()
    const secrets = [randomBytes(32).toString('hex')]
    const { all, byApiKey, overHttp, pass } = await openShops(t, bundle, {
      databaseUrl,
      secrets: [secrets, secrets],
    })
    const [here, there] = all as [Shop, Shop]
    /** The news of a cut may come with the first question after it. */
    const whenBack = async (shop: Shop, call: Call): Promise<Told> => {
      for (;;) {
        const told = await byApiKey(shop, call)
        if (told.status !== 503) return told
      }
    }
    const method = heldMethod()
    await away()
    t.strictSame(await byApiKey(here, work), unavailable)
    t.strictSame(await overHttp(here, work), unavailable, 'by a token, whose user cannot be found')
    t.equal(method.runs(), 0)
    await back()
    const first = whenBack(here, work)
    await method.begun
    await away()
    method.go()
    t.strictSame(await first, isDone, 'its client has the answer')
    await back()
    const running = { status: 409, said: 'urn:acmcp:idempotency-running' }
    for (const shop of all) t.strictSame(await whenBack(shop, work), running)
    pass(30_000)
    const unknown = { status: 409, said: 'urn:acmcp:idempotency-unknown' }
    t.strictSame(await whenBack(here, work), unknown)
    t.strictSame(await whenBack(there, work), unknown)
    t.equal(method.runs(), 1)
  })

if (postgres !== null)
  t.test('filters that hold every connection: whose key it is, is known without another', async (t) => {
    const { app } = await openShop({ environment: { databaseUrl: await postgres.freshDatabase() } })
    t.teardown(() => app.close())
    const browser = app.client()
    await browser.signIn(ada)
    const calls = Array.from({ length: 40 }, (_, at) =>
      browser.withHeaders({ 'idempotency-key': `k${at % 20}` }).json('/ledger', { text: `${at % 20}` }),
    )
    const told = await Promise.all(calls)
    t.strictSame([...new Set(told.map(({ statusCode }) => statusCode))].sort(), [200, 409])
    const entries: readonly string[] = (await browser.get('/ledger')).json()
    t.strictSame(
      entries.map(Number).sort((a, b) => a - b),
      Array.from({ length: 20 }, (_, at) => at),
    )
  })

/** Stands before a PostgreSQL, and cuts a connection once: when a statement is sent, which never arrives, or when its answer comes. */
interface Cutter {
  readonly databaseUrl: string
  readonly cutAt: (statement: string, when: 'sent' | 'answered') => void
  readonly close: () => void
}

async function cutterBefore(databaseUrl: string): Promise<Cutter> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets: Socket[] = []
  let next: { readonly statement: string; readonly when: 'sent' | 'answered' } | null = null
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    sockets.push(client, server)
    let isCut = false
    const cut = (): void => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) socket.on('error', cut).on('close', cut)
    client.on('data', (sent) => {
      const cutting = next !== null && sent.includes(next.statement) ? next : null
      if (cutting !== null) next = null
      if (cutting?.when === 'sent') return cut()
      isCut ||= cutting !== null
      server.write(sent)
    })
    server.on('data', (answer) => (isCut ? cut() : client.write(answer)))
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return {
    databaseUrl: url.href,
    cutAt: (statement, when) => {
      next = { statement, when }
    },
    close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },
  }
}

const claiming = 'insert into acmcp_idempotency_keys'
const settling = 'update acmcp_idempotency_keys'

if (postgres !== null)
  t.test('a connection that is cut: what was not heard of the database is found there', async (t) => {
    const cutter = await cutterBefore(await postgres.freshDatabase())
    const { databaseUrl, cutAt } = cutter
    const { all, overHttp, effects } = await openShops(t, bundle, {
      databaseUrl,
      secrets: [['s'.repeat(64)]],
    })
    t.teardown(cutter.close)
    const [shop] = all as [Shop]
    const before = (await effects()).length
    const again = async (call: Call): Promise<Told> => {
      for (;;) {
        const told = await overHttp(shop, call)
        if (told.status !== 503 && told.said !== 'urn:acmcp:idempotency-running') return told
      }
    }
    const cuts = [
      ['order', claiming, 'sent', unavailable],
      ['order', claiming, 'answered', unavailable],
      ['order', settling, 'answered', { status: 200, said: 'order' }],
      ['pay', claiming, 'answered', unavailable],
      ['pay', settling, 'sent', unavailable],
      ['pay', settling, 'answered', unavailable],
      ['pay', 'commit', 'sent', unavailable],
      ['pay', 'commit', 'answered', unavailable],
    ] as const
    for (const [kind, statement, when, first] of cuts) {
      const key = `${kind}, ${statement} is ${when}`
      const call =
        kind === 'order'
          ? { url: '/orders/end', tool: '', body: { how: kind }, key }
          : { url: '/ledger/pay', tool: '', body: { text: kind }, key }
      cutAt(statement, when)
      t.strictSame(await overHttp(shop, call), first, key)
      t.strictSame(await again(call), { status: 200, said: kind }, `${key}, again`)
    }
    t.strictSame(
      (await effects()).slice(before),
      cuts.map(([kind]) => (kind === 'order' ? 'end order' : kind)),
    )
  })
