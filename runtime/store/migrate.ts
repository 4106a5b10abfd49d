/** Forward migrations: the core's first, then the application's, each list with its own tables of what has run. */
import { type Kysely, type Migration, Migrator } from 'kysely'
import { coreMigrations } from './schema.ts'
import { StoreBehind } from './store.ts'

type Migrations = Readonly<Record<string, Migration>>

/** Brings the schema up to date (`apply`, under the migrator's lock: of several processes one applies), or throws when
 *  something is pending (`refuse`). Throws what a failing migration threw; its changes are rolled back. */
export async function migrate(
  database: Kysely<unknown>,
  application: Migrations,
  mode: 'apply' | 'refuse',
): Promise<void> {
  for (const migrator of [
    migratorOf(database, 'core', coreMigrations),
    migratorOf(database, 'app', application),
  ]) {
    if (mode === 'refuse') await refusePending(migrator)
    else await applyPending(migrator)
  }
}

function migratorOf(database: Kysely<unknown>, owner: 'core' | 'app', migrations: Migrations): Migrator {
  return new Migrator({
    db: database,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: `${owner}_migration`,
    migrationLockTableName: `${owner}_migration_lock`,
  })
}

async function refusePending(migrator: Migrator): Promise<void> {
  const migrations = await migrator.getMigrations()
  if (migrations.some((migration) => migration.executedAt === undefined)) {
    throw new StoreBehind()
  }
}

async function applyPending(migrator: Migrator): Promise<void> {
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
