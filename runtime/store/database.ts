/** The application's way to its own tables. */
import type { Kysely } from 'kysely'
import type { Services } from '../contract/store.ts'
import { schemaDialectOf } from './schema-dialect.ts'
import type { Database } from './store.ts'

/** The database handle of a controller, typed with the tables that the application's migrations made. */
export function database<Tables>(controller: { readonly services: Services }): Database<Tables> {
  return controller.services.database as Database<Tables> // the application says which tables its migrations made
}

/** The column type whose values the engine itself counts up, for a primary key: they grow in insertion order. */
export function rowIdType(database: Pick<Kysely<never>, 'getExecutor'>): 'bigserial' | 'integer' {
  return schemaDialectOf(database).rowIdType
}
