/** Removal of what has expired. The mark of a redeemed token stays until that would have expired: deleting it early would
 *  not re-open replay (a missing row is refused), but would lose the revocation of access tokens. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { dayMark } from '../rate-limit.ts'
import type { CoreDatabase, Ends, FoundKey, NamedTable, Purge } from './tables.ts'
import { resizeClients } from './verbs/clients.ts'
import { countsKeptMs, dayCountsKeptMs } from './verbs/counts.ts'

export const purgedTogether = 500
/** Source: decisions/store.md, Care. */
const dayMs = 24 * 3_600_000
const idleMs = 90 * dayMs

interface PurgeOptions {
  readonly tables: readonly NamedTable[]
  readonly signal: AbortSignal | null
  /** By table, how long rows stay (milliseconds). */
  readonly keptMs: ReadonlyMap<string, number>
}

/** Of tables whose rows do not end by the time in a column alone. */
const ownRules: Readonly<Record<string, readonly Purge[]>> = {
  acmcp_grants: [expired('acmcp_grants', 'id', { column: 'expires_at' }, { remove: moveOrRemoveGrants })],
  acmcp_shared_counts: [counts()],
  acmcp_clients: [
    clients(
      { column: 'created_at', afterMs: dayMs, where: () => sql`last_used_at is null` },
      sql`last_used_at, created_at`,
    ),
    clients({ column: 'last_used_at', afterMs: idleMs, where: withoutLiveGrant }, sql`last_used_at`),
  ],
}

const deletionsOf = ({ name, key, ends }: NamedTable): readonly Purge[] =>
  ownRules[name] ?? (ends === undefined ? [] : [expired(name, key, ends)])

/** Deletes what ended at or before `now` (milliseconds), 500 rows a statement, and resolves with how many rows it deleted
 *  itself: sessions, tokens, grants, revocations, what was used once, counts, rows of capabilities, clients never used for 24 hours, and clients idle for
 *  90 days that hold no live grant, and batches of the audit whose last entry is older than they are kept. Stops after the batch in which
 *  `signal` aborts. A table that cannot be purged keeps none of the others from it; then it rejects with the first error at the end. */
export async function purgeExpired(
  database: CoreDatabase,
  now: number,
  { tables, signal, keptMs }: PurgeOptions,
): Promise<number> {
  const errors: unknown[] = []
  const inBatches = async (purge: Purge): Promise<number> => {
    let changed = 0
    let last: FoundKey | null = null
    while (signal?.aborted !== true) {
      const found: readonly FoundKey[] = await purge.find(database, now, last)
      const rows = found.length === 0 ? 0 : await purge.change(database, now, found)
      changed += rows
      await nextTurn() // SQLite does not wait for anything: the event loop must run in between
      if (found.length < purgedTogether || (rows === 0 && found.at(-1)?.at === last?.at)) break // nothing goes, and no other would come
      last = found.at(-1) ?? null
    }
    return changed
  }
  const tried = (purge: Purge): Promise<number> =>
    inBatches(purge).catch((error: unknown) => {
      errors.push(error)
      return 0
    })
  let purged = 0
  const old = tables.flatMap(({ name, old }) => {
    const ms = keptMs.get(name)
    return old === undefined || ms === undefined ? [] : [old(now - ms)]
  })
  for (const deletion of [...tables.flatMap(deletionsOf), ...old]) purged += await tried(deletion)
  if (errors.length > 0) throw errors[0]
  return purged
}

export const foundKeys = (found: readonly FoundKey[]): RawBuilder<unknown> =>
  sql.join(found.map(({ key }) => key))

export async function foundBy(
  database: CoreDatabase,
  query: RawBuilder<FoundKey>,
): Promise<readonly FoundKey[]> {
  return (await query.execute(database)).rows
}

export async function affected(database: CoreDatabase, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(database)).numAffectedRows ?? 0)
}

interface Expiry {
  /** Deletes those of which `which` is true. */
  readonly remove?: (database: CoreDatabase, which: RawBuilder<unknown>, now: number) => Promise<number>
  /** Of an index that has other columns before that of the end. */
  readonly order?: RawBuilder<unknown>
}

/** The condition counts again when it is deleted: a row may have been given a later end meanwhile. It is written so that no index of it is used:
 *  the keys say which rows. */
function expired(
  table: string,
  key: string,
  { column, afterMs = 0, where = () => sql`1 = 1` }: Ends,
  { remove, order = sql.ref(column) }: Expiry = {},
): Purge {
  const [from, id, end] = [sql.table(table), sql.ref(key), sql.ref(column)]
  return {
    find: (database, now, last) =>
      foundBy(
        database,
        sql`select ${id} as key, ${end} as at from ${from}
          where ${end} <= ${now - afterMs} and ${end} >= ${last?.at ?? 0} and ${where(now)}
          order by ${order} limit ${purgedTogether}`,
      ),
    change: (database, now, found) => {
      const which = sql`${id} in (${foundKeys(found)}) and ${end} + 0 <= ${now - afterMs} and ${where(now)}`
      return remove?.(database, which, now) ?? affected(database, sql`delete from ${from} where ${which}`)
    },
  }
}

/** A grant lives as long as a token of it is there. Its end is moved here and not with every exchange, which thereby writes less: grants
 *  whose tokens live on are not looked at again before those end. Tokens that have ended are gone by now. */
async function moveOrRemoveGrants(
  database: CoreDatabase,
  which: RawBuilder<unknown>,
  now: number,
): Promise<number> {
  await sql`update acmcp_grants set expires_at = ${latest} where ${which} and ${latest} > ${now}`.execute(
    database,
  )
  return affected(database, sql`delete from acmcp_grants where ${which} and coalesce(${latest}, 0) = 0`)
}

/** Looked up for each grant of a batch: as a join it would read every token. No index of ends is used: along it PostgreSQL would look for
 *  a grant's last token among those of all others. */
const latest = sql`(select max(t.expires_at + 0) from acmcp_tokens t where t.grant_id = acmcp_grants.id)`

/** A key may be counted in many windows: those of one batch that began in the same. */
function counts(): Purge {
  return {
    find: (database, now, last) =>
      foundBy(
        database,
        sql`select key, window_start as at from acmcp_shared_counts
          where window_start <= ${now - countsKeptMs} and (window_start, key) > (${last?.at ?? 0}, ${last?.key ?? ''})
            and (key not like ${`${dayMark}%`} or window_start <= ${now - dayCountsKeptMs})
          order by window_start, key limit ${purgedTogether}`,
      ),
    change: async (database, _now, found) => {
      let deleted = 0
      for (const at of new Set(found.map((item) => item.at)))
        deleted += await affected(
          database,
          sql`delete from acmcp_shared_counts
            where window_start = ${at} and key in (${foundKeys(found.filter((item) => item.at === at))})`,
        )
      return deleted
    },
  }
}

function clients(ends: Ends, order: RawBuilder<unknown>): Purge {
  return expired('acmcp_clients', 'id', ends, { remove: removeClients, order })
}

function withoutLiveGrant(now: number): RawBuilder<unknown> {
  return sql`not exists (
  select 1 from acmcp_grants g
  where g.client_id = acmcp_clients.id and g.expires_at + 0 > ${now} and g.revoked_at is null)`
}

function removeClients(database: CoreDatabase, which: RawBuilder<unknown>): Promise<number> {
  return database.transaction().execute(async (work) => {
    await resizeClients(work, 0)
    const deleted = await affected(work, sql`delete from acmcp_clients where ${which}`)
    if (deleted > 0) await resizeClients(work, -deleted)
    return deleted
  })
}
