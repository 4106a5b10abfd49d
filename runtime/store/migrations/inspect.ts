/** The migrations of a store that no process has opened, for `acmcp store status` and `migrate`. Changes nothing. */
import { Kysely } from 'kysely'
import { engineOf, isMissing } from '../engine.ts'
import {
  type ApplicationMigrations,
  type MigrationState,
  migrationStates,
  pendingMigrations,
} from './states.ts'

export interface StoreStatus {
  readonly engine: string
  /** Without a password. */
  readonly address: string
  readonly migrations: readonly MigrationState[]
}

export interface InspectedStore {
  readonly url: string
  readonly migrations: ApplicationMigrations
}

/** Looks at the store at `url`. A SQLite file that is not there is not made. Throws `StoreUnavailable`. */
export async function inspectStore({ url, migrations }: InspectedStore): Promise<StoreStatus> {
  const engine = await engineOf(url)
  const seen = { engine: engine.name, address: engine.address }
  if (isMissing(engine)) return { ...seen, migrations: pendingMigrations(migrations) }
  const database = new Kysely<unknown>({ dialect: engine.migrationDialect ?? engine.dialect })
  const states = await migrationStates(database, migrations).finally(() => database.destroy())
  return { ...seen, migrations: states }
}
