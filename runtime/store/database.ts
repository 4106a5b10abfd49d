/** The application's way to its own tables, `acmcp/store`: only its importers read Kysely's types. */
import type { Kysely } from 'kysely'
import type { Services } from '../contract/store.ts'
import { type Database, lentDatabase } from './lend-database.ts'
import { schemaDialectOf } from './schema-dialect.ts'

export type { Database } from './lend-database.ts'
export type { Migration } from './migrations/migration.ts'

/** The database handle behind a controller's `services`, typed with the tables that the application's migrations made.
 *  Throws for services that are not a running application's own. */
export function databaseOf<Tables>(services: Services): Database<Tables> {
  const database = lentDatabase(services)
  if (database === null)
    throw new Error('databaseOf takes the `services` of a controller, not a copy of them')
  return database as Database<Tables> // the application says which tables its migrations made
}

/** The column type whose values the engine itself counts up, for a primary key: they grow in insertion order. */
export function rowIdType(database: Pick<Kysely<never>, 'getExecutor'>): 'bigserial' | 'integer' {
  return schemaDialectOf(database).rowIdType
}

/** The column type of bytes, which both engines read as a `Buffer`. */
export function blobType(database: Pick<Kysely<never>, 'getExecutor'>): 'bytea' | 'blob' {
  return schemaDialectOf(database).blobType
}
