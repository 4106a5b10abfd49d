/** Counts that instances share, for rate limits, and what counts once. Source: rules.md, rate limits. */
import { sql } from 'kysely'
import { sha256Hex } from '../../secret.ts'
import type { Count, Store } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'

/** PostgreSQL takes at most 65,535 parameters a statement, SQLite 32,766; a row has three. */
const rowsPerStatement = 5000

/** Counts of windows that began earlier than this before now are purged: no limit counts for longer, but those of a day. */
export const countsKeptMs: number = 2 * 3_600_000
export const dayCountsKeptMs: number = 25 * 3_600_000

/** The verb of `Store` on shared counts. */
export function countVerbs(database: CoreDatabase): Pick<Store, 'shareCounts'> {
  return { shareCounts: (window, counts) => shareCounts(database, window, sumByKey(counts)) }
}

/** One row a key, in one order everywhere: two instances that add to the same rows must not wait for each other. */
function sumByKey(counts: readonly Count[]): readonly Count[] {
  const sums = new Map<string, number>()
  for (const { key, count } of counts) sums.set(key, (sums.get(key) ?? 0) + count)
  return [...sums].map(([key, count]) => ({ key, count })).sort((a, b) => (a.key < b.key ? -1 : 1))
}

async function shareCounts(
  database: CoreDatabase,
  window: number,
  counts: readonly Count[],
): Promise<ReadonlyMap<string, number>> {
  const sums = new Map<string, number>()
  const add = async (work: CoreDatabase): Promise<void> => {
    for (let from = 0; from < counts.length; from += rowsPerStatement) {
      const rows = await addCounts(work, window, counts.slice(from, from + rowsPerStatement))
      for (const { key, count } of rows) sums.set(key, count)
    }
  }
  await (counts.length > rowsPerStatement ? database.transaction().execute(add) : add(database))
  return sums
}

const addCounts = (
  database: CoreDatabase,
  window: number,
  counts: readonly Count[],
): Promise<readonly Count[]> =>
  database
    .insertInto('acmcp_shared_counts')
    .values(counts.map(({ key, count }) => ({ window_start: window, key, count })))
    .onConflict((conflict) =>
      conflict
        .columns(['window_start', 'key'])
        .doUpdateSet({ count: sql<number>`acmcp_shared_counts.count + excluded.count` }),
    )
    .returning(['key', 'count'])
    .execute()

/** What counts once, over all processes and instances. Source: rules.md, single use. An id is kept as SHA-256 of its kind and parts. The insert decides: of many at once, and of all that come later, one makes the row. */
export function useOnceVerb(database: CoreDatabase): Pick<Store, 'useOnce' | 'wasUsed'> {
  return {
    useOnce: async (kind, id, expiresAt) => {
      const { numInsertedOrUpdatedRows = 0n } = await database
        .insertInto('acmcp_used_once')
        .values({ id_hash: keyOf(kind, id), expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('id_hash').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    },
    wasUsed: async (kind, id) => {
      const rows = database
        .selectFrom('acmcp_used_once')
        .select('id_hash')
        .where('id_hash', '=', keyOf(kind, id))
      return (await rows.executeTakeFirst()) !== undefined
    },
  }
}

const keyOf = (kind: string, id: readonly string[]): string => sha256Hex(JSON.stringify([kind, ...id]))
