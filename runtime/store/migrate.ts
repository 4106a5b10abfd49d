/** Forward migrations: the core's first, then the application's, each list with its own tables of what has run. */
import { Kysely, type Migration, type MigrationInfo, Migrator } from 'kysely'
import { type Engine, isMissing } from './engine.ts'
import { coreMigrations } from './schema.ts'
import { backupBefore } from './sqlite/backup.ts'
import { MigrationFailed, StoreBehind, StoreUnavailable } from './store.ts'

type Migrations = Readonly<Record<string, Migration>>

/** One migration and whether it has run. */
export interface MigrationState {
  readonly owner: 'core' | 'app'
  readonly name: string
  readonly isApplied: boolean
}

/** Brings the schema up to date (`apply`, under the migrator's lock: of several processes one applies), or throws when
 *  something is pending (`refuse`). A SQLite file that has something in it is copied first. Throws `MigrationFailed`;
 *  the changes of one that fails are rolled back. */
export async function migrate(
  engine: Engine,
  database: Kysely<unknown>,
  { migrations, migrate: mode }: { readonly migrations: Migrations; readonly migrate: 'apply' | 'refuse' },
): Promise<void> {
  if (mode === 'refuse' && isMissing(engine)) throw new StoreBehind()
  const states = await migrationStates(database, migrations)
  const [next] = states.filter(({ isApplied }) => !isApplied)
  if (next === undefined) return
  if (mode === 'refuse') throw new StoreBehind()
  if (engine.file !== null && states.some(({ isApplied }) => isApplied)) backupBefore(engine.file, next.name)
  if (engine.migrationDialect === null) return applyPending(database, migrations)
  const patient = new Kysely<unknown>({ dialect: engine.migrationDialect })
  await applyPending(patient, migrations).finally(() => patient.destroy())
}

/** Every migration of the core and of the application in the order in which they run. Changes nothing. */
export async function migrationStates(
  database: Kysely<unknown>,
  application: Migrations,
): Promise<readonly MigrationState[]> {
  const states: MigrationState[] = []
  for (const [owner, migrator] of migratorsOf(database, application)) {
    const infos = await migrator.getMigrations()
    states.push(...infos.map((info) => stateOf(owner, info)))
  }
  return states
}

function stateOf(owner: 'core' | 'app', { name, executedAt }: MigrationInfo): MigrationState {
  return { owner, name, isApplied: executedAt !== undefined }
}

async function applyPending(database: Kysely<unknown>, application: Migrations): Promise<void> {
  for (const [owner, migrator] of migratorsOf(database, application)) {
    const { error, results } = await migrator.migrateToLatest()
    const failed = results?.find(({ status }) => status === 'Error')
    if (error !== undefined) throw failure(owner, failed?.migrationName ?? null, error)
  }
}

/** Trouble before any migration has begun is that of the store, or of the list. */
function failure(owner: 'core' | 'app', name: string | null, error: unknown): unknown {
  return name === null && error instanceof StoreUnavailable ? error : new MigrationFailed(owner, name, error)
}

function migratorsOf(
  database: Kysely<unknown>,
  application: Migrations,
): readonly (readonly ['core' | 'app', Migrator])[] {
  return [
    ['core', migratorOf(database, 'core', coreMigrations)],
    ['app', migratorOf(database, 'app', application)],
  ]
}

function migratorOf(database: Kysely<unknown>, owner: 'core' | 'app', migrations: Migrations): Migrator {
  return new Migrator({
    db: database,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: `${owner}_migration`,
    migrationLockTableName: `${owner}_migration_lock`,
  })
}
