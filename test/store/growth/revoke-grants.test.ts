/** How many grants end: in batches, each once, and with work that grows as they do. */
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import type { GrantFilter, RevokedBatch, Store } from '../../../runtime/store/store.ts'
import { revokeInBatches } from '../../../runtime/store/verbs/revoke-grants.ts'
import { temporaryFolder } from '../../flow/support.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { openedAt, start, workOf } from '../support.ts'

t.setTimeout(120_000) // on a busy machine

/** The numbers from 1 to `last`, as a table `n (i)`. */
const numbers = (last: number): RawBuilder<unknown> =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${last})`

/** Of one user and one client, and one more of each; every tenth is a code that nobody redeemed. */
async function fill({ database }: Store, count: number): Promise<void> {
  const far = sql`cast(${start + 1_000_000} as bigint)`
  await sql`insert into acmcp_grants (id, user_id, client_id, scope, resource, created_at, expires_at)
    ${numbers(count)} select 'g' || i, 'u', 'c', 'api', '', 1, ${far} from n`.execute(database)
  await sql`insert into acmcp_grants (id, user_id, client_id, scope, resource, created_at, expires_at)
    values ('of another client', 'u', 'd', 'api', '', 1, ${far}), ('of another user', 'v', 'c', 'api', '', 1, ${far})`.execute(
    database,
  )
  await sql`insert into acmcp_tokens (jti_hash, grant_id, kind, expires_at)
    ${numbers(count)} select 't' || i, 'g' || i, case when i % 10 = 0 then 'code' else 'refresh' end, ${far} from n`.execute(
    database,
  )
}

async function collected(batches: AsyncIterable<RevokedBatch>): Promise<readonly RevokedBatch[]> {
  const all: RevokedBatch[] = []
  for await (const batch of batches) all.push(batch)
  return all
}

async function inBatches(t: Test, url: string): Promise<void> {
  const { store } = await openedAt(url, t)
  await fill(store, 1200)
  const filter = { userId: 'u', clientId: 'c' }
  const live = async (): Promise<number> => (await store.listGrants(filter)).length
  t.equal(await live(), 1080)
  for await (const { userIds, live: ended } of revokeInBatches(store, filter, 'test')) {
    t.strictSame([userIds, ended.length <= 500, await live()], [['u'], true, 1080 - ended.length])
    break
  }
  const others = await collected(revokeInBatches(store, filter, 'another reason'))
  t.strictSame(
    others.map(({ userIds }) => userIds),
    [['u'], ['u']],
    'of 500 and of 200',
  )
  const { rows } = await sql`select revoked_reason as reason, count(*) as grants from acmcp_grants
    group by revoked_reason order by count(*)`.execute(store.database)
  t.strictSame(rows, [
    { reason: null, grants: 2 },
    { reason: 'test', grants: 500 },
    { reason: 'another reason', grants: 700 },
  ])
  t.strictSame([await live(), await collected(revokeInBatches(store, filter, 'once more'))], [0, []])
}

const filters: readonly GrantFilter[] = [
  { clientId: 'c' },
  { userId: 'u' },
  { userId: 'u', clientId: 'c' },
  {},
]

/** For each grant. `analyzed`: while one client and one user held all of a few grants. */
async function workFor(
  t: Test,
  url: string,
  { filter, count }: { filter: GrantFilter; count: number },
): Promise<number> {
  const opened = await openedAt(url, t)
  await sql`analyze`.execute(opened.store.database)
  await fill(opened.store, count)
  const ended = await workOf(opened, (store) => collected(revokeInBatches(store, filter, 'test')))
  t.equal(ended.result.flatMap(({ live }) => live).length, count * 0.9)
  return ended.work / count
}

async function grows(t: Test, fresh: () => Promise<string>): Promise<void> {
  for (const filter of filters) {
    const few = await workFor(t, await fresh(), { filter, count: 2000 })
    const many = await workFor(t, await fresh(), { filter, count: 4000 })
    t.ok(many <= few * 1.25, `${JSON.stringify(filter)}: ${few} for each of 2,000, ${many} for each of 4,000`)
  }
}

const freshFile = async (): Promise<string> => `sqlite:${join(temporaryFolder(), 'store.db')}`
const batches = 'many grants end 500 at once, and whoever stops in between has ended those'
const growth = 'ending twice as many grants is twice the work, whatever they are named by'
t.test(`SQLite: ${batches}`, async (t) => inBatches(t, await freshFile()))
t.test(`SQLite: ${growth}`, (t) => grows(t, freshFile))

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.teardown(() => server.stop())
  t.test(`PostgreSQL: ${batches}`, async (t) => inBatches(t, await server.freshDatabase()))
  t.test(`PostgreSQL: ${growth}`, (t) => grows(t, () => server.freshDatabase()))
}
