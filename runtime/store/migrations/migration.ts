/** What a migration is, and how those of acmcp itself are written. */
import { type Kysely, type Migration as KyselyMigration, sql } from 'kysely'
import { schemaDialectOf } from '../schema-dialect.ts'

/** A step of a database's life. An alias: a re-export would have every build of an application look into the package. */
export type Migration = KyselyMigration & {
  /** Whether instances of the version before, which do not have it, serve on with the schema that it makes: it adds what they
   *  do not look at. Default: no. */
  readonly additive?: boolean
  /** By table, columns whose values are read as `bigint` whatever their size; of others an integer is a number where that is exact. */
  readonly bigints?: Readonly<Record<string, readonly string[]>>
}

/** One of acmcp itself says whether the version before may run beside it. */
export type MarkedMigration = Migration & { readonly additive: boolean }

/** A migration that the version before does not look at; `tables` (named without the prefix) are new. */
export function adding(
  statements: string | ((database: Kysely<unknown>) => string),
  tables: readonly string[] = [],
): MarkedMigration {
  return {
    additive: true,
    up: async (database) => {
      if (tables.length > 0) await refuseTaken(database, tables)
      await runAll(database, typeof statements === 'string' ? statements : statements(database))
    },
  }
}

/** Statements that both engines take, one after another. */
export async function runAll(database: Kysely<unknown>, statements: string): Promise<void> {
  for (const statement of statements.split(';')) await sql.raw(statement).execute(database)
}

/** The names of the core's tables and indexes begin with `acmcp_`: `users` and `sessions` are the application's to take.
 *  Stores that were made before had them without. */
export const prefixed = (name: string): string => `acmcp_${name}`

/** Throws when there is something that has the name of one of these tables (named without the prefix). */
export async function refuseTaken(database: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  const taken = await schemaDialectOf(database).namesTaken(database, tables.map(prefixed))
  if (taken.length === 0) return
  throw new Error(
    `${taken.join(', ')}: the database has that already, but names that begin with acmcp_ are acmcp's: rename it`,
  )
}
