/** One key, one run: however many calls come at once, at two instances, over both entrances. */

import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { loadBundle } from '../../runtime/boot/bundle.ts'
import { deskOf } from '../approval/desk-of.ts'
import { temporaryFolder } from '../flow/support.ts'
import { postgresOrNotice } from '../store/postgres-server.ts'
import { type Call, heldMethod, openShops, type Shop, type Shops, type Told } from './instances.ts'
import { ada, builtShop } from './shop.ts'

t.setTimeout(240_000) // a busy machine

const bundle = await loadBundle(await builtShop())
const postgres = await postgresOrNotice((text) => t.comment(text))
t.teardown(() => postgres?.stop())

const engines: Readonly<Record<string, () => string | Promise<string>>> = {
  SQLite: () => `sqlite:${temporaryFolder()}/shop.db`,
  ...(postgres === null ? {} : { PostgreSQL: () => postgres.freshDatabase() }),
}

const secret = (): string => randomBytes(32).toString('hex')

async function twoShops(
  t: Test,
  databaseUrl: string,
): Promise<Shops & { readonly here: Shop; readonly there: Shop }> {
  const secrets = [secret()]
  const shops = await openShops(t, bundle, { databaseUrl, secrets: [secrets, secrets] })
  const [here, there] = shops.all
  if (here === undefined || there === undefined) throw new Error('there are two')
  return { ...shops, here, there }
}

/** Over all instances, every third as a tool. */
const atOnce = (shops: Shops, call: Call, count: number): Promise<readonly Told[]> =>
  Promise.all(
    Array.from({ length: count }, (_, at) => {
      const shop = shops.all[at % shops.all.length] as Shop // there are as many
      return at % 3 === 0 ? shops.asTool(shop, call) : shops.overHttp(shop, call)
    }),
  )

const done = ({ status }: Told): boolean => status === 200 || status === 201

/** What they were told, and how often the call was done. */
async function raced(shops: Shops, call: Call, count: number) {
  const before = (await shops.effects()).length
  const told = await atOnce(shops, call, count)
  const effects = (await shops.effects()).length - before
  return { effects, answered: told.filter(done), others: told.filter((item) => !done(item)) }
}

const statusesOf = (told: readonly Told[]): readonly number[] =>
  [...new Set(told.map(({ status }) => status))].sort()

async function approveAll({ application }: Shop): Promise<void> {
  const approvals = deskOf(application)
  for (const { row } of (await approvals?.pending(ada.id)) ?? []) {
    const { id, digest } = row
    const how = { user: ada.id, decision: 'approved', method: 'page', authTime: null } as const
    await approvals?.decide({ id, digest, ...how })
  }
}

const calls: Readonly<Record<string, Omit<Call, 'key'>>> = {
  'a route': { url: '/orders', tool: 'orders_place', body: { amount: 5 } },
  'a transaction of a filter': { url: '/ledger', tool: 'ledger_add', body: { text: 'added' } },
  'an approval, and a transaction of a filter': {
    ...{ url: '/ledger/approved', tool: 'ledger_swallowed', body: { text: 'approved' } },
  },
  'a transaction of the method': { url: '/ledger/pay', tool: 'ledger_pay', body: { text: 'paid' } },
}

for (const [engine, address] of Object.entries(engines))
  t.test(`${engine}: fifty calls at once with one key are one`, async (t) => {
    const shops = await twoShops(t, await address())
    for (const [what, of] of Object.entries(calls)) {
      const call = { ...of, key: `key of ${what}` }
      if (what.includes('approval')) {
        t.equal((await shops.overHttp(shops.here, call)).status, 428)
        await approveAll(shops.there)
      }
      const { effects, answered, others } = await raced(shops, call, 50)
      t.equal(effects, 1, what)
      t.ok(answered.length > 0, what)
      t.strictSame(statusesOf(others), others.length === 0 ? [] : [409], what)
      const again = await raced(shops, call, 50)
      t.strictSame([again.effects, again.answered.length], [0, 50], `${what}, again`)
      t.equal(new Set([...answered, ...again.answered].map(({ said }) => said)).size, 1, what)
    }
  })

const [old, next] = [secret(), secret()]
const rotation = {
  'the old secret, and both': [[old], [next, old]],
  'both, twice': [
    [next, old],
    [next, old],
  ],
  'both, and the new one': [[next, old], [next]],
} as const

for (const [engine, address] of Object.entries(engines))
  t.test(`${engine}: secrets that rotate: instances that share one share its keys`, async (t) => {
    for (const [which, secrets] of Object.entries(rotation)) {
      const of = secrets.map((own) => [...own])
      const shops = await openShops(t, bundle, { databaseUrl: await address(), secrets: of })
      for (const what of ['a route', 'a transaction of the method']) {
        const call = { ...(calls[what] as (typeof calls)[string]), key: `key of ${what}` } // it is one of them
        const { effects, answered, others } = await raced(shops, call, 50)
        t.equal(effects, 1, `${what}, ${which}`)
        t.ok(answered.length > 0, `${what}, ${which}`)
        t.strictSame(statusesOf(others), others.length === 0 ? [] : [409], `${what}, ${which}`)
        const withBoth = shops.all.find((_, at) => of[at]?.length === 2) as Shop // there is one
        t.ok(done(await shops.overHttp(withBoth, call)), `${what}, ${which}: it opens what either has sealed`)
      }
    }
  })

const leaseMs = 30_000
const unknown = { status: 409, said: 'urn:acmcp:idempotency-unknown' }
const running = { status: 409, said: 'urn:acmcp:idempotency-running' }
const slowOrder: Call = { url: '/orders/end', tool: 'orders_end', body: { how: 'held' }, key: 'slow' }
const slowPayment = (how: string): Call => ({
  ...{ url: '/ledger/pay', tool: 'ledger_pay', key: `slow ${how}` },
  body: { text: how, how },
})

for (const [engine, address] of Object.entries(engines)) {
  t.test(`${engine}: a process that gives no sign of life is only slow`, async (t) => {
    const { here, there, overHttp, effects, pass } = await twoShops(t, await address())
    const before = (await effects()).length
    const { begun, go } = heldMethod()
    const first = overHttp(here, slowOrder)
    await begun
    pass(leaseMs)
    t.strictSame(await overHttp(there, slowOrder), running, 'nobody has looked before')
    pass(leaseMs - 1)
    t.strictSame(await overHttp(there, slowOrder), running)
    await here.beat()
    pass(1)
    t.strictSame(await overHttp(there, slowOrder), running, 'it gave one')
    pass(leaseMs - 1)
    t.strictSame(await overHttp(there, slowOrder), running)
    pass(1)
    t.strictSame(await overHttp(there, slowOrder), unknown)
    t.strictSame(await overHttp(here, slowOrder), running, 'its own process knows better')
    go()
    t.strictSame(await first, { status: 200, said: 'held' })
    t.strictSame(await overHttp(there, slowOrder), { status: 200, said: 'held' }, 'what it came to after all')
    t.equal((await effects()).length - before, 1)
  })

  t.test(`${engine}: a slow transaction whose key another call has taken over takes nothing`, async (t) => {
    const { here, there, overHttp, effects, pass } = await twoShops(t, await address())
    const before = (await effects()).length
    // a transaction that has written keeps everybody else from writing on SQLite: nobody takes its key over
    const places = engine === 'SQLite' ? ['held'] : ['held', 'inside']
    for (const how of places) {
      const { begun, go } = heldMethod()
      const first = overHttp(here, slowPayment(how))
      await begun
      t.strictSame(await overHttp(there, slowPayment(how)), running)
      pass(leaseMs)
      t.strictSame(await overHttp(there, slowPayment(how)), { status: 200, said: how })
      go()
      t.strictSame(await first, running, how)
      t.strictSame(await overHttp(here, slowPayment(how)), { status: 200, said: how })
    }
    t.strictSame((await effects()).slice(before), places)
  })
}

if (engines.PostgreSQL !== undefined)
  t.test('PostgreSQL: who takes over a key that is marked and not committed waits for that', async (t) => {
    const { here, there, overHttp, effects, pass } = await twoShops(t, (await engines.PostgreSQL?.()) ?? '')
    const before = (await effects()).length
    const { begun, go } = heldMethod()
    const calls = [overHttp(here, slowPayment('marked'))]
    await begun
    t.strictSame(await overHttp(there, slowPayment('marked')), running)
    pass(leaseMs)
    calls.push(overHttp(there, slowPayment('marked')))
    setImmediate(go)
    const paid = { status: 200, said: 'marked' }
    t.strictSame(await Promise.all(calls), [paid, paid])
    t.strictSame((await effects()).slice(before), ['marked'])
  })

/** The token still counts, also four minutes later. */
const jumpMs = 55 * 60_000

for (const [engine, address] of Object.entries(engines))
  for (const jump of [jumpMs, -jumpMs])
    t.test(`${engine}: a clock that jumps by ${jump} ms runs nothing twice`, async (t) => {
      const { here, there, overHttp, ...shops } = await twoShops(t, await address())
      const before = (await shops.effects()).length
      for (const call of [slowOrder, slowPayment('held')]) {
        const { begun, go } = heldMethod()
        const first = overHttp(here, call)
        await begun
        const steps = [
          () => (there.clock.now += jump),
          () => (here.clock.now += jump),
          () => (there.clock.now -= jump),
          () => (here.clock.now -= jump),
        ]
        for (const step of steps) {
          step()
          t.strictSame(await overHttp(there, call), running)
          shops.pass(leaseMs - 1)
          await here.beat()
          t.strictSame(await overHttp(there, call), running)
        }
        go()
        t.strictSame(await first, { status: 200, said: 'held' })
        t.strictSame(await overHttp(there, call), { status: 200, said: 'held' })
      }
      t.strictSame((await shops.effects()).slice(before), ['end held', 'held'])
      there.clock.now += jump
      const all = { ...shops, overHttp }
      for (const what of ['a route', 'a transaction of a filter', 'a transaction of the method']) {
        const call = { ...(calls[what] as (typeof calls)[string]), key: `jumped ${what}` } // it is one of them
        const { effects, others } = await raced(all, call, 20)
        t.strictSame([effects, statusesOf(others)], [1, others.length === 0 ? [] : [409]], what)
      }
    })
