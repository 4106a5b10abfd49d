/** `this.services.publish` and `subscribe`, in one instance and between two on one PostgreSQL. */
import { join } from 'node:path'
import Libsql from 'libsql'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { Environment } from '../../runtime/boot/environment.ts'
import type { BusMessage } from '../../runtime/contract/bus.ts'
import { openTestApp } from '../../runtime/testing.ts'
import { postgresOrNotice } from '../store/postgres-server.ts'

const server = await postgresOrNotice((text) => t.comment(text))

/** An instance of the application, and what it logs of its listeners. */
async function instance(t: Test, databaseUrl: string, others: Partial<Environment> = {}) {
  const logged: { readonly topic: string; readonly error: string }[] = []
  const write = (line: string): void => {
    const { topic, err, msg } = JSON.parse(line)
    logged.push({ topic, error: `${msg}: ${err?.message}` })
  }
  const environment = { databaseUrl, logLevel: 'error', ...others } as const
  const app = await openTestApp({ environment, logStream: { write } })
  let closed: Promise<void> | null = null
  const close = (): Promise<void> => {
    closed ??= app.close()
    return closed
  }
  t.teardown(close)
  return { ...app.services, logged, close }
}

/** What is heard; `count` resolves when it is so much. */
function ear() {
  const heard: unknown[] = []
  let wake = (): void => {}
  const hear = (message: unknown): void => {
    heard.push(message)
    wake()
  }
  const count = async (wanted: number): Promise<readonly unknown[]> => {
    while (heard.length < wanted)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    return heard
  }
  return { heard, hear, count }
}

const messages: readonly BusMessage[] = [
  'ä "quoted" \\ \u2028 \u0000 \ud800',
  0,
  -1.5e300,
  true,
  null,
  [],
  [[{ deep: [1] }]],
  { '': {}, ['__proto__']: 1 },
]

const addresses = ['sqlite::memory:', ...(server === null ? [] : [await server.freshDatabase()])]
for (const address of addresses) {
  const engine = address.split(':')[0]
  t.test(
    `${engine}: listeners of an instance hear what it publishes, before publishing returns`,
    async (t) => {
      const { publish, subscribe } = await instance(t, address)
      const { heard, hear } = ear()
      const other = ear()
      const unsubscribe = subscribe('news', hear)
      subscribe('news', hear)
      subscribe('other', other.hear)
      for (const message of messages) publish('news', message)
      t.strictSame(
        heard,
        messages.flatMap((message) => [message, message]),
      )
      t.strictSame(other.heard, [])
      unsubscribe()
      unsubscribe()
      publish('news', 'once')
      t.strictSame(heard.slice(2 * messages.length), ['once'])
    },
  )

  t.test(`${engine}: a listener can do no harm to others`, async (t) => {
    const { publish, subscribe, logged } = await instance(t, address)
    const { heard, hear } = ear()
    const said = { list: [1] }
    subscribe('news', (message) => {
      Object.assign(Object(message), { list: [2] })
    })
    subscribe('news', async () => {
      throw new Error('later')
    })
    subscribe('news', hear)
    publish('news', said)
    said.list.push(3)
    t.strictSame(heard, [{ list: [1] }])
    await Promise.resolve()
    const what = 'a listener of application events failed'
    t.strictSame(logged, [
      { topic: 'news', error: `${what}: Cannot assign to read only property 'list' of object '#<Object>'` },
      { topic: 'news', error: `${what}: later` },
    ])
  })

  t.test(`${engine}: what a listener does counts from the next message on, for all of them`, async (t) => {
    const { publish, subscribe } = await instance(t, address)
    const order: unknown[] = []
    let isFirst = true
    subscribe('news', (message) => {
      order.push(['first', message])
      if (!isFirst) return
      isFirst = false
      publish('news', 2)
      gone()
      subscribe('news', (later) => order.push(['new', later]))
    })
    const gone = subscribe('news', (message) => order.push(['gone', message]))
    subscribe('news', (message) => order.push(['last', message]))
    publish('news', 1)
    t.strictSame(order, [
      ['first', 1],
      ['last', 1],
      ['first', 2],
      ['last', 2],
      ['new', 2],
    ])
  })
}

t.test(
  'what JSON cannot say, and what is too long, is refused with the reason, and heard by nobody',
  async (t) => {
    const { publish, subscribe } = await instance(t, 'sqlite::memory:')
    const { heard, hear } = ear()
    subscribe('news', hear)
    const circle: unknown[] = []
    circle.push(circle)
    const wrong: readonly (readonly [unknown, string])[] = [
      [undefined, 'the message is no JSON: undefined'],
      [Number.NaN, 'the message is no JSON: NaN'],
      [{ at: [1n] }, 'the message.at[0] is no JSON: bigint'],
      [{ at: new Date(0) }, 'the message.at is no JSON: an instance of Date'],
      [{ at: undefined }, 'the message.at is no JSON: undefined'],
      [new Array(2), 'the message[0] is no JSON: undefined'],
      [Symbol('one'), 'the message is no JSON: symbol'],
      [circle, `the message${'[0]'.repeat(1001)} is nested too deep, or holds itself`],
    ]
    for (const [message, text] of wrong)
      t.throws(() => publish('news', message as BusMessage), new TypeError(text)) // types refuse it already
    const long = 'publish an id, and read the rest'
    t.throws(
      () => publish('news', 'ü'.repeat(3496)),
      new RangeError(
        `a message for news has 7003 bytes of JSON with its topic, at most 7000 are carried: ${long}`,
      ),
    )
    for (const topic of ['', 'x'.repeat(201)]) {
      const error = new RangeError(`a topic has 1 to 200 characters, not ${topic.length}`)
      t.throws(() => publish(topic, 1), error)
      t.throws(() => subscribe(topic, hear), error)
    }
    t.strictSame(heard, [])
  },
)

t.test('on a file nobody else listens: nothing is written there', async (t) => {
  const file = join(t.testdir(), 'a.db')
  const { publish, close } = await instance(t, `sqlite:${file}`)
  for (let count = 0; count < 3; count += 1) publish('news', count)
  await close()
  const database = new Libsql(file)
  t.strictSame(database.prepare('select version from acmcp_changes').all(), [{ version: 0 }])
  database.close()
})

if (server !== null) {
  t.test(
    'every other instance hears a message once and in order, as long as may be, and equal ones too',
    async (t) => {
      const url = await server.freshDatabase()
      const [a, b, c] = [await instance(t, url), await instance(t, url), await instance(t, url)]
      const topics = ['news', 'revoked', ' gap', 'x'.repeat(200)]
      const said = topics.flatMap((topic) =>
        [...messages, 'ü'.repeat(3395), 7, 7, 7].map((message) => [topic, message] as const),
      )
      const ears = [a, b, c].map(({ subscribe }) => {
        const { hear, count } = ear()
        for (const topic of topics) subscribe(topic, (message) => hear([topic, message]))
        return count
      })
      for (const [topic, message] of said) a.publish(topic, message)
      a.publish('news', 'the end')
      for (const count of ears) t.strictSame(await count(said.length + 1), [...said, ['news', 'the end']])
    },
  )

  t.test('instances with other secrets, as the tests of another process have, are not heard', async (t) => {
    const url = await server.freshDatabase()
    const stranger = await instance(t, url, { sessionSecrets: ['s'.repeat(32)] })
    const [a, b] = [await instance(t, url), await instance(t, url)]
    const { hear, count } = ear()
    b.subscribe('news', hear)
    stranger.publish('news', 'of a stranger')
    await stranger.close() // it has been sent
    a.publish('news', 'of an instance')
    t.strictSame(await count(1), ['of an instance'])
  })

  t.test('what came from elsewhere is frozen too, and after a cut connection there is a gap', async (t) => {
    const url = await server.freshDatabase()
    const [a, b] = [await instance(t, url), await instance(t, url)]
    const { hear, count } = ear()
    const gaps = ear()
    b.subscribe('news', (message) => hear([Object.isFrozen(message), message]), {
      onGap: () => gaps.hear('a gap'),
    })
    const over = b.subscribe('news', () => {}, { onGap: () => gaps.hear('of one that is gone') })
    b.subscribe('news', () => {}, { onGap: () => Promise.reject(new Error('in onGap')) })
    over()
    a.publish('news', { one: 1 })
    t.strictSame(await count(1), [[true, { one: 1 }]])
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    t.teardown(() => admin.end())
    await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'acmcp bus'",
    )
    t.strictSame(await gaps.count(1), ['a gap'])
    a.publish('news', 'again')
    t.strictSame((await count(2)).at(-1), [true, 'again'])
    t.strictSame(b.logged, [{ topic: 'news', error: 'a listener of application events failed: in onGap' }])
  })

  t.teardown(() => server.stop())
}
