/** What SQLite tells of a file. The driver is built with `dbstat`. Source: SQLite, The DBSTAT Virtual Table. */
import { statSync } from 'node:fs'
import { type Kysely, sql } from 'kysely'
import type { StoreCare, StoreFinding, TableSize } from './care.ts'

/** Of the file at `path`; null = in memory. */
export function sqliteCare(path: string | null): StoreCare {
  return {
    tables,
    async size(database) {
      const pages = await pragma<'page_count'>(database, 'page_count')
      const free = await pragma<'freelist_count'>(database, 'freelist_count')
      const pageBytes = await pragma<'page_size'>(database, 'page_size')
      const log = path === null ? undefined : statSync(`${path}-wal`, { throwIfNoEntry: false })
      return { bytes: pages * pageBytes, freeBytes: free * pageBytes, walBytes: log?.size ?? 0 }
    },
    writable: 'make room on the disk, or let this process write the file and its folder',
    damage: async (database) => [...(await damagedPages(database)), ...(await brokenReferences(database))],
  }
}

async function pragma<Name extends string>(database: Kysely<unknown>, name: Name): Promise<number> {
  const { rows } = await sql<Record<string, number>>`select * from ${sql.raw(`pragma_${name}`)}`.execute(
    database,
  )
  return rows[0]?.[name] ?? 0
}

async function tables(database: Kysely<unknown>): Promise<readonly TableSize[]> {
  const sizes = await sql<{ table: string; bytes: number }>`
    select m.tbl_name as "table", sum(s.pgsize) as bytes
    from dbstat as s join sqlite_master as m on m.name = s.name
    where s.aggregate = true group by m.tbl_name order by m.tbl_name`.execute(database)
  const counted: TableSize[] = []
  for (const { table, bytes } of sizes.rows) {
    const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.id(table)}`.execute(
      database,
    )
    counted.push({ table, rows: rows[0]?.rows ?? 0, isEstimate: false, bytes })
  }
  return counted
}

const restore = 'stop the server and restore a backup: acmcp store restore FILE'

async function damagedPages(database: Kysely<unknown>): Promise<readonly StoreFinding[]> {
  const { rows } = await sql<{ integrity_check: string }>`select * from pragma_integrity_check(20)`.execute(
    database,
  )
  const said = rows.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok')
  return said.map((what) => ({ what, remedy: restore }))
}

interface BrokenReference {
  readonly table: string
  readonly parent: string
  readonly rows: number
}

async function brokenReferences(database: Kysely<unknown>): Promise<readonly StoreFinding[]> {
  const { rows } = await sql<BrokenReference>`
    select "table", parent, count(*) as rows from pragma_foreign_key_check group by 1, 2`.execute(database)
  return rows.map(({ table, parent, rows }) => ({
    what: `${rows} rows of ${table} refer to rows of ${parent} that are not there`,
    remedy: `delete them (PRAGMA foreign_key_check(${table}) lists them), or restore a backup`,
  }))
}
