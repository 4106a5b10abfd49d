/** Pages of the audit: each begins in an index where the last one ended, so that a long trail costs what its rows cost. The older ones are
 *  rows of the version before. */

import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import { firstIdAt } from '../../../runtime/capabilities/audit/audit-rows.ts'
import type { AuditFilter } from '../../../runtime/capabilities/audit/audit-store.ts'
import type { AuditRecord } from '../../../runtime/contract/calls.ts'
import type { Store } from '../../../runtime/store/store.ts'
import { temporaryFolder } from '../../flow/support.ts'
import type { WholeStore } from '../../support/whole-store.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { openedAt, start, workOf } from '../support.ts'

t.setTimeout(120_000) // on a busy machine

const everyMs = 100
const batchRows = 20

/** The rows of one user of four grants, and as many of others: the first half as the version before wrote them. */
async function fill(store: WholeStore, count: number): Promise<void> {
  const numbers: RawBuilder<unknown> = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
  const time = sql`cast(${start} as bigint) + i * ${everyMs}`
  const hex = store.isShared ? sql`lpad(to_hex(${time}), 12, '0')` : sql`printf('%012x', ${time})`
  await sql`insert into acmcp_audit (id, at, event, user_id, client_id, grant_id)
    ${numbers} select ${hex} || '70008000000000000000', ${time}, case when i % 7 = 0 then 'sign-in' else 'tool-call' end,
      case when i % 2 = 0 then 'ada' else 'u' || (i % 9) end, 'c', 'g' || (i % 8) from n`.execute(
    store.database,
  )
  for (let first = count + 1; first <= 2 * count; first += batchRows)
    await store.appendAudit(Array.from({ length: batchRows }, (_, index) => recordAt(first + index)))
}

const recordAt = (i: number) => {
  const at = start + i * everyMs
  const user = i % 2 === 0 ? 'ada' : `u${i % 9}`
  const event = i % 7 === 0 ? 'sign-in' : 'tool-call'
  return {
    id: `${firstIdAt(at)}70008000000000000000`,
    at,
    entry: { event, user, client: 'c', grant: `g${i % 8}` },
  } as const
}

const filters: readonly (readonly [AuditFilter, number])[] = [
  [{ user: 'ada' }, 1],
  [{ user: 'ada', event: 'tool-call' }, 6 / 7],
  [{ grant: 'g2' }, 1 / 4],
  [{}, 2],
]

const pageRows = 200

/** Of all pages, for each row. `analyzed`: while the trail was empty. */
async function pageWork(
  t: Test,
  url: string,
  { filter, share, count }: { filter: AuditFilter; share: number; count: number },
): Promise<number> {
  const opened = await openedAt(url, t)
  await sql`analyze`.execute(opened.store.database)
  await fill(opened.store, count)
  const { result: times, work } = await workOf(opened, (store) => timesOf(store, filter))
  t.strictSame(
    times,
    [...new Set(times)].sort((a, b) => a - b),
    'each once, the oldest first',
  )
  t.equal(times.length, share * count)
  return work / count
}

/** As `acmcp audit` goes through all pages. */
async function timesOf(store: WholeStore, filter: AuditFilter): Promise<readonly number[]> {
  const times: number[] = []
  let after = await store.findAuditBefore(filter, 100_000)
  for (;;) {
    const page = await store.listAuditAfter(filter, after, pageRows)
    times.push(...page.map(({ at }) => at))
    after = page.at(-1)?.id ?? after
    if (page.length < pageRows) return times
  }
}

async function grows(t: Test, fresh: () => Promise<string>): Promise<void> {
  for (const [filter, share] of filters) {
    const few = await pageWork(t, await fresh(), { filter, share, count: 1400 })
    const many = await pageWork(t, await fresh(), { filter, share, count: 2800 })
    t.ok(many <= few * 1.25, `${JSON.stringify(filter)}: ${few} for each of 1,400, ${many} for each of 2,800`)
  }
}

/** Of a user who has one row among many of others. */
async function reads(t: Test, url: string): Promise<void> {
  const opened = await openedAt(url, t)
  await fill(opened.store, 5000)
  await opened.store.appendAudit([{ id: '0'.repeat(32), at: 0, entry: { event: 'sign-in', user: 'ben' } }])
  const read = await workOf(opened, async (store) => [
    ...(await store.listAudit({ user: 'ben' }, 100)),
    ...(await store.listAuditAfter({ user: 'ben' }, '', 100)),
  ])
  t.match(read.result, [
    { user: 'ben', at: 0 },
    { user: 'ben', at: 0 },
  ])
  t.ok(read.work < 1000, `${read.work} for one row beside 10,000`)
}

/** Numbers that look like chance, the same each time. */
function* chance(): Generator<number, never> {
  for (let seed = 7; ; seed = (seed * 48_271) % 2_147_483_647) yield seed
}

const everything = {
  ...{
    event: 'tool-call',
    user: 'u1',
    client: 'c1',
    clientName: 'Agent',
    grant: 'g1',
    tool: 't1',
    route: 't1',
  },
  ...{
    decision: 401,
    status: 401,
    isError: true,
    milliseconds: 1.25,
    requestId: 'a "request"\n',
    traceId: 'trace',
  },
  ...{ argumentsDigest: 'digest', detail: { by: 'u2', repeated: 2, retry: true } },
} as const
const nothing = Object.fromEntries(
  Object.keys(everything).map((name) => [name, name === 'event' ? 'sign-in' : null]),
)

/** Half a minute of three instances, whose batches overlap, and rows that one of the version before writes meanwhile; the oldest first. */
async function mixed(store: WholeStore): Promise<readonly AuditRecord[]> {
  const numbers = chance()
  const below = (end: number): number => numbers.next().value % end
  await store.saveClient({ id: 'c1', name: 'Agent', redirectUris: [], grantTypes: [], responseTypes: [] })
  const all: AuditRecord[] = []
  const made = (instance: number, at: number, full: boolean): AuditRecord => {
    const id = `${firstIdAt(at)}7${String(all.length).padStart(3, '0').slice(-3)}800000000000000${instance}`
    const user = below(5)
    const own = {
      user: `u${user}`,
      grant: `g${user}${below(2)}`,
      tool: `t${below(3)}`,
      event: below(4) === 0 ? 'refresh' : 'tool-call',
    }
    const record = {
      ...{ id, at, event: 'sign-in' },
      ...(full ? everything : { ...nothing, client: 'c2' }),
      ...(below(9) === 0 ? {} : own),
    }
    return record as unknown as AuditRecord // as it is read
  }
  for (const instance of [0, 1, 2, 3])
    for (let at = start + instance * 300; at < start + 30_000; ) {
      const batch: AuditRecord[] = []
      for (let left = 1 + below(40); left > 0; left -= 1) {
        batch.push({ ...made(instance, at, below(2) === 0), event: below(4) === 0 ? 'sign-in' : 'tool-call' })
        all.push(...batch.slice(-1))
        at += below(48)
      }
      if (instance > 0)
        await store.appendAudit(batch.map(({ id, at, ...entry }) => ({ id, at, entry: withoutName(entry) })))
      else for (const record of batch) await insertOld(store, record)
      at += below(500)
    }
  return all.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** It is found as it is written. */
const withoutName = ({ clientName: _name, ...entry }: Omit<AuditRecord, 'id' | 'at'>) => entry

async function insertOld({ database }: Store, record: AuditRecord): Promise<void> {
  const { id, at, event, user, client, clientName, grant, tool, route, decision, status, isError } = record
  const detail = record.detail === null ? null : JSON.stringify(record.detail)
  const values = [
    id,
    at,
    event,
    user,
    client,
    clientName,
    grant,
    tool,
    route,
    decision === null ? null : String(decision),
  ]
  const others = [
    status,
    isError === null ? null : Number(isError),
    record.milliseconds,
    record.requestId,
    record.traceId,
  ]
  await sql`insert into acmcp_audit values (${sql.join([...values, ...others, record.argumentsDigest, detail])})`.execute(
    database,
  )
}

const asked: readonly AuditFilter[] = [
  ...[
    {},
    { user: 'u1' },
    { grant: 'g11' },
    { grant: 'g11', user: 'u1' },
    { grant: 'g11', user: 'u2' },
    { user: 'nobody' },
  ],
  ...[
    { client: 'c2' },
    { tool: 't2', event: 'sign-in' },
    { user: 'u3', tool: 't1' },
    { since: start + 17_000 },
  ],
  ...[{ user: 'u2', since: start + 12_345 }, { client: 'a "client"' }],
]

async function inOrder(t: Test, url: string): Promise<void> {
  const { store } = await openedAt(url, t)
  const all = await mixed(store)
  t.ok(all.length > 2500, String(all.length))
  const isSame = (found: unknown, expected: unknown, title: string): void =>
    void t.ok(JSON.stringify(found) === JSON.stringify(expected), title)
  for (const filter of asked) {
    const { since = 0, ...names } = filter
    const fits = all.filter(
      (record) =>
        record.at >= since &&
        Object.entries(names).every(([name, value]) => Reflect.get(record, name) === value),
    )
    const title = JSON.stringify(filter)
    for (const limit of [1, 30, 10_000]) {
      isSame(await store.listAudit(filter, limit), fits.slice(-limit), `${title}: the newest ${limit}`)
      t.equal(await store.findAuditBefore(filter, limit), fits.at(-limit - 1)?.id ?? '', title)
    }
    for (const limit of [17, 400]) {
      const pages: AuditRecord[] = []
      for (let page = await store.listAuditAfter(filter, '', limit); page.length > 0; ) {
        pages.push(...page)
        page = await store.listAuditAfter(filter, page.at(-1)?.id ?? '', limit)
      }
      isSame(pages, fits, `${title}: pages of ${limit}`)
    }
  }
}

const freshFile = async (): Promise<string> => `sqlite:${join(temporaryFolder(), 'store.db')}`
const growth = 'twice as many rows of a user are twice the work'
const overlapping =
  'batches of instances that overlap, and rows of the version before: whole, each once, in order, for every filter'
const alone = 'a user with one row has it without a look at those of others'
t.test(`SQLite: ${growth}`, (t) => grows(t, freshFile))
t.test(`SQLite: ${overlapping}`, async (t) => inOrder(t, await freshFile()))
t.test(`SQLite: ${alone}`, async (t) => reads(t, await freshFile()))

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.teardown(() => server.stop())
  t.test(`PostgreSQL: ${growth}`, (t) => grows(t, () => server.freshDatabase()))
  t.test(`PostgreSQL: ${overlapping}`, async (t) => inOrder(t, await server.freshDatabase()))
  t.test(`PostgreSQL: ${alone}`, async (t) => reads(t, await server.freshDatabase()))
}
