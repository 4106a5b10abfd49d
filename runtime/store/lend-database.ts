/** Which database the services of a running application stand for. The handle is no part of `Services`, so that its type, and
 *  with it Kysely's 251 files, is drawn in only by what imports `acmcp/store`. */
import type { Kysely } from 'kysely'
import type { Services } from '../contract/store.ts'

/** The typed handle on the application's own tables. */
export type Database<Tables> = Kysely<Tables>

const lent = Symbol('the database')

/** Makes `database` the one that `databaseOf(services)` finds, also with the services of one request, whose prototype they are. Not
 *  enumerable: no other copy has it, and nothing prints it. */
export function lendDatabase(services: Services, database: Database<unknown>): void {
  Object.defineProperty(services, lent, { value: database })
}

/** The database lent to `services`, or null. */
export const lentDatabase = (services: Services): Database<unknown> | null =>
  Reflect.get(services, lent) ?? null
