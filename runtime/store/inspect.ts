/** What a store looks like from outside, for `acmcp store status`. Changes nothing. */
import { Kysely } from 'kysely'
import type { Clock } from '../contract/store.ts'
import { engineOf, isMissing } from './engine.ts'
import { type MigrationState, migrationStates } from './migrate.ts'
import { type CoreDatabase, type CoreTables, coreMigrations } from './schema.ts'
import type { StoreOptions } from './store.ts'

export interface StoreStatus {
  readonly engine: string
  /** Without a password. */
  readonly address: string
  readonly migrations: readonly MigrationState[]
  /** Null while migrations of the core are pending. */
  readonly contents: StoreContents | null
}

export interface StoreContents {
  /** By the name of the table: an application may have `users` and `sessions` of its own. */
  readonly rows: Readonly<Record<string, number>>
  /** How long the oldest expired row has been waiting for the purge, in milliseconds; null when none is. */
  readonly oldestExpiredMs: number | null
}

/** Looks at the store at `url`. A SQLite file that is not there is not made. Throws `StoreUnavailable`. */
export async function inspectStore(
  options: Pick<StoreOptions, 'url' | 'migrations'> & { readonly clock: Clock },
): Promise<StoreStatus> {
  const engine = await engineOf(options.url)
  const seen = { engine: engine.name, address: engine.address }
  if (isMissing(engine)) return { ...seen, migrations: nothingApplied(options.migrations), contents: null }
  const database = new Kysely<CoreTables>({ dialect: engine.dialect })
  try {
    const migrations = await migrationStates(database as unknown as Kysely<unknown>, options.migrations) // asks for no table by type
    const isCurrent = migrations.every(({ owner, isApplied }) => owner === 'app' || isApplied)
    return { ...seen, migrations, contents: isCurrent ? await contentsOf(database, options.clock()) : null }
  } finally {
    await database.destroy()
  }
}

function nothingApplied(application: StoreOptions['migrations']): readonly MigrationState[] {
  const pending =
    (owner: 'core' | 'app') =>
    (name: string): MigrationState => ({ owner, name, isApplied: false })
  return [
    ...Object.keys(coreMigrations).sort().map(pending('core')),
    ...Object.keys(application).sort().map(pending('app')),
  ]
}

const counted = [
  'acmcp_users',
  'acmcp_clients',
  'acmcp_grants',
  'acmcp_tokens',
  'acmcp_revoked_tokens',
  'acmcp_sessions',
  'acmcp_shared_counts',
  'acmcp_audit',
] as const

async function contentsOf(database: CoreDatabase, now: number): Promise<StoreContents> {
  const rows: [string, number][] = []
  for (const table of counted) {
    const query = database.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('rows'))
    rows.push([table, (await query.executeTakeFirstOrThrow()).rows])
  }
  return { rows: Object.fromEntries(rows), oldestExpiredMs: await oldestExpiredMs(database, now) }
}

async function oldestExpiredMs(database: CoreDatabase, now: number): Promise<number | null> {
  const ends: number[] = []
  for (const table of ['acmcp_sessions', 'acmcp_tokens', 'acmcp_grants', 'acmcp_revoked_tokens'] as const) {
    const query = database.selectFrom(table).select('expires_at').orderBy('expires_at').limit(1)
    const oldest = await query.executeTakeFirst()
    if (oldest !== undefined && oldest.expires_at <= now) ends.push(oldest.expires_at)
  }
  return ends.length === 0 ? null : now - Math.min(...ends)
}
