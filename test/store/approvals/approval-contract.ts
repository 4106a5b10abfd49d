/** What the contract of the store says about approvals; both engines run it. */
import { sql } from 'kysely'
import type { Test } from 'tap'
import type {
  ApprovalRecord,
  ApprovalRequestResult,
  NewApproval,
  NewDecision,
} from '../../../runtime/capabilities/approval/types.ts'
import type { WholeStore as Store } from '../../support/whole-store.ts'
import { grant, hourMs, type Opened, pair, start, takeBack, workOf } from '../support.ts'

const minuteMs = 60_000
const room = { pending: 10, denied: 3 }

const deletion: NewApproval = {
  id: 'a1',
  user: 'ada',
  client: 'c1',
  grant: 'g1',
  route: 'delete /orders/{id}',
  digest: 'd1',
  sealed: 'sealed 1',
  expiresAt: start + 10 * minuteMs,
}

const pending: ApprovalRecord = {
  ...deletion,
  createdAt: start,
  decision: null,
  method: null,
  decidedAt: null,
  authTime: null,
  spentAt: null,
}

const approval: NewDecision = {
  id: 'a1',
  user: 'ada',
  digest: 'd1',
  decision: 'approved',
  method: 'page',
  authTime: start - hourMs,
  expiresAt: start + 7 * minuteMs,
}
const denial: NewDecision = {
  ...approval,
  decision: 'denied',
  method: 'operator',
  authTime: null,
  expiresAt: start + 12 * minuteMs,
}

/** Opens a grant whose code has become a pair of tokens. */
async function connect({ store }: Pick<Opened, 'store'>, id = 'g1'): Promise<void> {
  await store.issueCode(
    { ...grant, id, userId: 'ada' },
    { jti: `code-${id}`, expiresAt: start + 5 * minuteMs },
  )
  await store.redeemCode(`code-${id}`, pair(id))
}

const ask = (store: Store, more: Partial<NewApproval> = {}, rooms = room): Promise<ApprovalRequestResult> =>
  store.askApproval({ ...deletion, ...more }, rooms)

const numbered = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

/** A call of the route and its row. */
const named = (number: number): Pick<NewApproval, 'id' | 'digest'> => ({
  id: `a${number}`,
  digest: `d${number}`,
})

/** Asks for this call and denies it. */
async function deny(store: Store, number: number, more: Partial<NewApproval> = {}): Promise<void> {
  await ask(store, { ...named(number), ...more })
  await store.decideApproval({ ...denial, ...named(number) })
}

const kinds = (results: readonly ApprovalRequestResult[]): readonly string[] =>
  results.map(({ kind }) => kind)

type Case = readonly [name: string, run: (t: Test, opened: Opened) => Promise<void>]

const life: readonly Case[] = [
  [
    'approvals: asked, approved, spent once, and asked anew when that is forgotten',
    async (t, opened) => {
      await connect(opened)
      const { store, clock } = opened
      const other = await opened.open()
      t.strictSame(await ask(store), { kind: 'row', row: pending, isNew: true })
      t.strictSame(await ask(other, { id: 'a2', sealed: 'other' }), {
        kind: 'row',
        row: pending,
        isNew: false,
      })
      t.strictSame([await other.findApproval('a1'), await store.findApproval('a2')], [pending, null])
      t.equal(await store.spendApproval('d1', start + hourMs), null, 'nobody has decided')
      clock.now = start + 2 * minuteMs
      const approved = {
        ...pending,
        decision: 'approved',
        method: 'page',
        decidedAt: clock.now,
        authTime: start - hourMs,
        expiresAt: start + 7 * minuteMs,
      } as const
      t.strictSame(await other.decideApproval(approval), approved)
      t.equal(await store.decideApproval(denial), null, 'the first decision counts')
      t.strictSame(await store.findApproval('a1'), approved)
      t.strictSame(await ask(store, { id: 'a2' }), { kind: 'row', row: approved, isNew: false })
      clock.now = start + 7 * minuteMs - 1
      const until = clock.now + minuteMs
      const spent = { ...approved, spentAt: clock.now, expiresAt: until }
      t.strictSame(await store.spendApproval('d1', until), spent)
      t.equal(await other.spendApproval('d1', until), null)
      await other.releaseApproval(spent, approved.expiresAt)
      await other.releaseApproval(spent, start + hourMs)
      t.strictSame(await store.findApproval('a1'), approved, 'its call did not run')
      t.strictSame(await other.spendApproval('d1', until), spent)
      await store.releaseApproval({ ...spent, spentAt: clock.now - 1 }, start + hourMs)
      clock.now = until - 1
      t.strictSame(await ask(store, { id: 'a2' }), { kind: 'row', row: spent, isNew: false })
      clock.now = until
      const next = { id: 'a2', sealed: 'sealed 2', expiresAt: until + 10 * minuteMs }
      const renewed = { ...pending, ...next, createdAt: until }
      t.strictSame(await ask(other, next), { kind: 'row', row: renewed, isNew: true })
      t.strictSame([await store.findApproval('a1'), await store.findApproval('a2')], [null, renewed])
    },
  ],
  [
    'decideApproval: none but its user, for the call that was shown, before it expires',
    async (t, opened) => {
      await connect(opened)
      const { store, clock } = opened
      await ask(store)
      for (const wrong of [{ user: 'eve' }, { digest: 'd2' }, { id: 'a2' }])
        t.equal(await store.decideApproval({ ...approval, ...wrong }), null, JSON.stringify(wrong))
      t.strictSame(await store.findApproval('a1'), pending)
      clock.now = deletion.expiresAt
      t.equal(await store.decideApproval({ ...approval, expiresAt: clock.now + minuteMs }), null)
      t.equal(await store.findApproval('a1'), null)
      const next = { id: 'a2', expiresAt: clock.now + minuteMs }
      t.strictSame(await ask(store, next), {
        kind: 'row',
        row: { ...pending, ...next, createdAt: clock.now },
        isNew: true,
      })
      t.equal(
        await store.decideApproval({ ...approval, expiresAt: clock.now + minuteMs }),
        null,
        'the page of the first',
      )
    },
  ],
  [
    'spendApproval: not once it has expired unused; then it is asked anew',
    async (t, opened) => {
      await connect(opened)
      const { store, clock } = opened
      await ask(store)
      await store.decideApproval(approval)
      clock.now = approval.expiresAt
      t.equal(await store.spendApproval('d1', clock.now + minuteMs), null)
      t.match(await ask(store, { id: 'a2', expiresAt: clock.now + 1 }), {
        row: { id: 'a2', decision: null },
        isNew: true,
      })
    },
  ],
  [
    'approvals: a denial stands in the way of its call until it expires',
    async (t, opened) => {
      await connect(opened)
      const { store, clock } = opened
      await ask(store)
      const denied = {
        ...pending,
        decision: 'denied',
        method: 'operator',
        decidedAt: start,
        expiresAt: denial.expiresAt,
      } as const
      t.strictSame(await store.decideApproval(denial), denied)
      t.equal(await store.decideApproval(approval), null)
      t.equal(await store.spendApproval('d1', start + hourMs), null)
      clock.now = denial.expiresAt - 1
      t.strictSame(await ask(store, { id: 'a2' }), { kind: 'row', row: denied, isNew: false })
      clock.now = denial.expiresAt
      t.match(await ask(store, { id: 'a2', expiresAt: clock.now + 1 }), { row: { id: 'a2' }, isNew: true })
    },
  ],
]

/** Does something fifty times at once, on two stores. */
type Fifty = <Result>(
  attempt: (store: Store, number: number) => Promise<Result>,
) => Promise<readonly Result[]>

async function connectBoth(opened: Opened): Promise<Fifty> {
  await connect(opened)
  const stores = [opened.store, await opened.open()]
  return (attempt) =>
    Promise.all(numbered(0, 49).map((number) => attempt(stores[number % 2] ?? opened.store, number)))
}

const races: readonly Case[] = [
  [
    'approvals: of fifty that ask for one call at once one is new, and all get its row',
    async (t, opened) => {
      const fifty = await connectBoth(opened)
      for (const round of ['a', 'b']) {
        // the second replaces what has expired
        const expiresAt = opened.clock.now + minuteMs
        const results = await fifty((store, number) => ask(store, { id: `${round}${number}`, expiresAt }))
        const rows = results.flatMap((result) => (result.kind === 'row' ? [result] : []))
        t.equal(rows.length, 50)
        const created = rows.filter(({ isNew }) => isNew)
        t.equal(created.length, 1)
        for (const { row } of rows) t.strictSame(row, created[0]?.row)
        opened.clock.now = expiresAt
      }
    },
  ],
  [
    'approvals: of fifty that spend one at once one gets it; of fifty decisions one counts',
    async (t, opened) => {
      const fifty = await connectBoth(opened)
      const manyDenied = { ...room, denied: 100 }
      for (const number of numbered(1, 5)) {
        await ask(opened.store, named(number), manyDenied)
        const decisions = await fifty((store, i) =>
          store.decideApproval({ ...(i % 3 === number % 3 ? denial : approval), ...named(number) }),
        )
        const [decided, ...more] = decisions.filter((row) => row !== null)
        t.strictSame([await opened.store.findApproval(`a${number}`), more], [decided, []])
        const spent = await fifty((store) => store.spendApproval(`d${number}`, start + hourMs))
        t.equal(spent.filter((row) => row !== null).length, decided?.decision === 'approved' ? 1 : 0)
      }
      await ask(opened.store, named(9), manyDenied)
      await opened.store.decideApproval({ ...approval, ...named(9) })
      const spent = await fifty((store, i) => store.spendApproval('d9', start + hourMs + i))
      const [first, ...more] = spent.filter((row) => row !== null)
      t.strictSame([await opened.store.findApproval('a9'), more], [first, []])
    },
  ],
]

const grants: readonly Case[] = [
  [
    'approvals: what was asked under a grant ends with it: not decided, not spent, not shown, not in the way of another grant',
    async (t, opened) => {
      await connect(opened)
      await connect(opened, 'g2')
      const { store } = opened
      await ask(store)
      await ask(store, named(2))
      await store.decideApproval({ ...approval, ...named(2) })
      await store.revokeGrant('g1', 'test')
      t.equal(await store.decideApproval(approval), null)
      t.equal(await store.spendApproval('d2', start + hourMs), null)
      t.strictSame([await store.findApproval('a1'), await store.findApproval('a2')], [null, null])
      t.strictSame(
        [
          await store.listApprovals({ user: 'ada' }, 10),
          await store.listApprovals({ user: 'ada', decision: 'approved' }, 10),
        ],
        [[], []],
      )
      t.strictSame(kinds([await ask(store), await ask(store, named(3))]), ['refused', 'refused'])
      const anew = { id: 'a4', grant: 'g2' }
      t.strictSame(await ask(store, anew, { pending: 1, denied: 1 }), {
        kind: 'row',
        row: { ...pending, ...anew },
        isNew: true,
      })
      t.match(await store.decideApproval({ ...approval, id: 'a4' }), { decision: 'approved' })
    },
  ],
  [
    'approvals: a denial outlives the grant; a grant that is not there is as one that was revoked',
    async (t, opened) => {
      await connect(opened)
      await connect(opened, 'g2')
      const { store } = opened
      await deny(store, 1)
      await store.revokeGrant('g1', 'test')
      t.match(await ask(store, { id: 'a2', grant: 'g2' }), {
        row: { id: 'a1', decision: 'denied' },
        isNew: false,
      })
      t.strictSame(await ask(store, { ...named(2), grant: 'g2' }, { ...room, denied: 1 }), {
        kind: 'refused',
      })
      t.strictSame(await ask(store, { ...named(3), grant: 'nowhere' }), { kind: 'refused' })
    },
  ],
]

const rooms: readonly Case[] = [
  [
    'askApproval: so many wait for one user and client, and no more until one is decided or expires',
    async (t, opened) => {
      await connect(opened)
      const { store, clock } = opened
      const few = { ...room, pending: 2 }
      const add = async (number: number, more: Partial<NewApproval> = {}): Promise<string> =>
        (await ask(store, { ...named(number), ...more }, few)).kind
      t.strictSame([await add(1), await add(2), await add(3)], ['row', 'row', 'full'])
      t.equal(await add(1), 'row', 'that waits')
      const session = { client: null, grant: null }
      t.strictSame(
        [await add(4, { client: 'c2' }), await add(5, { user: 'eve' })],
        ['row', 'row'],
        'others have room of their own',
      )
      t.strictSame(
        [await add(6, session), await add(7, session), await add(8, session)],
        ['row', 'row', 'full'],
        'the session of a browser too',
      )
      await store.decideApproval({ ...approval, ...named(1) })
      t.strictSame([await add(3), await add(9)], ['row', 'full'])
      clock.now = deletion.expiresAt
      t.equal(await add(9, { expiresAt: clock.now + 1 }), 'row')
    },
  ],
  [
    'askApproval: after so many denials of a route its calls are refused without asking, until the first of them expires',
    async (t, opened) => {
      await connect(opened)
      const { store, clock } = opened
      for (const number of [1, 2]) await deny(store, number)
      t.match(await ask(store, named(3)), { kind: 'row' })
      clock.now = start + 1
      await store.decideApproval({ ...denial, ...named(3), expiresAt: denial.expiresAt + 1 })
      t.strictSame(await ask(store, named(4)), { kind: 'refused' })
      t.strictSame(
        await ask(store, named(4), { ...room, pending: 0 }),
        { kind: 'refused' },
        'rather than full',
      )
      t.match(await ask(store, named(1)), { kind: 'row', row: { decision: 'denied' } })
      const session = { client: null, grant: null }
      const elsewhere = [{ route: 'post /orders' }, { client: 'c2' }, { user: 'eve' }, session]
      for (const [number, more] of elsewhere.entries())
        t.match(await ask(store, { ...named(10 + number), ...more }), { kind: 'row' }, JSON.stringify(more))
      for (const number of [20, 21, 22]) await deny(store, number, session)
      t.strictSame(await ask(store, { ...named(23), ...session }), { kind: 'refused' })
      clock.now = denial.expiresAt
      t.match(await ask(store, { ...named(4), expiresAt: clock.now + 1 }), { kind: 'row', isNew: true })
    },
  ],
]

/** As many that wait, each of a user of its own, one after another. */
const fill = (store: Store, from: number, to: number): Promise<unknown> =>
  sql`insert into acmcp_approvals (digest, id, user_id, route, sealed, created_at, expires_at)
    with recursive n(i) as (select cast(${from} as bigint) union all select i + 1 from n where i < ${to})
    select 'd' || i, 'a' || i, 'u' || i, 'r', '', ${start} + i, ${start + hourMs} + i
    from n`.execute(store.database)

const growth: readonly Case[] = [
  [
    'listApprovals: what fits and has not expired, the oldest first',
    async (t, opened) => {
      await connect(opened)
      const { store, clock } = opened
      const callers: readonly Partial<NewApproval>[] = [
        {},
        { route: 'post /orders' },
        { client: 'c2' },
        { client: null, grant: null },
        { user: 'eve' },
      ]
      for (const [number, more] of callers.entries()) {
        clock.now = start + number
        await ask(store, { ...named(number), ...more, expiresAt: clock.now + 10 * minuteMs })
      }
      for (const number of [6, 7, 8]) await ask(store, named(number))
      for (const number of [6, 7]) await store.decideApproval({ ...approval, ...named(number) })
      await store.decideApproval({ ...denial, ...named(8) })
      await store.spendApproval('d6', start + hourMs)
      const idsOf = async (...query: Parameters<Store['listApprovals']>): Promise<string> =>
        (await store.listApprovals(...query)).map(({ id }) => id).join(' ')
      t.strictSame(
        [
          await idsOf({}, 10),
          await idsOf({}, 3),
          await idsOf({ user: 'ada' }, 10),
          await idsOf({ user: 'ada', client: 'c1' }, 10),
          await idsOf({ client: null }, 10),
          await idsOf({ user: 'ada', client: 'c1', route: 'post /orders' }, 10),
          await idsOf({ user: 'ada', decision: 'approved' }, 10),
          await idsOf({ user: 'eve', decision: 'approved' }, 10),
        ],
        ['a0 a1 a2 a3 a4', 'a0 a1 a2', 'a0 a1 a2 a3', 'a0 a1', 'a3', 'a1', 'a7', ''],
      )
      t.strictSame(await store.listApprovals({ user: 'eve' }, 10), [
        {
          ...pending,
          ...named(4),
          user: 'eve',
          createdAt: start + 4,
          expiresAt: start + 4 + 10 * minuteMs,
        },
      ])
      clock.now = start + 10 * minuteMs + 1
      t.strictSame([await idsOf({}, 10), await idsOf({ decision: 'approved' }, 10)], ['a2 a3 a4', ''])
    },
  ],
  [
    'listApprovals: no more work for more rows',
    async (t, opened) => {
      const works: number[][] = []
      for (const [from, to] of [
        [1, 1000],
        [1001, 4000],
      ] as const) {
        const store = await opened.open()
        await fill(store, from, to)
        const all = await workOf({ ...opened, store }, ({ listApprovals }) => listApprovals({}, 10))
        const mine = await workOf({ ...opened, store }, ({ listApprovals }) =>
          listApprovals({ user: 'u7' }, 10),
        )
        t.strictSame(
          [all, mine].map(({ result }) => result.map(({ id }) => id).join(' ')),
          [
            numbered(1, 10)
              .map((number) => `a${number}`)
              .join(' '),
            'a7',
          ],
        )
        works.push([all.work, mine.work])
      }
      const [few = [], many = []] = works
      t.ok(
        many.every((work, i) => work <= (few[i] ?? 0) * 1.25),
        JSON.stringify(works),
      )
    },
  ],
  [
    'purge: approvals that have expired, however many, and no other; grants and clients go as if there were none',
    async (t, opened) => {
      const { store, clock } = opened
      await fill(store, 1, 1200)
      clock.now = start + hourMs + 1100
      await connect(opened)
      const later = { expiresAt: clock.now + 100 * 24 * hourMs }
      await ask(store, { id: 'late', digest: 'late', ...later })
      t.equal(await store.purgeExpired(), 2, 'the code and the access token of the grant alone')
      const ended = await Promise.all([store.expireApprovals(500), store.expireApprovals(500)])
      const all = ended.flat()
      while (all.length < 1100) all.push(...(await store.expireApprovals(500)))
      t.strictSame([all.length, new Set(all.map(({ id }) => id)).size], [1100, 1100], 'each once')
      t.match(all[0], { decision: null })
      t.strictSame(await store.expireApprovals(500), [])
      clock.now = start + 24 * hourMs + 1
      t.equal(await store.purgeExpired(), 2, 'the refresh token and the grant')
      clock.now = start + 26 * hourMs
      t.equal(await store.purgeExpired(), 100, 'those that nobody was told of in a day')
      t.strictSame((await sql`select id, grant_id from acmcp_approvals`.execute(store.database)).rows, [
        { id: 'late', grant_id: 'g1' },
      ])
      t.equal(await store.findApproval('late'), null)
      const decided = { id: 'x', digest: 'x', grant: null }
      await ask(store, { ...decided, expiresAt: clock.now + 1 })
      await store.decideApproval({ ...denial, ...decided, expiresAt: clock.now + 1 })
      clock.now += 1
      t.strictSame([await store.expireApprovals(500), await store.purgeExpired()], [[], 1])
      clock.now = later.expiresAt + 24 * hourMs
      t.equal(await store.purgeExpired(), 1)
    },
  ],
]

const upgrade: Case = [
  'approvals: a store of the version before gets them while that serves on',
  async (t, opened) => {
    await connect(opened)
    const { store, open } = opened
    await takeBack(store, '0011_approvals')
    t.equal(await store.isCurrent(), false)
    const upgraded = await open()
    t.match(await ask(upgraded), { kind: 'row', isNew: true })
    t.strictSame(await store.rotateRefresh('refresh-g1', pair('later')), { kind: 'redeemed', grantId: 'g1' })
    await store.revokeGrant('g1', 'test')
    t.equal(await upgraded.decideApproval(approval), null)
    t.strictSame(
      (
        await sql`select owner from acmcp_additive_migrations where name = '0011_approvals'`.execute(
          store.database,
        )
      ).rows,
      [{ owner: 'core' }],
    )
  },
]

export const approvalCases: readonly Case[] = [...life, ...races, ...grants, ...rooms, ...growth, upgrade]
