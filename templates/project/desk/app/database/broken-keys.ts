import { Conflict } from 'acmcp'

/** What SQLite and PostgreSQL call a broken unique, primary or foreign key. */
const codes: ReadonlySet<unknown> = new Set([
  'SQLITE_CONSTRAINT_UNIQUE',
  'SQLITE_CONSTRAINT_PRIMARYKEY',
  'SQLITE_CONSTRAINT_FOREIGNKEY',
  '23505', // PostgreSQL: unique_violation
  '23503', // foreign_key_violation
])

/** What `query` resolves with; a broken key is a `Conflict` with this message. */
export async function orConflict<Result>(query: Promise<Result>, message: string): Promise<Result> {
  try {
    return await query
  } catch (error) {
    const isBroken = error instanceof Error && 'code' in error && codes.has(error.code)
    throw isBroken ? new Conflict(message) : error
  }
}
