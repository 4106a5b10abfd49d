/** What the contract of the store says about idempotency keys; both engines run it. */
import { CamelCasePlugin, type Kysely, sql } from 'kysely'
import type { Test } from 'tap'
import type {
  Claimed,
  HeldKey,
  KeyOutcome,
  Lease,
  NewClaim,
} from '../../../runtime/capabilities/idempotency/types.ts'
import { StoreBusy } from '../../../runtime/store/store.ts'
import type { WholeStore } from '../../support/whole-store.ts'
import { hourMs, notes, type Opened, pair, rejection, start, takeBack, tally, workOf } from '../support.ts'

const minuteMs = 60_000
const most = 10_000

const first: NewClaim = {
  rows: [{ id: 'k1', digest: 'd1' }],
  claim: 'c1',
  owner: 'ada',
  source: 'client of ada',
  grant: null,
  route: 'post /orders',
  isTransactional: false,
  leaseUntil: start + minuteMs,
  expiresAt: start + 24 * hourMs,
}
const inTransaction = { ...first, isTransactional: true }
const running = {
  ...{ id: 'k1', digest: 'd1', claim: 'c1', state: 'running', status: null, sealed: null },
  ...{ expiresAt: first.expiresAt, leaseUntil: first.leaseUntil, isTransactional: false },
} as const
const runningInTransaction = { ...running, isTransactional: true }
const done: KeyOutcome = { state: 'done', status: 201, sealed: 'sealed answer' }
const unknown: KeyOutcome = { state: 'unknown', status: null, sealed: null }
const claimed: Claimed = { kind: 'claimed' }

const rowsOf = (...ids: readonly string[]): NewClaim['rows'] =>
  ids.map((id) => ({ id, digest: `digest of ${id}` }))

interface Claiming extends Partial<NewClaim> {
  readonly atMost?: number
  /** Leases that whoever claims has seen to be over. */
  readonly over?: readonly Lease[]
}

const claim = (store: WholeStore, { atMost = most, over = [], ...more }: Claiming = {}): Promise<Claimed> =>
  store.claimKey({ ...first, ...more }, { owner: atMost, source: most, sourceBytes: 1_000_000 }, over)

/** What stands under the key now: asking changes nothing where something stands. */
async function standing(store: WholeStore, more: Claiming = {}): Promise<unknown> {
  const result = await claim(store, { claim: 'asking', ...more })
  return result.kind === 'standing' ? result.key : result
}

const states = async (store: WholeStore): Promise<unknown> =>
  (await sql`select id, claim, state from acmcp_idempotency_keys order by id`.execute(store.database)).rows

type Case = readonly [name: string, run: (t: Test, opened: Opened) => Promise<void>]

const life: readonly Case[] = [
  [
    'keys: claimed, settled once, and then it stands whole until it expires; whatever is claimed anew has nothing of before',
    async (t, { store, open, clock }) => {
      const other = await open()
      t.strictSame(await claim(store), claimed)
      t.strictSame(await standing(other), running)
      t.strictSame(await claim(other, { rows: [{ id: 'k1', digest: 'another' }] }), {
        kind: 'standing',
        key: running,
      })
      t.strictSame(
        [
          await other.settleKey({ ...first, claim: 'c2' }, done),
          await other.settleKey({ ...first, rows: rowsOf('k2') }, done),
        ],
        [false, false],
        'not its claim',
      )
      t.strictSame(await other.settleKey(first, done), true)
      t.strictSame(await store.settleKey(first, unknown), false)
      await store.releaseKey(first)
      await store.renewKeys(['c1'], start)
      const settled = { ...running, ...done }
      t.strictSame(await standing(store), settled)
      clock.now = first.expiresAt - 1
      t.strictSame(await standing(other), settled)
      clock.now = first.expiresAt
      const next = {
        ...{ rows: [{ id: 'k1', digest: 'd2' }], claim: 'c2', owner: 'eve', route: 'patch /x' },
        ...{ leaseUntil: clock.now + 1, expiresAt: clock.now + 5 },
      }
      t.strictSame(await claim(other, next), claimed)
      const times = { leaseUntil: next.leaseUntil, expiresAt: next.expiresAt }
      t.strictSame(await standing(store), { ...running, digest: 'd2', claim: 'c2', ...times })
      t.strictSame((await sql`select * from acmcp_idempotency_keys`.execute(store.database)).rows, [
        {
          ...{ id: 'k1', digest: 'd2', claim: 'c2', owner: 'eve', route: 'patch /x', state: 'running' },
          ...{ is_transactional: 0, lease_until: clock.now + 1, status: null, sealed: null },
          ...{ source: 'client of ada', grant_id: null, bytes: null },
          ...{ created_at: clock.now, expires_at: clock.now + 5 },
        },
      ])
    },
  ],
  [
    'keys: one that runs may be released, by its claim alone; then it is free',
    async (t, { store, open }) => {
      const other = await open()
      await claim(store)
      await other.releaseKey({ ...first, claim: 'c2' })
      t.strictSame(await standing(other), running)
      await store.releaseKey(first)
      await store.releaseKey(first)
      t.strictSame(await claim(other, { claim: 'c2' }), claimed)
      t.equal(await store.settleKey(first, done), false)
      t.strictSame(await standing(store), { ...running, claim: 'c2' })
    },
  ],
  [
    'keys: one that runs stands with the last sign of life of its process, however long ago, until that settles it',
    async (t, { store, open, clock }) => {
      const other = await open()
      await claim(store)
      clock.now = first.leaseUntil
      const { leaseUntil } = first
      t.strictSame(await standing(other), running)
      t.strictSame(await standing(other, { over: [first] }), running, 'it is no transaction: nobody takes it')
      await store.renewKeys(['c1', 'none'], leaseUntil + 1)
      const renewed = { ...running, leaseUntil: leaseUntil + 1, expiresAt: first.expiresAt + 1 }
      t.strictSame(await standing(other), renewed, 'it counts as long from its end')
      await store.renewKeys(['c1'], leaseUntil)
      await store.renewKeys(['c1'], leaseUntil + 1)
      const twice = { ...renewed, expiresAt: first.expiresAt + 2 }
      t.strictSame(await standing(other), twice, 'a clock that goes back expires none early')
      clock.now += hourMs
      t.strictSame(await standing(other), twice)
      t.equal(await store.settleKey(first, { ...done, sealed: null }), true)
      t.strictSame(await standing(other), { ...twice, ...done, sealed: null })
      await claim(store, { rows: rowsOf('k2') })
      t.equal(await store.settleKey({ ...first, rows: rowsOf('k2') }, unknown), true)
      t.match(await standing(other, { rows: rowsOf('k2') }), unknown)
    },
  ],
  [
    'keys: a transactional one is free for whoever has seen its lease to be over, unless it was renewed or settled; its first claim has lost it',
    async (t, { store, open, clock }) => {
      const other = await open()
      await claim(store, inTransaction)
      clock.now = first.leaseUntil + hourMs
      const { leaseUntil } = first
      const seen: readonly Lease[] = [
        { claim: 'c0', leaseUntil },
        { claim: 'c1', leaseUntil: leaseUntil - 1 },
        { claim: 'c1', leaseUntil: leaseUntil + 1 },
      ]
      for (const over of [[], ...seen.map((lease) => [lease]), seen])
        t.strictSame(await standing(other, { over }), runningInTransaction, JSON.stringify(over))
      const second = { ...inTransaction, claim: 'c2', leaseUntil: clock.now + minuteMs }
      await store.renewKeys(['c1'], leaseUntil + 1)
      t.match(await claim(other, { ...second, over: [first] }), { kind: 'standing' }, 'it was renewed')
      t.strictSame(await claim(other, { ...second, over: seen }), claimed)
      t.strictSame(await standing(store, { over: seen }), {
        ...{ ...runningInTransaction, claim: 'c2', leaseUntil: second.leaseUntil },
      })
      await store.renewKeys(['c1'], clock.now + hourMs)
      await store.releaseKey(first)
      t.strictSame(
        [
          await store.settleKey(first, done),
          await store.database.transaction().execute((work) => store.settleKeyIn(work, first, done)),
        ],
        [false, false],
      )
      t.equal(await other.settleKey(second, done), true)
      const settled = { ...runningInTransaction, ...done, claim: 'c2', leaseUntil: second.leaseUntil }
      t.strictSame(await standing(store, { ...inTransaction, over: [second] }), settled)
    },
  ],
  [
    'keys: a clock that jumps frees none that runs, and expires none early',
    async (t, { store, open, clock }) => {
      const other = await open()
      await claim(store)
      const second = { ...inTransaction, rows: rowsOf('k2'), claim: 'c2' }
      await claim(store, second)
      for (const jump of [-48 * hourMs, 0, 23 * hourMs, 0]) {
        clock.now = start + jump
        t.strictSame(await standing(other), running)
        t.match(await standing(other, second), { state: 'running', claim: 'c2' })
      }
      t.strictSame([await store.settleKey(first, done), await store.settleKey(second, done)], [true, true])
    },
  ],
]

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)

/** Does something fifty times at once, on two stores. */
type Fifty = <Result>(
  attempt: (store: WholeStore, number: number) => Promise<Result>,
) => Promise<readonly Result[]>

async function fiftyAtOnce({ store, open }: Opened): Promise<Fifty> {
  const stores = [store, await open()]
  return (attempt) => Promise.all(numbers(50).map((number) => attempt(stores[number % 2] ?? store, number)))
}

const races: readonly Case[] = [
  [
    'claimKey: of fifty at once one gets it, and the others see it: a new one, an expired one, one whose lease is over',
    async (t, opened) => {
      const { clock } = opened
      const fifty = await fiftyAtOnce(opened)
      let over: readonly Lease[] = []
      for (const round of ['new', 'expired', 'lease over', 'expired again']) {
        const times = { leaseUntil: clock.now + minuteMs, expiresAt: clock.now + hourMs }
        const results = await fifty((store, number) =>
          claim(store, { ...inTransaction, ...times, over, claim: `${round} ${number}` }),
        )
        t.strictSame(tally(results), { claimed: 1, standing: 49 }, round)
        const name = `${round} ${results.findIndex(({ kind }) => kind === 'claimed')}`
        for (const result of results)
          if (result.kind === 'standing')
            t.strictSame(result.key, { ...runningInTransaction, claim: name, ...times })
        const held: HeldKey = { ...first, claim: name }
        if (round !== 'expired') t.equal(await opened.store.settleKey(held, done), true)
        over = round === 'expired' ? [{ claim: name, leaseUntil: times.leaseUntil }] : []
        if (round !== 'expired') clock.now = times.expiresAt
      }
    },
  ],
  [
    'claimKey: of fifty who claim and release again and again no two have it at a time, and none is told that there is no room',
    async (t, opened) => {
      const fifty = await fiftyAtOnce(opened)
      const held = new Set<string>()
      let turns = 0
      const results = await fifty(async (store, number) => {
        const name = `c${number}`
        const result = await claim(store, { claim: name }).catch((error: unknown) => {
          if (error instanceof StoreBusy) return { kind: 'busy' } as const
          throw error
        })
        if (result.kind !== 'claimed') return result
        held.add(name)
        turns += 1
        t.equal(held.size, 1)
        held.delete(name)
        await store.releaseKey({ ...first, claim: name })
        return result
      })
      const { claimed = 0, standing = 0, busy = 0, ...more } = tally(results)
      t.strictSame([claimed + standing + busy, claimed, more], [50, turns, {}])
      t.ok(turns >= 1)
    },
  ],
  [
    'settleKey: of fifty outcomes of one claim one counts',
    async (t, opened) => {
      const fifty = await fiftyAtOnce(opened)
      await claim(opened.store)
      const results = await fifty((store, number) =>
        store.settleKey(first, { ...done, status: 200 + number }),
      )
      t.equal(results.filter((isSettled) => isSettled).length, 1)
      t.match(await standing(opened.store), { status: 200 + results.indexOf(true) })
    },
  ],
]

const rotation: readonly Case[] = [
  [
    'keys of two secrets: claimed, settled and released together; one that stands under either is in the way',
    async (t, { store, open, clock }) => {
      const other = await open()
      const [old, both, next] = [rowsOf('a'), rowsOf('a', 'b'), rowsOf('b')]
      const held: HeldKey = { rows: both, claim: 'c1' }
      t.strictSame(await claim(store, { rows: both }), claimed)
      const key = { ...running, id: 'a', digest: 'digest of a' }
      const keyOfNext = { ...running, id: 'b', digest: 'digest of b' }
      t.strictSame(
        [await standing(other, { rows: old }), await standing(other, { rows: next })],
        [key, keyOfNext],
      )
      await store.releaseKey(held)
      t.strictSame(await states(store), [])
      for (const rows of [old, next]) {
        t.strictSame(await claim(other, { rows }), claimed)
        t.match(await standing(store, { rows: both }), { id: rows[0]?.id, state: 'running' })
        t.equal(await store.settleKey({ rows, claim: 'c1' }, done), true)
        t.match(await standing(store, { rows: both }), { id: rows[0]?.id, state: 'done' })
        t.strictSame(await states(store), [{ id: rows[0]?.id, claim: 'c1', state: 'done' }], 'none is added')
        clock.now += 24 * hourMs
        await store.purgeExpired()
        clock.now = start
      }
      await claim(store, { rows: both })
      t.equal(await other.settleKey(held, done), true)
      t.strictSame(
        [await standing(other, { rows: old }), await standing(other, { rows: next })],
        [
          { ...key, ...done },
          { ...keyOfNext, ...done },
        ],
      )
      t.equal(await store.settleKey(held, done), false)
    },
  ],
  [
    'keys of two secrets: a claim that lost one of them settles neither, also in a transaction that goes on',
    async (t, { open }) => {
      const store = await open({ migrations: { '0001_notes': notes } })
      const held: HeldKey = { rows: rowsOf('a', 'b'), claim: 'c1' }
      await claim(store, { ...inTransaction, ...held })
      const second = { ...inTransaction, rows: rowsOf('b'), claim: 'c2' }
      t.strictSame(await claim(store, { ...second, over: [first] }), claimed)
      t.equal(await store.settleKey(held, done), false)
      await store.database.transaction().execute(async (work) => {
        t.equal(await store.settleKeyIn(work, held, done), false)
        await sql`insert into notes values ('kept')`.execute(work)
      })
      t.strictSame(await states(store), [
        { id: 'a', claim: 'c1', state: 'running' },
        { id: 'b', claim: 'c2', state: 'running' },
      ])
      t.strictSame((await sql`select text from notes`.execute(store.database)).rows, [{ text: 'kept' }])
      await store.releaseKey(held)
      t.strictSame(await states(store), [{ id: 'b', claim: 'c2', state: 'running' }])
      const third = { ...inTransaction, rows: rowsOf('a', 'b'), claim: 'c3' }
      t.match(await standing(store, third), { id: 'b', claim: 'c2' })
      t.strictSame(await claim(store, { ...third, over: [first, second] }), claimed)
      const answers = await store.database.transaction().execute(async (work) => {
        const isSettled = await store.settleKeyIn(work, third, done)
        return [isSettled, await store.settleKeyIn(work, third, done)]
      })
      t.strictSame(answers, [true, false])
      t.match(await states(store), [
        { claim: 'c3', state: 'done' },
        { claim: 'c3', state: 'done' },
      ])
    },
  ],
  [
    'claimKey: of fifty at once with either secret or both one gets it, and no instance waits for another in a circle',
    async (t, opened) => {
      const [old, both, next] = [rowsOf('a'), rowsOf('a', 'b'), rowsOf('b')]
      const fifty = await fiftyAtOnce(opened)
      for (const [name, mix] of Object.entries({ old: [old, both], next: [both, next] })) {
        for (const round of numbers(5)) {
          const results = await fifty((store, number) =>
            claim(store, { rows: mix[(number >> 1) % 2] ?? both, claim: `c${number}` }),
          )
          t.strictSame(tally(results), { claimed: 1, standing: 49 }, `${name} ${round}`)
          await sql`delete from acmcp_idempotency_keys`.execute(opened.store.database)
        }
      }
      const all = await fifty(async (store, number) => {
        const rows = [old, both, next][number % 3] ?? both
        return (await claim(store, { rows, claim: `c${number}` })).kind === 'claimed' ? [rows] : []
      })
      const won = all.flat().map((rows) => rows.map(({ id }) => id).join(''))
      t.ok(['ab', 'a', 'b', 'a b', 'b a'].includes(won.join(' ')), won.join(' '))
    },
  ],
]

/** Keys of `owner` that have been settled. */
const fill = (store: WholeStore, owner: string, count: number): Promise<unknown> =>
  sql`insert into acmcp_idempotency_keys
      (id, digest, claim, owner, route, state, is_transactional, lease_until, status, sealed, created_at, expires_at)
    with recursive n(i) as (select cast(1 as bigint) union all select i + 1 from n where i < ${count})
    select ${owner} || i, 'd', 'c' || i, cast(${owner} as text), 'r', 'done', 0, ${start}, 200, 'sealed', ${start}, ${start} + i
    from n`.execute(store.database)

const rooms: readonly Case[] = [
  [
    'claimKey: an owner has room for so many keys, and no more until one is released or expires; what has a row needs none',
    async (t, { store, clock }) => {
      const add = async (id: string, more: Claiming = {}): Promise<string> =>
        (await claim(store, { ...inTransaction, rows: rowsOf(id), atMost: 2, ...more })).kind
      t.strictSame([await add('a'), await add('b'), await add('c')], ['claimed', 'claimed', 'full'])
      t.strictSame([await add('a'), await add('c')], ['standing', 'full'])
      t.equal(await add('c', { owner: 'eve' }), 'claimed', 'others have room of their own')
      await store.settleKey({ rows: rowsOf('a'), claim: 'c1' }, done)
      await store.releaseKey({ rows: rowsOf('b'), claim: 'c1' })
      t.strictSame([await add('d'), await add('e'), await add('a')], ['claimed', 'full', 'standing'])
      const later = { leaseUntil: first.expiresAt + 1, expiresAt: first.expiresAt + 1 }
      t.strictSame(
        [await add('d', { claim: 'c2', over: [first], ...later }), await add('e')],
        ['claimed', 'full'],
        'its lease is over',
      )
      clock.now = first.expiresAt
      t.strictSame([await add('f', later), await add('g', later)], ['claimed', 'full'])
      t.strictSame([await add('a', later), await add('a', later)], ['claimed', 'standing'], 'it has expired')
    },
  ],
  [
    'claimKey: a source has room for so many keys and bytes, and those of a revoked grant are none of them',
    async (t, { store }) => {
      await store.saveUser({ id: 'ada', name: 'Ada', email: null })
      for (const id of ['g1', 'g2'])
        await store.issueCode(
          { id, userId: 'ada', clientId: 'a', scope: 'api', resource: '', allowed: null },
          { jti: id, expiresAt: first.expiresAt },
        )
      const add = async (id: string, more: Partial<NewClaim> = {}): Promise<string> => {
        const room = { owner: 4, source: 2, sourceBytes: 20 }
        return (await store.claimKey({ ...first, rows: rowsOf(id), claim: id, ...more }, room, [])).kind
      }
      const a = { source: 'a', grant: 'g1' }
      t.strictSame(
        [await add('a1', a), await add('a2', a), await add('a3', a)],
        ['claimed', 'claimed', 'full'],
      )
      const b = { source: 'b', grant: 'g2' }
      t.strictSame(
        [await add('b1', b), await add('b2', b)],
        ['claimed', 'claimed'],
        'another client of the user',
      )
      t.strictSame(
        [await add('c1', { source: 'c' }), await add('a1', a)],
        ['full', 'standing'],
        'the user’s own bound',
      )
      await store.revokeGrant('g1', 'test')
      t.strictSame(
        [await add('c1', { source: 'c' }), await add('a3', a)],
        ['claimed', 'claimed'],
        'g1 is revoked',
      )
      t.equal(await add('a1', { ...a, grant: 'g2' }), 'standing', 'what it did is not done again')
      const eve = { owner: 'eve', source: 'e' }
      t.equal(await add('e1', eve), 'claimed')
      await store.settleKey({ rows: rowsOf('e1'), claim: 'e1' }, { ...done, sealed: 'x'.repeat(19) })
      await store.releaseKey({ rows: rowsOf('e0'), claim: 'e0' })
      t.equal(await add('e2', eve), 'claimed', '19 of 20 bytes')
      await store.settleKey({ rows: rowsOf('e2'), claim: 'e2' }, { ...done, sealed: 'x' })
      t.equal(await add('e3', { ...eve, owner: 'eve2' }), 'full', 'all bytes')
    },
  ],
  [
    'claimKey: a key of two secrets takes the room of one, whole or not at all',
    async (t, { store }) => {
      const add = async (...ids: readonly string[]): Promise<string> =>
        (await claim(store, { rows: rowsOf(...ids), atMost: 2 })).kind
      t.strictSame(
        [await add('a1', 'a2'), await add('b1', 'b2'), await add('c1', 'c2'), await add('c1')],
        ['claimed', 'claimed', 'full', 'full'],
      )
      t.strictSame([await add('a0', 'a1'), await add('b2', 'b3')], ['standing', 'standing'])
      t.match(
        await states(store),
        ['a1', 'a2', 'b1', 'b2'].map((id) => ({ id })),
      )
    },
  ],
]

/** What an application may do to its handle: it would rename whatever a builder names. */
const pluggedIn = (database: Kysely<unknown>): readonly Kysely<unknown>[] => [
  database.withPlugin(new CamelCasePlugin()),
  database.withSchema('elsewhere'),
]

const noteTexts = async (store: WholeStore): Promise<unknown> =>
  (await sql`select text from notes order by text`.execute(store.database)).rows

const transactions: readonly Case[] = [
  [
    'settleKeyIn: settled with what the transaction did, or neither',
    async (t, { open }) => {
      const store = await open({ migrations: { '0001_notes': notes } })
      const other = await open({ migrations: { '0001_notes': notes } })
      for (const count of [1, 2]) {
        const rows = rowsOf(...['a', 'b'].slice(0, count).map((id) => `${id}${count}`))
        const held = { ...inTransaction, rows }
        await claim(store, held)
        const error = await rejection(
          store.database.transaction().execute(async (work) => {
            await sql`insert into notes values ('lost')`.execute(work)
            t.equal(await store.settleKeyIn(work, held, done), true)
            if (store.isShared) t.match(await standing(other, { rows }), { state: 'running' }, 'nobody waits')
            throw new Error('no')
          }),
        )
        t.match(error, { message: 'no' })
        t.match(await standing(other, { rows }), { state: 'running' })
        await store.database.transaction().execute(async (work) => {
          t.equal(await store.settleKeyIn(work, held, done), true)
          await sql`insert into notes values (${`kept ${count}`})`.execute(work)
        })
        t.match(await standing(other, { rows }), { ...done, id: rows[0]?.id })
        t.equal(await store.settleKeyIn(store.database, held, done), false)
      }
      t.strictSame(await noteTexts(store), [{ text: 'kept 1' }, { text: 'kept 2' }])
    },
  ],
  [
    'settleKeyIn: any handle of the database, whatever its plugins; a TypeError for anything else',
    async (t, { store }) => {
      for (const [number, database] of [store.database, ...pluggedIn(store.database)].entries()) {
        const alone = { ...first, rows: rowsOf(`alone ${number}`) }
        await claim(store, alone)
        t.equal(await store.settleKeyIn(database, alone, done), true)
        const within = { ...first, rows: rowsOf(`within a ${number}`, `within b ${number}`) }
        await claim(store, within)
        const [began] = [await database.startTransaction().execute()]
        t.equal(await store.settleKeyIn(began, within, done), true)
        await began.rollback().execute()
        t.match(await standing(store, within), { state: 'running' })
        t.equal(await store.settleKeyIn(database, within, done), true)
        t.match(await standing(store, within), done)
      }
      for (const strange of [{}, [], store, sql`select 1`, store.database.selectFrom('notes' as never)]) {
        const error = await rejection(store.settleKeyIn(strange, first, done))
        t.ok(error instanceof TypeError)
        t.match(error, {
          message: 'the transaction must be one of the database that `databaseOf(services)` answers',
        })
      }
    },
  ],
  [
    'claimKey: whoever takes over waits for the transaction that has marked the key, and sees what it came to',
    async (t, opened) => {
      const { open } = opened
      const store = await open({ migrations: { '0001_notes': notes } })
      const other = await open({ migrations: { '0001_notes': notes } })
      await claim(store, inTransaction)
      const second = { ...inTransaction, claim: 'c2' }
      let after: Promise<Claimed> | null = null
      await rejection(
        store.database.transaction().execute(async (work) => {
          await sql`insert into notes values ('lost')`.execute(work)
          t.equal(await store.settleKeyIn(work, first, done), true)
          after = claim(other, { ...second, over: [first] })
          await isWaiting(opened, after)
          throw new Error('no')
        }),
      )
      t.strictSame(await after, claimed, 'it was rolled back')
      t.equal(await store.settleKeyIn(store.database, first, done), false)
      await other.database.transaction().execute(async (work) => {
        await sql`insert into notes values ('kept')`.execute(work)
        t.equal(await other.settleKeyIn(work, second, done), true)
        after = claim(store, { ...inTransaction, claim: 'c3', over: [second] })
        await isWaiting(opened, after)
      })
      t.strictSame(await after, {
        ...{ kind: 'standing', key: { ...runningInTransaction, ...done, claim: 'c2' } },
      })
      t.strictSame(await noteTexts(store), [{ text: 'kept' }])
    },
  ],
  [
    'renewKeys: many at once, also while a transaction has marked one of them',
    async (t, opened) => {
      const { store, open, clock } = opened
      const other = await open()
      const ids = numbers(1201).map((number) => `k${String(number).padStart(4, '0')}`)
      await sql`insert into acmcp_idempotency_keys
          (id, digest, claim, owner, route, state, is_transactional, lease_until, created_at, expires_at)
        values ${sql.join(ids.map((id) => sql`(${id}, 'd', ${id}, 'ada', 'r', 'running', 1, ${start}, ${start}, ${start + hourMs})`))}`.execute(
        store.database,
      )
      await store.settleKey({ rows: rowsOf('k0003'), claim: 'k0003' }, done)
      const renew = (): Promise<void> => other.renewKeys(ids, start + minuteMs)
      if (store.isShared)
        await store.database.transaction().execute(async (work) => {
          await store.settleKeyIn(work, { rows: rowsOf('k0007'), claim: 'k0007' }, done)
          await renew()
        })
      else await renew()
      const { rows } = await sql`select lease_until, state, count(*) as n from acmcp_idempotency_keys
        group by lease_until, state order by lease_until, state`.execute(store.database)
      const marked = store.isShared ? 1 : 0
      t.strictSame(rows, [
        { lease_until: start, state: 'done', n: 1 + marked },
        { lease_until: start + minuteMs, state: 'running', n: 1200 - marked },
      ])
      clock.now = start + 1
      await other.renewKeys([], start)
      await other.renewKeys(['nobody'], start)
    },
  ],
]

/** Resolves when `claiming` waits for a lock. */
async function isWaiting({ store }: Opened, claiming: Promise<unknown>): Promise<void> {
  let isOver = false
  claiming.finally(() => {
    isOver = true
  })
  const locks = sql<{ waiting: number }>`select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  for (let turn = 0; turn < 1000 && !isOver; turn += 1) {
    const { rows } = await (store.isShared
      ? locks
      : sql<{ waiting: number }>`select ${turn / 50} as waiting`
    ).execute(store.database)
    if ((rows[0]?.waiting ?? 0) >= 1) return
  }
  throw new Error('it does not wait')
}

const growth: readonly Case[] = [
  [
    'claimKey: as much work however many keys others have, and some more for those of its owner, along an index',
    async (t, opened) => {
      const works: Record<string, number> = {}
      let number = 0
      const measure = async (name: string, owner: string): Promise<void> => {
        const store = await opened.open()
        number += 1
        const held = { ...first, owner, rows: rowsOf(`key ${number}`) }
        const { result, work } = await workOf({ ...opened, store }, (measured) => claim(measured, held))
        t.strictSame(result, claimed)
        works[name] = work
      }
      const { store, clock } = opened
      clock.now = start - 1
      await fill(store, 'few', 10)
      await fill(store, 'eve', 1000)
      await measure('few', 'few')
      await fill(store, 'ada', 9990)
      await fill(store, 'bob', 20_000)
      if (store.isShared) await sql`analyze acmcp_idempotency_keys`.execute(store.database)
      await measure('few among many', 'few')
      await measure('many', 'ada')
      const { few = 0, 'few among many': among = Number.NaN, many = Number.NaN } = works
      t.ok(among <= few * 1.25 + 10, JSON.stringify(works))
      t.ok(many <= few + 9990 * (store.isShared ? 1.1 : 8), JSON.stringify(works))
      const again = await opened.open()
      const last = { ...first, rows: rowsOf('last') }
      t.strictSame((await claim(again, last)).kind, 'claimed')
      for (let more = 0; more < 8; more += 1) await claim(again, { rows: rowsOf(`more ${more}`) })
      t.strictSame(await claim(again, { rows: rowsOf('one too many') }), { kind: 'full' })
      const { database } = again
      const explained = await sql<
        Record<string, unknown>
      >`${sql.raw(again.isShared ? 'explain' : 'explain query plan')}
        select count(*) from acmcp_idempotency_keys where owner = 'ada' and expires_at > ${start}`.execute(
        database,
      )
      t.match(JSON.stringify(explained.rows), /acmcp_idempotency_keys_owner/)
    },
  ],
  [
    'purge: keys that have expired, however many and whatever became of them, and no other',
    async (t, { store, clock }) => {
      await fill(store, 'ada', 1200)
      await claim(store)
      await claim(store, { rows: rowsOf('late'), expiresAt: first.expiresAt + 1 })
      clock.now = start + 1100
      t.equal(await store.purgeExpired(), 1100)
      clock.now = first.expiresAt
      t.equal(await store.purgeExpired(), 101)
      t.strictSame(await states(store), [{ id: 'late', claim: 'c1', state: 'running' }])
      t.equal(await store.settleKey(first, done), false)
      clock.now += 1
      t.equal(await store.purgeExpired(), 1)
    },
  ],
]

const upgrade: Case = [
  'keys: a store of the version before gets them while that serves on',
  async (t, { store, open }) => {
    await store.issueCode(
      { ...{ id: 'g1', userId: 'ada', clientId: 'c1', scope: 'api', resource: '' }, allowed: null },
      { jti: 'code', expiresAt: start + hourMs },
    )
    await takeBack(store, '0013_idempotency_keys')
    t.equal(await store.isCurrent(), false)
    const upgraded = await open()
    t.strictSame(await claim(upgraded), claimed)
    t.strictSame(await store.redeemCode('code', pair('a')), { kind: 'redeemed', grantId: 'g1' })
    const { rows } = await sql`select owner from acmcp_additive_migrations
      where name = '0013_idempotency_keys'`.execute(store.database)
    t.strictSame(rows, [{ owner: 'core' }])
  },
]

export const idempotencyCases: readonly Case[] = [
  ...life,
  ...races,
  ...rotation,
  ...rooms,
  ...transactions,
  ...growth,
  upgrade,
]
