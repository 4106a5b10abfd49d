/** The names of the core's tables and indexes begin with `acmcp_`: `users` and `sessions` are the application's to take.
 *  Stores that were made before had them without. */
import { type Kysely, PostgresAdapter, sql } from 'kysely'

const prefixed = (name: string): string => `acmcp_${name}`

/** Made with the prefix from the start, or renamed. */
const ours = prefixed('tokens_grant_id')

/** Gives tables (named without the prefix) and their indexes the prefix, unless the store was made with it. Throws when a
 *  table of the application has such a name. */
export async function takePrefix(database: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  if ((await namesTaken(database, [ours])).length > 0) return
  await refuseTaken(database, tables)
  for (const table of tables) {
    await sql`alter table ${sql.id(table)} rename to ${sql.id(prefixed(table))}`.execute(database)
    if (isPostgres(database)) await renameIndexes(database, table)
    else await remakeIndexes(database, table)
  }
}

/** Throws when there is something that has the name of one of these tables (named without the prefix). */
export async function refuseTaken(database: Kysely<unknown>, tables: readonly string[]): Promise<void> {
  const taken = await namesTaken(database, tables.map(prefixed))
  if (taken.length === 0) return
  throw new Error(
    `${taken.join(', ')}: the database has that already, but names that begin with acmcp_ are acmcp's: rename it`,
  )
}

const isPostgres = (database: Kysely<unknown>): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter

interface Named {
  readonly name: string
}

/** Which of these names a table, view or index has. */
async function namesTaken(database: Kysely<unknown>, names: readonly string[]): Promise<readonly string[]> {
  const { rows } = isPostgres(database)
    ? await sql<Named>`select relname as name from pg_class
        where relname in (${sql.join(names)}) and pg_table_is_visible(oid) order by relname`.execute(database)
    : await sql<Named>`select name from sqlite_master where name in (${sql.join(names)}) order by name`.execute(
        database,
      )
  return rows.map(({ name }) => name)
}

/** The names of indexes are shared by all tables of a schema; that of a primary key is one of them. */
async function renameIndexes(database: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<Named>`select indexrelid::regclass::text as name from pg_index
    where indrelid = ${prefixed(table)}::regclass`.execute(database)
  for (const { name } of rows.filter(({ name }) => name.startsWith(table)))
    await sql`alter index ${sql.id(name)} rename to ${sql.id(prefixed(name))}`.execute(database)
}

/** SQLite has no other way. An index of a primary key has no text, and follows its table. */
async function remakeIndexes(database: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<Named & { readonly text: string }>`select name, sql as text from sqlite_master
    where type = 'index' and tbl_name = ${prefixed(table)} and sql is not null`.execute(database)
  for (const { name, text } of rows.filter(({ name }) => name.startsWith(table))) {
    await sql`drop index ${sql.id(name)}`.execute(database)
    await sql.raw(text.replace(name, prefixed(name))).execute(database)
  }
}
