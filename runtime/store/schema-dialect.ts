/** What migrations must know of the engine. They are given a Kysely handle and nothing else, the application's perhaps one
 *  of its own making: the handle's adapter tells. */
import { type Kysely, PostgresAdapter, sql } from 'kysely'

export interface SchemaDialect {
  /** The column type whose values the engine itself counts up. */
  readonly rowIdType: 'bigserial' | 'integer'
  /** The column type of bytes. */
  readonly blobType: 'bytea' | 'blob'
  /** Ends a table whose rows stand in the order of their key, and not beside it once more. */
  readonly inKeyOrder: 'without rowid' | ''
  /** Which of these names a table, view or index has. */
  namesTaken(database: Kysely<unknown>, names: readonly string[]): Promise<readonly string[]>
  /** Renames those indexes of `table` whose names begin with `prefix`. */
  renameIndexes(database: Kysely<unknown>, table: string, { prefix, to }: Renaming): Promise<void>
}

interface Renaming {
  readonly prefix: string
  readonly to: (name: string) => string
}

interface Named {
  readonly name: string
}

export function schemaDialectOf(database: Pick<Kysely<never>, 'getExecutor'>): SchemaDialect {
  return database.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite
}

const namesIn = (rows: readonly Named[]): readonly string[] => rows.map(({ name }) => name)

const sqlite: SchemaDialect = {
  rowIdType: 'integer',
  inKeyOrder: 'without rowid',
  blobType: 'blob',
  async namesTaken(database, names) {
    const query = sql<Named>`select name from sqlite_master where name in (${sql.join(names)}) order by name`
    return namesIn((await query.execute(database)).rows)
  },
  /** SQLite can only make them anew. An index of a primary key has no text, and follows its table. */
  async renameIndexes(database, table, { prefix, to }) {
    const { rows } = await sql<Named & { readonly text: string }>`select name, sql as text from sqlite_master
      where type = 'index' and tbl_name = ${table} and sql is not null`.execute(database)
    for (const { name, text } of rows.filter(({ name }) => name.startsWith(prefix))) {
      await sql`drop index ${sql.id(name)}`.execute(database)
      await sql.raw(text.replace(name, to(name))).execute(database)
    }
  },
}

const postgres: SchemaDialect = {
  rowIdType: 'bigserial',
  inKeyOrder: '',
  blobType: 'bytea',
  async namesTaken(database, names) {
    const query = sql<Named>`select relname as name from pg_class
      where relname in (${sql.join(names)}) and pg_table_is_visible(oid) order by relname`
    return namesIn((await query.execute(database)).rows)
  },
  /** The names of indexes are shared by all tables of a schema; that of a primary key is one of them. */
  async renameIndexes(database, table, { prefix, to }) {
    const { rows } = await sql<Named>`select indexrelid::regclass::text as name from pg_index
      where indrelid = ${table}::regclass`.execute(database)
    for (const name of namesIn(rows).filter((name) => name.startsWith(prefix)))
      await sql`alter index ${sql.id(name)} rename to ${sql.id(to(name))}`.execute(database)
  },
}
