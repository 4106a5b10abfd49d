/** The purge of stores that are large, of which the planner knows nothing true, and in which one table fails. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import { postgresOrNotice } from '../postgres-server.ts'
import { type Opened, openedAt, rejection, start, workOf } from '../support.ts'

t.setTimeout(180_000) // on a busy machine

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

/** What the planner believes when the purge begins, and whether the tokens live on, so that grants are moved instead of deleted. */
interface Scene {
  readonly title: string
  readonly analyzed: 'never' | 'empty' | 'one grant with all tokens' | 'nothing had ended'
  readonly tokensLive: boolean
}

const scenes: readonly Scene[] = [
  { title: 'never analyzed', analyzed: 'never', tokensLive: false },
  { title: 'never analyzed, tokens live on', analyzed: 'never', tokensLive: true },
  { title: 'analyzed while empty', analyzed: 'empty', tokensLive: false },
  {
    title: 'analyzed with one grant that held all tokens',
    analyzed: 'one grant with all tokens',
    tokensLive: false,
  },
  { title: 'the same, tokens live on', analyzed: 'one grant with all tokens', tokensLive: true },
  { title: 'analyzed while nothing had ended', analyzed: 'nothing had ended', tokensLive: false },
]

async function prepare(opened: Opened, { analyzed, tokensLive }: Scene, rows: number): Promise<void> {
  const { database } = opened.store
  const analyze = sql`analyze`
  if (analyzed === 'empty') await analyze.execute(database)
  if (analyzed === 'one grant with all tokens') {
    await fill(opened, 500)
    await sql`update acmcp_tokens set grant_id = 'g1'`.execute(database)
    await sql`delete from acmcp_grants where id <> 'g1'`.execute(database)
    await analyze.execute(database)
    await sql`delete from acmcp_grants`.execute(database)
    await sql`delete from acmcp_sessions`.execute(database)
  }
  await fill(opened, rows)
  if (analyzed === 'nothing had ended') await analyze.execute(database)
  const ending = ['acmcp_grants', 'acmcp_sessions', ...(tokensLive ? [] : ['acmcp_tokens'])]
  for (const table of ending)
    await sql`update ${sql.table(table)} set expires_at = expires_at - 1000000`.execute(database)
}

/** For each row. */
async function purgeWork(
  t: Test,
  url: string,
  { scene, rows }: { scene: Scene; rows: number },
): Promise<number> {
  const opened = await openedAt(url, t)
  const { clock } = opened
  await prepare(opened, scene, rows)
  clock.now = start + 1_000_000
  const { result, work } = await workOf(opened, (store) => store.purgeExpired())
  t.equal(result, (scene.tokensLive ? 1 : 3) * rows)
  const { database } = await opened.open()
  const { rows: left } = await sql<{ moved: number }>`select count(*) as moved from acmcp_grants
    where expires_at > ${clock.now}`.execute(database)
  t.strictSame(
    left,
    [{ moved: scene.tokensLive ? rows : 0 }],
    'where their tokens live on, grants have the end of those',
  )
  return work / rows
}

/** Twice as many rows may each cost so much more. */
const maxTimes = 1.25

async function grows(t: Test, scenes: readonly Scene[], fresh: () => Promise<string>): Promise<void> {
  for (const scene of scenes) {
    const [few, many] = [
      await purgeWork(t, await fresh(), { scene, rows: 2000 }),
      await purgeWork(t, await fresh(), { scene, rows: 4000 }),
    ]
    t.comment(`${scene.title}: ${few.toFixed(1)} a row of 2,000, ${many.toFixed(1)} of 4,000`)
    t.ok(many <= few * maxTimes, `${scene.title}: ${few}, ${many}`)
  }
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

const server = await postgresOrNotice((text) => t.comment(text))
const folder = mkdtempSync(join(tmpdir(), 'acmcp-purge-'))
t.teardown(() => rmSync(folder, { recursive: true }))
let databases = 0
const freshFile = async (): Promise<string> => `sqlite:${join(folder, `${databases++}.db`)}`

/** SQLite has statistics only where somebody took them. */
const withoutStatistics = scenes.filter(({ analyzed }) => analyzed !== 'one grant with all tokens')
t.test('SQLite: a purge by keys is linear', (t) => grows(t, withoutStatistics, freshFile))
t.test('SQLite: a table that cannot be purged keeps no other from it', async (t) =>
  oneFails(t, await freshFile(), [
    "create trigger kept before delete on acmcp_sessions begin select raise(abort, 'kept for ever'); end",
  ]),
)

if (server !== null) {
  t.teardown(() => server.stop())
  t.test('PostgreSQL: a purge by keys is linear, whatever the statistics say', (t) =>
    grows(t, scenes, () => server.freshDatabase()),
  )
  t.test('PostgreSQL: a table that cannot be purged keeps no other from it', async (t) =>
    oneFails(t, await server.freshDatabase(), [
      "create function kept() returns trigger language plpgsql as $$ begin raise exception 'kept for ever'; end $$",
      'create trigger kept before delete on acmcp_sessions for each row execute function kept()',
    ]),
  )
}
