/** What is looked up for a page of connections, and for consent: no more of it, however many connections a user has. */

import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Store } from '../../../runtime/store/store.ts'
import { temporaryFolder } from '../../flow/support.ts'
import type { WholeStore } from '../../support/whole-store.ts'
import { postgresOrNotice } from '../postgres-server.ts'
import { openedAt, start, workOf } from '../support.ts'

t.setTimeout(120_000) // on a busy machine

interface Scene {
  /** Of one user. */
  readonly connections: number
  readonly clients: number
  /** Of each connection. */
  readonly calls: number
}

/** The numbers from 1 to `last`, as a table `n (i)`. */
const numbers = (last: number): RawBuilder<unknown> =>
  sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${last})`

const whole = (count: number): RawBuilder<number> => sql`cast(${count} as bigint)`

/** Half of the calls are rows of the version before. */
async function fill({ database, isShared }: Store, { connections, clients, calls }: Scene): Promise<void> {
  const far = whole(start + 1_000_000)
  await sql`insert into acmcp_grants (id, user_id, client_id, scope, resource, created_at, expires_at)
    ${numbers(connections)} select 'g' || i, 'u', 'c' || (i % ${whole(clients)}), 'api', '', i, ${far} from n`.execute(
    database,
  )
  await sql`insert into acmcp_tokens (jti_hash, grant_id, kind, expires_at)
    ${numbers(connections)} select 't' || i, 'g' || i, 'refresh', ${far} from n`.execute(database)
  if (calls === 0) return
  const time = sql`${whole(start)} + i`
  const hex = isShared ? sql`lpad(to_hex(${time}), 12, '0')` : sql`printf('%012x', ${time})`
  const id = sql`${hex} || '70008000000000000000'`
  const ofGrant = sql`'g' || (1 + i % ${whole(connections)})`
  await sql`insert into acmcp_audit_owners (owner, batch, count, used_at, called)
    ${numbers((connections * calls) / 2)} select ${ofGrant}, ${id}, 1, ${time}, '{"tool":1}' from n`.execute(
    database,
  )
  await sql`insert into acmcp_audit (id, at, event, user_id, grant_id, tool, route, decision)
    ${numbers((connections * calls) / 2)} select ${id}, ${time}, 'tool-call', 'u', ${ofGrant}, 'tool', 'route', 'allowed'
    from n`.execute(database)
}

const ids = Array.from({ length: 100 }, (_, at) => `g${at + 1}`)

/** Twice as much of it, the same question and as many answers. */
const cases: readonly (readonly [
  title: string,
  scene: Scene,
  ask: (store: WholeStore) => Promise<number>,
])[] = [
  [
    'a page of one client',
    { connections: 2000, clients: 1, calls: 0 },
    async (store) => (await store.listGrantsByClient('u', '', 501)).length,
  ],
  [
    'a page of many clients',
    { connections: 2000, clients: 1000, calls: 0 },
    async (store) => (await store.listGrantsByClient('u', 'c1', 501)).length,
  ],
  [
    'what a client holds',
    { connections: 2000, clients: 1, calls: 0 },
    async (store) => (await store.findLiveGrants('u', 'c0')).length,
  ],
  [
    'what connections have called',
    { connections: 100, clients: 1, calls: 500 },
    async (store) => (await store.listCalledTools(ids, start)).reduce((sum, { count }) => sum + count, 0),
  ],
]

async function isBounded(t: Test, fresh: () => Promise<string>): Promise<void> {
  for (const [title, scene, ask] of cases) {
    const measured = async (times: number) => {
      const opened = await openedAt(await fresh(), t)
      const [connections, calls] = scene.calls === 0 ? [times, 1] : [1, times]
      const grown = { ...scene, connections: scene.connections * connections, calls: scene.calls * calls }
      await sql`analyze`.execute(opened.store.database)
      await fill(opened.store, grown)
      return workOf(opened, ask)
    }
    const [few, many] = [await measured(1), await measured(2)]
    t.equal(few.result, many.result, title)
    t.ok(many.work <= few.work * 1.25, `${title}: ${few.work}, ${many.work} of twice as much`)
  }
}

const title = 'twice as many connections, or calls, are no more work'
t.test(`SQLite: ${title}`, (t) => isBounded(t, async () => `sqlite:${join(temporaryFolder(), 'store.db')}`))

const server = await postgresOrNotice((text) => t.comment(text))
if (server !== null) {
  t.teardown(() => server.stop())
  t.test(`PostgreSQL: ${title}`, (t) => isBounded(t, () => server.freshDatabase()))
}
