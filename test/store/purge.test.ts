/** The purge of stores that are large, of which the planner knows nothing true, and in which one table fails. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import { postgresOrNotice } from './postgres-server.ts'
import { type Opened, openedAt, rejection, start } from './support.ts'

/** The numbers from 1 to `last`, as a table `n (i)`. */
const numbers = (last: number): RawBuilder<unknown> =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${last})`

/** As many grants, tokens and sessions, which end one after another. */
async function fill({ store }: Opened, rows: number): Promise<void> {
  const { database } = store
  await sql`insert into acmcp_grants (id, user_id, client_id, scope, resource, created_at, expires_at)
    ${numbers(rows)} select 'g' || i, 'u' || i, 'c', '', '', cast(${start} as bigint), cast(${start + 1_000_000} as bigint) + i from n`.execute(
    database,
  )
  await sql`insert into acmcp_tokens (jti_hash, grant_id, kind, expires_at)
    ${numbers(rows)} select 't' || i, 'g' || i, 'access', cast(${start + 1_000_000} as bigint) + i from n`.execute(
    database,
  )
  await sql`insert into acmcp_sessions (id_hash, data, expires_at)
    ${numbers(rows)} select 's' || i, '{}', cast(${start + 1_000_000} as bigint) + i from n`.execute(database)
}

async function purgeMs(t: Test, url: string, rows: number): Promise<number> {
  const opened = await openedAt(url, t)
  const { store, clock } = opened
  await fill(opened, rows)
  await sql`analyze`.execute(store.database) // nothing has expired, as far as it can tell
  for (const table of ['acmcp_grants', 'acmcp_tokens', 'acmcp_sessions'])
    await sql`update ${sql.table(table)} set expires_at = expires_at - 1000000`.execute(store.database)
  clock.now = start + 1_000_000
  const began = performance.now()
  t.equal(await store.purgeExpired(), 3 * rows)
  return performance.now() - began
}

async function oneFails(t: Test, url: string, failing: readonly string[]): Promise<void> {
  const opened = await openedAt(url, t)
  const { store, clock } = opened
  await fill(opened, 3)
  for (const statement of failing) await sql.raw(statement).execute(store.database)
  clock.now = start + 10_000_000
  t.match(await rejection(store.purgeExpired()), { message: /kept for ever/ })
  const { rows } = await sql<{ sessions: number; others: number }>`
    select (select count(*) from acmcp_sessions) as sessions,
      (select count(*) from acmcp_tokens) + (select count(*) from acmcp_grants) as others`.execute(
    store.database,
  )
  t.strictSame(rows, [{ sessions: 3, others: 0 }])
}

/** Twice as many rows may cost so much more, and so much is noise. */
const [mostTimes, noiseMs] = [3, 400]

async function grows(t: Test, fresh: () => Promise<string>): Promise<void> {
  const [few, many] = [await purgeMs(t, await fresh(), 10_000), await purgeMs(t, await fresh(), 20_000)]
  t.comment(`10,000 rows a table: ${few.toFixed(0)} ms, 20,000: ${many.toFixed(0)} ms`)
  t.ok(many <= few * mostTimes + noiseMs, `${few} ms, ${many} ms`)
  t.ok(many < 10_000, `${many} ms`)
}

const server = await postgresOrNotice((text) => t.comment(text))
const folder = mkdtempSync(join(tmpdir(), 'acmcp-purge-'))
t.teardown(() => rmSync(folder, { recursive: true }))
let databases = 0
const freshFile = async (): Promise<string> => `sqlite:${join(folder, `${databases++}.db`)}`

t.test('SQLite: a purge by keys is linear, whatever the statistics say', (t) => grows(t, freshFile))
t.test('SQLite: a table that cannot be purged keeps no other from it', async (t) =>
  oneFails(t, await freshFile(), [
    "create trigger kept before delete on acmcp_sessions begin select raise(abort, 'kept for ever'); end",
  ]),
)

if (server !== null) {
  t.teardown(() => server.stop())
  t.test('PostgreSQL: a purge by keys is linear, whatever the statistics say', (t) =>
    grows(t, () => server.freshDatabase()),
  )
  t.test('PostgreSQL: a table that cannot be purged keeps no other from it', async (t) =>
    oneFails(t, await server.freshDatabase(), [
      "create function kept() returns trigger language plpgsql as $$ begin raise exception 'kept for ever'; end $$",
      'create trigger kept before delete on acmcp_sessions for each row execute function kept()',
    ]),
  )
}
