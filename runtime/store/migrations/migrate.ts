/** Forward migrations: the core's first, then the application's, each list with its own tables of what has run. */
import { Kysely, type Migration as KyselyMigration, Migrator, sql } from 'kysely'
import { type Engine, isMissing } from '../engine.ts'
import { firstRecorded } from '../schema.ts'
import { backupBefore } from '../sqlite/files/backup.ts'
import { StoreUnavailable } from '../store.ts'
import type { Migration } from './migration.ts'
import { MigrationFailed, StoreBehind } from './migration-errors.ts'
import { type MigrationLists, migrationStates, refuseStrangers } from './states.ts'

type Migrations = Readonly<Record<string, Migration>>
type Owner = 'core' | 'app'

/** Brings the schema up to date (`apply`, under the migrator's lock: of several processes one applies), or throws when
 *  something is pending (`refuse`). A SQLite file that has something in it is copied first. Throws `StoreAhead`, and
 *  `MigrationFailed`; the changes of one that fails are rolled back. */
export async function migrate(
  engine: Engine,
  database: Kysely<unknown>,
  { lists, mode }: { readonly lists: MigrationLists; readonly mode: 'apply' | 'refuse' },
): Promise<void> {
  if (mode === 'refuse' && isMissing(engine)) throw new StoreBehind()
  const states = await migrationStates(database, lists)
  refuseStrangers(states)
  const [next] = states.filter(({ isApplied }) => !isApplied)
  if (next === undefined) return
  if (mode === 'refuse') throw new StoreBehind()
  if (engine.file !== null && states.some(({ isApplied }) => isApplied)) backupBefore(engine.file, next.name)
  if (engine.migrationDialect === null) return applyPending(database, lists)
  const patient = new Kysely<unknown>({ dialect: engine.migrationDialect })
  await applyPending(patient, lists).finally(() => patient.destroy())
}

async function applyPending(database: Kysely<unknown>, lists: MigrationLists): Promise<void> {
  for (const owner of ['core', 'app'] as const) {
    const states = (await migrationStates(database, lists)).filter((state) => state.owner === owner)
    if (states.length > 0 && states.every(({ isApplied }) => isApplied)) continue
    const migrator = migratorOf(database, owner, owner === 'core' ? lists.core : (lists.application ?? {}))
    const { error, results } = await migrator.migrateToLatest()
    const failed = results?.find(({ status }) => status === 'Error')
    if (error === undefined || (await wasOvertaken(database, owner, lists))) continue
    throw failure(owner, failed?.migrationName ?? null, error)
  }
}

/** Another process applied the list meanwhile, and perhaps what only a newer build knows. */
async function wasOvertaken(
  database: Kysely<unknown>,
  owner: Owner,
  lists: MigrationLists,
): Promise<boolean> {
  const states = await migrationStates(database, lists).catch(() => null)
  if (states === null || states.some((state) => state.owner === owner && !state.isApplied)) return false
  refuseStrangers(states)
  return true
}

/** Trouble before any migration has begun is that of the store, or of the list. */
function failure(owner: Owner, name: string | null, error: unknown): unknown {
  return name === null && error instanceof StoreUnavailable ? error : new MigrationFailed(owner, name, error)
}

function migratorOf(database: Kysely<unknown>, owner: Owner, migrations: Migrations): Migrator {
  const recorded = Object.entries(migrations).map(([name, migration]): [string, KyselyMigration] => [
    name,
    recordedWith(owner, name, migration),
  ])
  return new Migrator({
    db: database,
    provider: { getMigrations: async () => Object.fromEntries(recorded) },
    migrationTableName: `${owner}_migration`,
    migrationLockTableName: `${owner}_migration_lock`,
  })
}

/** That it is additive is kept with what it does, in one transaction: the version before, which does not have it, looks there. */
function recordedWith(owner: Owner, name: string, migration: Migration): KyselyMigration {
  if (migration.additive !== true || (owner === 'core' && name <= firstRecorded)) return migration
  return {
    up: async (database) => {
      await migration.up(database)
      await sql`insert into acmcp_additive_migrations (owner, name) values (${owner}, ${name})`.execute(
        database,
      )
    },
  }
}
