/** What a store looks like from outside, for `acmcp store status`. Changes nothing. */
import { Kysely } from 'kysely'
import type { Clock } from '../../contract/store.ts'
import { type Engine, engineOf, isMissing } from '../engine.ts'
import {
  type ApplicationMigrations,
  type MigrationState,
  migrationStates,
  pendingMigrations,
} from '../migrations/states.ts'
import type { CoreDatabase, CoreTables } from '../schema.ts'
import type { StoreSize, TableSize } from './care.ts'

export interface StoreStatus {
  readonly engine: string
  /** Without a password. */
  readonly address: string
  readonly migrations: readonly MigrationState[]
  /** Null where there is nothing yet. */
  readonly contents: StoreContents | null
}

export interface StoreContents extends StoreSize {
  /** By the name of the table: an application may have `users` and `sessions` of its own. */
  readonly tables: readonly TableSize[]
  /** How long the oldest expired row has been waiting for the purge, in milliseconds; null when none is, and while migrations
   *  of the core are pending. */
  readonly oldestExpiredMs: number | null
}

export interface Looked {
  readonly url: string
  readonly migrations: ApplicationMigrations
  readonly clock: Clock
}

/** Looks at the store at `url`. A SQLite file that is not there is not made. Throws `StoreUnavailable`. */
export async function inspectStore({ url, migrations, clock }: Looked): Promise<StoreStatus> {
  const engine = await engineOf(url)
  const seen = { engine: engine.name, address: engine.address }
  if (isMissing(engine)) return { ...seen, migrations: pendingMigrations(migrations), contents: null }
  return patiently(engine, async (database) => {
    const handle = database as unknown as Kysely<unknown> // asks for no table by type
    const states = await migrationStates(handle, migrations)
    if (!states.some(({ isApplied }) => isApplied)) return { ...seen, migrations: states, contents: null }
    const isCurrent = states.every(({ owner, isApplied }) => owner === 'app' || isApplied)
    const size = await engine.care.size(handle)
    const tables = await engine.care.tables(handle)
    const oldestExpiredMs = isCurrent ? await oldestExpired(database, clock()) : null
    return { ...seen, migrations: states, contents: { ...size, tables, oldestExpiredMs } }
  })
}

/** The migrations alone. */
export async function inspectMigrations({
  url,
  migrations,
}: Omit<Looked, 'clock'>): Promise<Omit<StoreStatus, 'contents'>> {
  const engine = await engineOf(url)
  const seen = { engine: engine.name, address: engine.address }
  if (isMissing(engine)) return { ...seen, migrations: pendingMigrations(migrations) }
  return patiently(engine, async (database) => ({
    ...seen,
    migrations: await migrationStates(database as unknown as Kysely<unknown>, migrations), // the same
  }))
}

/** On connections that may take their time: a large store is counted for longer than a request may wait. */
export async function patiently<Result>(
  engine: Engine,
  look: (database: CoreDatabase) => Promise<Result>,
): Promise<Result> {
  const database = new Kysely<CoreTables>({ dialect: engine.migrationDialect ?? engine.dialect })
  return look(database).finally(() => database.destroy())
}

const expiring = [
  ...(['acmcp_sessions', 'acmcp_tokens', 'acmcp_grants', 'acmcp_revoked_tokens'] as const),
  ...([
    'acmcp_tasks',
    'acmcp_task_headers',
    'acmcp_approvals',
    'acmcp_idempotency_keys',
    'acmcp_used_once',
  ] as const),
]

async function oldestExpired(database: CoreDatabase, now: number): Promise<number | null> {
  const ends: number[] = []
  for (const table of expiring) {
    const query = database.selectFrom(table).select('expires_at').orderBy('expires_at').limit(1)
    const oldest = await query.executeTakeFirst()
    if (oldest !== undefined && oldest.expires_at <= now) ends.push(oldest.expires_at)
  }
  return ends.length === 0 ? null : now - Math.min(...ends)
}
