/** What PostgreSQL tells of a database. */
import { type Kysely, sql } from 'kysely'
import type { StoreCare, StoreFinding, TableSize } from './care.ts'

export const postgresCare: StoreCare = {
  tables,
  async size(database) {
    const { rows } = await sql<{
      bytes: number
    }>`select pg_database_size(current_database()) as bytes`.execute(database)
    return { bytes: rows[0]?.bytes ?? 0, freeBytes: null, walBytes: null }
  },
  writable:
    'make room, or connect to a server, as a role and to a database that are not read-only (SHOW transaction_read_only)',
  damage: unusableIndexes,
}

/** Above, counting takes longer than an operator waits. */
const maxCounted = 1_000_000

interface Described {
  readonly table: string
  readonly bytes: number
  readonly estimate: number
}

async function tables(database: Kysely<unknown>): Promise<readonly TableSize[]> {
  const described = await sql<Described>`
    select relname as "table", pg_total_relation_size(oid) as bytes, reltuples::bigint as estimate from pg_class
    where relkind in ('r', 'm') and relnamespace = any (current_schemas(false)::regnamespace[])
      and pg_table_is_visible(oid) order by relname`.execute(database)
  const sizes: TableSize[] = []
  for (const { table, bytes, estimate } of described.rows) {
    const isEstimate = estimate > maxCounted
    sizes.push({ table, rows: isEstimate ? estimate : await count(database, table), isEstimate, bytes })
  }
  return sizes
}

async function count(database: Kysely<unknown>, table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.id(table)}`.execute(
    database,
  )
  return rows[0]?.rows ?? 0
}

/** What `CREATE INDEX CONCURRENTLY` left when it failed. */
async function unusableIndexes(database: Kysely<unknown>): Promise<readonly StoreFinding[]> {
  const { rows } = await sql<{ name: string; table: string }>`
    select indexrelid::regclass::text as name, indrelid::regclass::text as "table"
    from pg_index join pg_class as c on c.oid = indrelid
    where not (indisvalid and indisready) and c.relnamespace = any (current_schemas(false)::regnamespace[])
    order by 1`.execute(database)
  return rows.map(({ name, table }) => ({
    what: `the index ${name} of ${table} is not valid: the server does not use it`,
    remedy: `REINDEX INDEX CONCURRENTLY ${name}`,
  }))
}
