/** The names of the core's tables and indexes begin with `acmcp_`: `users` and `sessions` are the application's to take.
 *  Stores that were made before had them without. */
import { type Kysely, sql } from 'kysely'
import { schemaDialectOf } from './schema-dialect.ts'

const prefixed = (name: string): string => `acmcp_${name}`

/** Made with the prefix from the start, or renamed. */
const ours = prefixed('tokens_grant_id')

/** Gives tables (named without the prefix) and their indexes the prefix, unless the store was made with it. Throws when a
 *  table of the application has such a name. */
export async function takePrefix(database: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  const dialect = schemaDialectOf(database)
  if ((await dialect.namesTaken(database, [ours])).length > 0) return
  await refuseTaken(database, tables)
  for (const table of tables) {
    await sql`alter table ${sql.id(table)} rename to ${sql.id(prefixed(table))}`.execute(database)
    await dialect.renameIndexes(database, prefixed(table), { prefix: table, to: prefixed })
  }
}

/** Throws when there is something that has the name of one of these tables (named without the prefix). */
export async function refuseTaken(database: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  const taken = await schemaDialectOf(database).namesTaken(database, tables.map(prefixed))
  if (taken.length === 0) return
  throw new Error(
    `${taken.join(', ')}: the database has that already, but names that begin with acmcp_ are acmcp's: rename it`,
  )
}
