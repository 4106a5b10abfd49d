/** What the tests of the store share. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from '../../runtime/store/migrations/migration.ts'
import { defaultPool } from '../../runtime/store/pool.ts'
import type { Grant, Issued, Store, StoreOptions, TokenPair } from '../../runtime/store/store.ts'
import { openStore, type WholeStore } from '../support/whole-store.ts'

export const start = 1_800_000_000_000
export const hourMs = 3_600_000
export const grant: Grant = {
  id: 'g1',
  userId: 'dev:developer',
  clientId: 'c1',
  scope: 'api',
  resource: '',
  allowed: null,
}
/** Of one that says nothing beside its scopes. */
export const noTerms = { readOnly: false, surface: null, isAsked: false, spentAt: null }
export const code: Issued = { jti: 'code-1', expiresAt: start + 300_000 }

export const notes: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema.createTable('notes').addColumn('text', 'text').execute()
  },
}

export function pair(name: string): TokenPair {
  return {
    access: { jti: `access-${name}`, expiresAt: start + hourMs },
    refresh: { jti: `refresh-${name}`, expiresAt: start + 24 * hourMs },
  }
}

export interface Opened {
  readonly store: WholeStore
  readonly url: string
  /** The one clock of all stores that `open` opens. */
  readonly clock: { now: number }
  /** Another store on the same database, as another process would open it. */
  readonly open: (options?: Partial<StoreOptions>) => Promise<WholeStore>
}

/** A store on the database at `url`, closed at the end of the test `t`. */
export async function openedAt(url: string, t: { teardown(f: () => unknown): void }): Promise<Opened> {
  const clock = { now: start }
  const stores: WholeStore[] = []
  const open: Opened['open'] = async (options = {}) => {
    const store = await openStore({
      url,
      clock: () => clock.now,
      migrations: {},
      migrate: 'apply',
      ...options,
    })
    stores.push(store)
    return store
  }
  t.teardown(async () => {
    for (const store of stores) await store.close()
  })
  return { store: await open(), url, clock, open }
}

/** How much work something is: the entries of tables and indexes that PostgreSQL looked at, or the steps of SQLite's machine. Of a store of
 *  its own, with one connection, which `open` opens. */
export async function workOf<Result>(
  { store: first, open }: Opened,
  something: (store: WholeStore) => Promise<Result>,
): Promise<{ readonly result: Result; readonly work: number }> {
  await first.close() // what it did is counted by then
  const store = await open({ pool: { ...defaultPool, size: 1 } })
  const before = await workDone(store)
  const result = await something(store)
  return { result, work: (await workDone(store)) - before }
}

async function workDone({ database, isShared }: Store): Promise<number> {
  if (!isShared) {
    const steps = sql<Work>`select coalesce(sum(nstep), 0) as work from sqlite_stmt`
    const { rows: writer } = await database.transaction().execute((work) => steps.execute(work))
    return workIn(writer) + workIn((await steps.execute(database)).rows)
  }
  await sql`select pg_stat_force_next_flush()`.execute(database)
  const { rows } = await sql<Work>`
    select (select sum(seq_tup_read) from pg_stat_user_tables)::bigint
      + (select sum(idx_tup_read) from pg_stat_user_indexes)::bigint as work`.execute(database)
  return workIn(rows)
}

interface Work {
  readonly work: number
}

const workIn = ([row]: readonly Work[]): number => row?.work ?? Number.NaN

/** What takes back a migration of the core; the last one first. */
const undone: Readonly<Record<string, readonly string[]>> = {
  '0021_audit_batches': ['drop table acmcp_audit_batches', 'drop table acmcp_audit_owners'],
  '0020_refresh_retries': ['alter table acmcp_tokens drop column retries'],
  '0019_key_sources': [
    'drop index acmcp_idempotency_keys_source',
    ...['source', 'grant_id', 'bytes'].map(
      (column) => `alter table acmcp_idempotency_keys drop column ${column}`,
    ),
  ],
  '0018_enterprise': [
    'alter table acmcp_users drop column attributes_at',
    'alter table acmcp_grants drop column kind',
  ],
  '0017_session_sids': [
    'drop index acmcp_sessions_sid_hash',
    'alter table acmcp_sessions drop column sid_hash',
  ],
  '0016_leaving': [
    ...['users_erased_as', 'tasks_user', 'idempotency_keys_uncounted'].map(
      (index) => `drop index acmcp_${index}`,
    ),
    ...['blocked_at', 'erased_as', 'tokens_since'].map(
      (column) => `alter table acmcp_users drop column ${column}`,
    ),
  ],
  '0015_used_once': ['drop table acmcp_used_once'],
  '0014_sign_ins': ['attributes', 'signed_in_at'].map(
    (column) => `alter table acmcp_users drop column ${column}`,
  ),
  '0013_idempotency_keys': ['drop table acmcp_idempotency_keys'],
  '0012_grant_terms': [
    'drop table acmcp_surfaces',
    'drop index acmcp_grants_surface',
    ...['read_only', 'surface', 'asked_at'].map((column) => `alter table acmcp_grants drop column ${column}`),
  ],
  '0011_approvals': ['drop table acmcp_approvals'],
}

/** Makes the store one of a version before the migration `name`. */
export async function takeBack({ database }: Store, name: string): Promise<void> {
  for (const [later, statements] of Object.entries(undone)) {
    if (later < name) continue
    for (const statement of statements) await sql.raw(statement).execute(database)
    for (const table of ['core_migration', 'acmcp_additive_migrations'])
      await sql`delete from ${sql.table(table)} where name = ${later}`.execute(database)
  }
}

/** How many of each kind. */
export function tally(results: readonly { readonly kind: string }[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { kind } of results) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** What a promise rejects with; fails when it does not. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const answer = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('error' in answer) return answer.error
  throw new Error('it did not reject')
}
