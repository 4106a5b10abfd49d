/** Removal of what has expired. The mark of a redeemed token stays until that would have expired: deleting it early would
 *  not re-open replay (a missing row is refused), but would lose the revocation of access tokens. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { dayMark } from '../rate-limit.ts'
import type { CoreDatabase, CoreTables } from './schema.ts'
import { firstIdAt } from './verbs/audit-rows.ts'
import { resizeClients } from './verbs/clients.ts'
import { countsKeptMs, dayCountsKeptMs } from './verbs/counts.ts'

const batch = 500
const hourMs = 3_600_000
/** Source: reference/oauth-and-storage, 1.2. */
const neverUsedMs = 24 * hourMs
const idleMs = 90 * 24 * hourMs

/** One batch of changes, at the time `now`; resolves with the number of rows. */
type Batch = (database: CoreDatabase, now: number) => Promise<number>

interface PurgeOptions {
  readonly signal: AbortSignal | null
  /** How long rows of the audit stay, in milliseconds; null = always. */
  readonly auditKeptMs: number | null
}

/** In this order: a grant ends when its last token has gone. */
const deletions: readonly Batch[] = [
  expired('acmcp_sessions', 'id_hash'),
  expired('acmcp_tokens', 'jti_hash'),
  grants,
  expired('acmcp_revoked_tokens', 'jti_hash'),
  expired('acmcp_tasks', 'id_hash'),
  expired('acmcp_task_headers', 'id_hash'),
  counts,
  clients(neverUsedClients),
  clients(idleClients),
]

/** Deletes what ended at or before `now` (milliseconds), 500 rows a statement, and resolves with how many rows it deleted
 *  itself: sessions, tokens, grants, revocations, tasks, counts, clients never used for 24 hours, and clients idle for 90 days
 *  that hold no live grant, and rows of the audit that are older than they are kept. Stops after the batch in which `signal` aborts. */
export async function purgeExpired(
  database: CoreDatabase,
  now: number,
  { signal, auditKeptMs }: PurgeOptions,
): Promise<number> {
  const inBatches = async (change: Batch): Promise<number> => {
    let changed = 0
    for (let rows = batch; rows === batch && signal?.aborted !== true; changed += rows) {
      rows = await change(database, now)
      await nextTurn() // SQLite does not wait for anything: the event loop must run in between
    }
    return changed
  }
  await inBatches(extendGrants)
  let purged = 0
  const old = auditKeptMs === null ? [] : [auditBefore(now - auditKeptMs)]
  for (const deletion of [...deletions, ...old]) purged += await inBatches(deletion)
  return purged
}

/** Ids are in the order of time. */
const auditBefore =
  (end: number): Batch =>
  (database) =>
    affected(
      database,
      sql`delete from acmcp_audit where id in (
        select id from acmcp_audit where id < ${firstIdAt(end)} order by id limit ${batch})`,
    )

async function affected(database: CoreDatabase, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(database)).numAffectedRows ?? 0)
}

/** The outer condition counts too: a row may have been given a later end meanwhile. */
function expired(table: keyof CoreTables, key: string): Batch {
  const [from, id] = [sql.table(table), sql.ref(key)]
  return (database, now) =>
    affected(
      database,
      sql`delete from ${from} where expires_at <= ${now} and ${id} in (
        select ${id} from ${from} where expires_at <= ${now} order by expires_at limit ${batch})`,
    )
}

const tokensOfGrant = sql`(select 1 from acmcp_tokens t where t.grant_id = acmcp_grants.id)`

function grants(database: CoreDatabase, now: number): Promise<number> {
  return affected(
    database,
    sql`delete from acmcp_grants where not exists ${tokensOfGrant} and id in (
      select id from acmcp_grants where expires_at <= ${now} and not exists ${tokensOfGrant}
      order by expires_at limit ${batch})`,
  )
}

/** A grant lives as long as a token of it is there. Its end is moved here and not with every exchange, which thereby
 *  writes less: grants whose tokens live on are not looked at again before those end. */
function extendGrants(database: CoreDatabase, now: number): Promise<number> {
  const latest = sql`(select max(t.expires_at) from acmcp_tokens t where t.grant_id = acmcp_grants.id)`
  return affected(
    database,
    sql`update acmcp_grants set expires_at = ${latest} where id in (
      select id from acmcp_grants where expires_at <= ${now} and ${latest} > ${now} limit ${batch})`,
  )
}

function counts(database: CoreDatabase, now: number): Promise<number> {
  return affected(
    database,
    sql`delete from acmcp_shared_counts where (window_start, key) in (
      select window_start, key from acmcp_shared_counts where window_start <= ${now - countsKeptMs}
        and (key not like ${`${dayMark}%`} or window_start <= ${now - dayCountsKeptMs})
      order by window_start limit ${batch})`,
  )
}

function neverUsedClients(now: number): RawBuilder<unknown> {
  return sql`delete from acmcp_clients where last_used_at is null and id in (
    select id from acmcp_clients where last_used_at is null and created_at <= ${now - neverUsedMs}
    order by last_used_at, created_at limit ${batch})`
}

function idleClients(now: number): RawBuilder<unknown> {
  const longAgo = now - idleMs
  return sql`delete from acmcp_clients where last_used_at <= ${longAgo} and id in (
    select id from acmcp_clients where last_used_at <= ${longAgo} and not exists (
      select 1 from acmcp_grants g
      where g.client_id = acmcp_clients.id and g.expires_at > ${now} and g.revoked_at is null)
    limit ${batch})`
}

function clients(deletion: (now: number) => RawBuilder<unknown>): Batch {
  return (database, now) =>
    database.transaction().execute(async (work) => {
      await resizeClients(work, 0)
      const deleted = await affected(work, deletion(now))
      if (deleted > 0) await resizeClients(work, -deleted)
      return deleted
    })
}
