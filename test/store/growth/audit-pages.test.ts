/** Pages of the audit: each begins in an index where the last one ended, so that a long trail costs what its rows cost. */
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import type { AuditFilter, Store } from '../../../runtime/store/store.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { openedAt, start, workOf } from '../support.ts'

t.setTimeout(120_000) // on a busy machine

/** The rows of one user of four grants, and as many of others. */
async function fill({ database, isShared }: Store, count: number): Promise<void> {
  const numbers: RawBuilder<unknown> = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${2 * count})`
  const time = sql`cast(${start} as bigint) + i`
  const hex = isShared ? sql`lpad(to_hex(${time}), 12, '0')` : sql`printf('%012x', ${time})`
  await sql`insert into acmcp_audit (id, at, event, user_id, client_id, grant_id)
    ${numbers} select ${hex} || '70008000000000000000', ${time}, case when i % 7 = 0 then 'sign-in' else 'tool-call' end,
      case when i % 2 = 0 then 'ada' else 'u' || (i % 9) end, 'c', 'g' || (i % 8) from n`.execute(database)
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
async function timesOf(store: Store, filter: AuditFilter): Promise<readonly number[]> {
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

const freshFile = async (): Promise<string> => `sqlite:${join(temporaryFolder(), 'store.db')}`
const growth = 'twice as many rows of a user are twice the work'
const alone = 'a user with one row has it without a look at those of others'
t.test(`SQLite: ${growth}`, (t) => grows(t, freshFile))
t.test(`SQLite: ${alone}`, async (t) => reads(t, await freshFile()))

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.teardown(() => server.stop())
  t.test(`PostgreSQL: ${growth}`, (t) => grows(t, () => server.freshDatabase()))
  t.test(`PostgreSQL: ${alone}`, async (t) => reads(t, await server.freshDatabase()))
}
