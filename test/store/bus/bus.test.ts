/** What instances on one PostgreSQL tell each other. */
import pg from 'pg'
import t, { type Test } from 'tap'
import type { Bus, BusMessage } from '../../../runtime/contract/bus.ts'
import { busSeal } from '../../../runtime/store/postgres/bus-messages.ts'
import { DeafConnection } from '../../../runtime/store/store.ts'
import { openStore } from '../../support/whole-store.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { start } from '../support.ts'
import { deafProxy, openProxy } from './deaf-proxy.ts'
import { losingProxy } from './losing-proxy.ts'

const busSecret = 'the secret of the instances is long enough'

const server = await postgresOrNotice((text) => t.comment(text))

/** Beats when the test says so. */
function heart() {
  const beats: (() => Promise<void>)[] = []
  const every = (_everyMs: number, work: () => Promise<void>) => {
    beats.push(work)
    return async () => {}
  }
  return { every, beat: () => Promise.all(beats.map((work) => work())) }
}

interface Member {
  readonly bus: Bus
  readonly heard: unknown[]
  /** Resolves when so many things have been heard. */
  hears(count: number): Promise<readonly unknown[]>
}

/** An instance, as another process would be one. */
async function member(t: Test, url: string, every = heart().every): Promise<Member> {
  const store = await openStore({ url, clock: () => start, migrations: {}, migrate: 'apply' })
  t.teardown(() => store.close())
  const bus = await store.joinBus(every, [busSecret])
  t.teardown(() => bus.close())
  const heard: unknown[] = []
  let wake = (): void => {}
  const hear = (message: unknown): void => {
    heard.push(message)
    wake()
  }
  bus.subscribe('news', hear)
  bus.onGap(() => hear('a gap'))
  return {
    bus,
    heard,
    async hears(count) {
      while (heard.length < count)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return heard
    },
  }
}

async function asAdmin(url: string, text: string): Promise<pg.QueryResult> {
  const connection = new pg.Client({ connectionString: url })
  await connection.connect()
  return connection.query(text).finally(() => connection.end())
}

const listeners =
  "select pid from pg_stat_activity where datname = current_database() and application_name = 'acmcp bus'"

t.test('on SQLite there is nobody else', async (t) => {
  const store = await openStore({
    url: 'sqlite::memory:',
    clock: () => start,
    migrations: {},
    migrate: 'apply',
  })
  t.teardown(() => store.close())
  const bus = await store.joinBus(heart().every, [busSecret])
  bus.subscribe('news', () => t.fail('nobody says anything'))
  bus.publish('news', 1)
  await bus.close()
  t.pass('it is silent')
})

if (server !== null) {
  t.test('every other instance hears a message once, whole and in order; who says it does not', async (t) => {
    const url = await server.freshDatabase()
    const [a, b, c] = [await member(t, url), await member(t, url), await member(t, url)]
    const said: BusMessage[] = [1, 'ä "quoted" \\ \u2028', null, [true, { deep: [1.5] }], 'x'.repeat(7000)]
    for (const message of said) a.bus.publish('news', message)
    a.bus.publish('other', 'nobody listens')
    b.bus.publish('news', 'from b')
    t.strictSame(
      [...(await c.hears(6))].filter((hear) => hear !== 'from b'),
      said,
    )
    t.strictSame(await b.hears(5), said)
    t.strictSame(await a.hears(1), ['from b'])
  })

  t.test('what nobody who knows the secret said is no message, and no gap either', async (t) => {
    const url = await server.freshDatabase()
    const [a, b] = [await member(t, url), await member(t, url)]
    const overheard = new pg.Client({ connectionString: url })
    await overheard.connect()
    t.teardown(() => overheard.end())
    const sealed = new Promise<string>((resolve) => {
      overheard.once('notification', ({ payload = '' }) => resolve(payload))
    })
    await overheard.query('listen acmcp')
    a.bus.publish('news', 'sealed')
    const reported = await sealed
    await b.hears(1)
    const plain = JSON.stringify({ from: 'x', serial: 1, topic: 'news', message: 'foreign' })
    const forged = [
      plain,
      `${'A'.repeat(43)}${plain}`,
      JSON.stringify({ from: 'x', serial: 2, topic: ' gap', message: null }),
      reported.replace('sealed', 'altered').replace(/"serial":\d+/, '"serial":99'),
      reported.slice(0, 43),
      '',
    ]
    for (const text of forged) await overheard.query('select pg_notify($1, $2)', ['acmcp', text])
    await overheard.query('select pg_notify($1, $2)', ['acmcp', reported]) // once more, word for word
    a.bus.publish('news', 'the next')
    t.strictSame(await b.hears(2), ['sealed', 'the next'])
  })

  t.test('what was said long ago is no message to an instance that started since', async (t) => {
    const url = await server.freshDatabase()
    const [a, b] = [await member(t, url), await member(t, url)]
    const { rows } = await asAdmin(url, 'select extract(epoch from clock_timestamp()) * 1000 as now')
    const now = Number(rows[0].now)
    const { seal } = busSeal([busSecret])
    const sayAgain = async (message: string, at: number | undefined): Promise<unknown> => {
      const connection = new pg.Client({ connectionString: url })
      await connection.connect()
      const text = seal(JSON.stringify({ from: message, serial: 1, topic: 'news', message, at }))
      return connection.query('select pg_notify($1, $2)', ['acmcp', text]).finally(() => connection.end())
    }
    await sayAgain('an hour ago', now - 3_600_000)
    await sayAgain('in an hour', now + 3_600_000)
    await sayAgain('without a time', undefined)
    await sayAgain('just now', now - 1_000)
    a.bus.publish('news', 'the next')
    t.strictSame(await b.hears(2), ['just now', 'the next'])
  })

  t.test('what is too long to be carried is a gap for the others, and so is too much of it', async (t) => {
    const url = await server.freshDatabase()
    const [a, b] = [await member(t, url), await member(t, url)]
    a.bus.publish('news', 'ü'.repeat(3800))
    a.bus.publish('news', 'short')
    t.strictSame(await b.hears(2), ['a gap', 'short'])
  })

  t.test(
    'a cut connection comes again: a gap for that one, and nothing that others wait to say is lost',
    async (t) => {
      const url = await server.freshDatabase()
      const [a, b] = [await member(t, url), await member(t, url)]
      await asAdmin(url, listeners.replace('select pid', 'select pg_terminate_backend(pid)'))
      a.bus.publish('news', 'while nobody listens')
      await Promise.all([a.hears(1), b.hears(1)])
      b.bus.publish('news', 'again')
      await a.hears(2)
      t.same([a.heard.includes('a gap'), b.heard.includes('a gap')], [true, true])
      t.equal(a.heard.at(-1), 'again')
    },
  )

  t.test('equal messages are several, and one that is sent again is heard once', async (t) => {
    const url = await server.freshDatabase()
    const proxy = await losingProxy(url)
    t.teardown(() => proxy.close())
    const [a, b] = [await member(t, proxy.url), await member(t, url)]
    const isLost = proxy.loseNextAnswer()
    a.bus.publish('news', 'lost?')
    for (let count = 0; count < 3; count += 1) a.bus.publish('news', 'again')
    await isLost
    t.strictSame(await b.hears(4), ['lost?', 'again', 'again', 'again'])
    a.bus.publish('news', 'last')
    t.equal((await b.hears(5)).at(-1), 'last')
    t.strictSame(await a.hears(1), ['a gap'])
  })

  const { power } = server
  if (power !== null) {
    t.test('PostgreSQL restarted: the bus works again, and says that there was a gap', async (t) => {
      const url = await server.freshDatabase()
      const [a, b] = [await member(t, url), await member(t, url)]
      await power.off()
      for (let count = 0; count < 10_100; count += 1) a.bus.publish('news', count)
      await power.on()
      await Promise.all([a.hears(1), b.hears(1)])
      a.bus.publish('news', 'last')
      for (let count = 2; b.heard.at(-1) !== 'last'; count += 1) await b.hears(count)
      t.ok(b.heard.includes('a gap'))
    })
  }

  t.test('who does not hear itself any more connects again', async (t) => {
    const url = await server.freshDatabase()
    const { every, beat } = heart()
    const a = await member(t, url, every)
    const before = (await asAdmin(url, listeners)).rows
    await beat() // it heard the echo of joining
    await beat() // and has not heard this one yet, as nothing was read meanwhile
    t.strictSame(await a.hears(1), ['a gap'])
    const after = (await asAdmin(url, listeners)).rows
    t.notSame(after, before, 'another connection')
  })

  t.test(
    'behind a pooler that drops notifications it refuses to start, with the reason',
    { timeout: 60_000 },
    async (t) => {
      const proxy = await deafProxy(await server.freshDatabase())
      t.teardown(() => proxy.close())
      const store = await openStore({ url: proxy.url, clock: () => start, migrations: {}, migrate: 'apply' })
      t.teardown(() => store.close())
      const refused: unknown = await store
        .joinBus(heart().every, [busSecret])
        .catch((error: unknown) => error)
      t.ok(refused instanceof DeafConnection)
      t.match(String(refused), /pool_mode = session/)
      t.strictSame((await asAdmin(proxy.behind, listeners)).rows, [], 'no connection is left')
    },
  )

  t.test(
    'while it may say nothing it tells of no gap; one is told when it may again, and nothing is lost',
    async (t) => {
      const url = await server.freshDatabase()
      const b = await member(t, url)
      const name = new URL(url).pathname.slice(1)
      const limited = new URL(url)
      limited.username = `r_${name}`
      limited.password = 'x'
      await asAdmin(
        url,
        `create role r_${name} login password 'x'; grant all on all tables in schema public to r_${name}`,
      )
      t.teardown(() => asAdmin(url, `drop owned by r_${name}; drop role r_${name}`))
      const proxy = await openProxy(limited.href)
      t.teardown(() => proxy.close())
      const a = await member(t, proxy.url)
      const notify = 'execute on function pg_catalog.pg_notify(text, text)'
      await asAdmin(url, `revoke ${notify} from public`)
      a.bus.publish('news', 'late')
      await proxy.connections(3)
      t.strictSame([a.heard, b.heard], [[], []], 'it connected again and again')
      await asAdmin(url, `grant ${notify} to public`)
      t.strictSame(await b.hears(1), ['late'])
      t.strictSame(await a.hears(1), ['a gap'])
    },
  )

  t.test('closing says what was published before, and leaves no connection', async (t) => {
    const url = await server.freshDatabase()
    const [a, b] = [await member(t, url), await member(t, url)]
    a.bus.publish('news', 'goodbye')
    a.bus.publish('news', 'this waits until that is sent')
    await a.bus.close()
    t.strictSame(await b.hears(2), ['goodbye', 'this waits until that is sent'])
    t.equal(await b.bus.close(), true)
    t.strictSame((await asAdmin(url, listeners)).rows, [])
  })

  t.teardown(() => server.stop())
}
