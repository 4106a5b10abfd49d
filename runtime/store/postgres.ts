/** PostgreSQL through pg, for several instances. Same schema and same verbs as SQLite. */
import { type Dialect, PostgresDialect } from 'kysely'
import pg from 'pg'

const int8: number = pg.types.builtins.INT8
const connectionTimeoutMillis = 5000

/** A Kysely dialect on the PostgreSQL database at `url`; connections are made on first use. */
export function postgresDialect(url: string): Dialect {
  const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis, types: { getTypeParser } })
  // An idle connection that breaks is replaced by the pool; without a listener its error would end the process.
  pool.on('error', () => {})
  return new PostgresDialect({ pool })
}

/** 64-bit integers are times in milliseconds here and arrive as numbers, as they do from SQLite. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): ReturnType<typeof pg.types.getTypeParser> {
  return oid === int8 ? Number : pg.types.getTypeParser(oid, format)
}
