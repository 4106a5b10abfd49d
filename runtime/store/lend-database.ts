/** Which database the services of a running application stand for. The handle is no part of `Services`, so that its type, and
 *  with it Kysely's 251 files, is drawn in only by what imports `acmcp/store`. */
import type { Services } from '../contract/store.ts'
import type { Database } from './store.ts'

const lent = new WeakMap<Services, Database<unknown>>()

/** Makes `database` the one that `databaseOf(services)` finds. */
export function lendDatabase(services: Services, database: Database<unknown>): void {
  lent.set(services, database)
}

/** The database lent to `services`, or null. */
export const lentDatabase = (services: Services): Database<unknown> | null => lent.get(services) ?? null
