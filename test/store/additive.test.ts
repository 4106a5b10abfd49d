/** An additive migration beneath instances that run: what they have prepared goes on answering, with what it knew. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import t, { type Test } from 'tap'
import type { NewTask } from '../../runtime/capabilities/tasks/task-record.ts'
import type { Migration } from '../../runtime/store/migrations/migration.ts'
import type { WholeStore } from '../support/whole-store.ts'
import { filled, reads, writes } from './outages/outages.ts'
import { postgresOrNotice } from './postgres-server.ts'
import { grant, openedAt, start } from './support.ts'

const tables = [
  ...['users', 'clients', 'grants', 'tokens', 'revoked_tokens', 'shared_counts', 'sizes', 'sessions'],
  ...['audit', 'audit_batches', 'audit_owners', 'tasks', 'changes', 'approvals', 'idempotency_keys'],
]

/** A column more in every table of the core, as the next version may add one. */
const oneColumnMore: Migration = {
  additive: true,
  up: async (database: Kysely<unknown>) => {
    for (const table of tables)
      await sql`alter table ${sql.table(`acmcp_${table}`)} add column later text default 'later'`.execute(
        database,
      )
  },
}

const task: NewTask = {
  ...{
    id: 'task-1',
    owner: 'ada',
    user: 'u',
    client: 'c1',
    grant: 'g1',
    tool: 'reports_make',
    status: 'working',
  },
  ...{
    expiresAt: start + 1000,
    runner: 'r',
    leaseUntil: start,
    message: null,
    args: null,
    location: null,
    input: null,
    headers: null,
  },
}

/** Twice each, so that it is prepared; what they answer. */
async function answersOf(store: WholeStore): Promise<Readonly<Record<string, unknown>>> {
  const requested: Readonly<Record<string, (store: WholeStore) => Promise<unknown>>> = {
    ...reads,
    findTask: () => store.findTask('task-1', 'ada'),
    listGrants: () => store.listGrants({}),
    listClients: () => store.listClients(10),
    listUsers: () => store.listUsers(10),
    listAudit: () => store.listAudit({}, 10),
    listAuditAfter: () => store.listAuditAfter({ user: 'u' }, '', 10),
    findAuditBefore: () => store.findAuditBefore({}, 0),
    listCalledTools: () => store.listCalledTools([grant.id], 0),
    isCurrent: () => store.isCurrent(),
  }
  const answers: [string, unknown][] = []
  for (const [name, ask] of Object.entries(requested)) {
    await ask(store)
    answers.push([name, await ask(store)])
  }
  return Object.fromEntries(answers)
}

async function scenario(t: Test, url: string): Promise<void> {
  const opened = await openedAt(url, t)
  const { store, open } = opened
  await filled(opened)
  await store.saveClient({ id: 'c1', name: 'Agent', redirectUris: [], grantTypes: [], responseTypes: [] })
  await store.createTask(task, { kept: 10, unfinished: 10, ownerBytes: 1000, allBytes: 1000 })
  const entry = {
    event: 'tool-call',
    user: 'u',
    client: 'c1',
    grant: 'g1',
    tool: 'x',
    decision: 'allowed',
  } as const
  const append = (id: string): Promise<void> => store.appendAudit([{ id, at: start, entry }])
  await append('0'.repeat(32))
  const before = await answersOf(store)
  for (let i = 0; i < 2; i += 1)
    await Promise.all([writes.shareCounts?.(store), writes.rotateRefresh?.(store)])
  await open({ migrations: { '0001_more': oneColumnMore } })
  t.strictSame(await answersOf(store), before)
  for (const [name, write] of Object.entries(writes)) await t.resolves(write(store), name)
  await t.resolves(append('1'.repeat(32)))
  await t.resolves(store.renewTasks('r', ['none'], start))
}

const server = await postgresOrNotice((text) => t.comment(text))
const folder = mkdtempSync(join(tmpdir(), 'acmcp-additive-'))
t.teardown(() => rmSync(folder, { recursive: true }))
t.test('SQLite: no prepared statement minds a column more', (t) =>
  scenario(t, `sqlite:${join(folder, 'a.db')}`),
)

if (server !== null) {
  t.teardown(() => server.stop())
  t.test('PostgreSQL: no prepared statement minds a column more', async (t) =>
    scenario(t, await server.freshDatabase()),
  )
}
