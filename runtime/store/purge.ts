/** Removal of what has expired. A spent marker stays until its token would have expired: deleting it early would
 *  not re-open replay (a missing row is refused), but would lose the revocation of access tokens. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { CoreDatabase, CoreTables } from './schema.ts'
import { resizeClients } from './verbs/clients.ts'
import { countsKeptMs } from './verbs/counts.ts'

const batch = 500
const hourMs = 3_600_000
/** Source: reference/oauth-and-storage, 1.2. */
const neverUsedMs = 24 * hourMs
const idleMs = 90 * 24 * hourMs

type PurgeBatch = (database: CoreDatabase, now: number, signal: AbortSignal | null) => Promise<number>

const batches: readonly PurgeBatch[] = [
  purgeSessions,
  purgeTokens,
  purgeGrants,
  purgeRevokedTokens,
  purgeCounts,
  purgeNeverUsedClients,
  purgeIdleClients,
]

/** Deletes what ended at or before `now` (milliseconds), 500 rows a statement, and answers how many rows it deleted
 *  itself: sessions, tokens, grants, revocations, counts, clients never used for 24 hours, and clients idle for 90 days
 *  that hold no live grant. Stops after the batch in which `signal` aborts. */
export async function purgeExpired(
  database: CoreDatabase,
  now: number,
  signal: AbortSignal | null,
): Promise<number> {
  let purged = 0
  for (const purgeBatch of batches) {
    for (let deleted = batch; deleted === batch && signal?.aborted !== true; purged += deleted) {
      deleted = await purgeBatch(database, now, signal)
      await nextTurn() // SQLite answers without waiting: others must get their turn
    }
  }
  return purged
}

/** As `purgeExpired`, on PostgreSQL: 0 while another instance purges. */
export async function purgeAlone(
  database: CoreDatabase,
  now: number,
  signal: AbortSignal | null,
): Promise<number> {
  return database.connection().execute(async (connection) => {
    const lock = await sql<{ taken: boolean }>`select pg_try_advisory_lock(${purgeLock}) as taken`.execute(
      connection,
    )
    if (lock.rows[0]?.taken !== true) return 0
    try {
      return await purgeExpired(connection, now, signal)
    } finally {
      await sql`select pg_advisory_unlock(${purgeLock})`.execute(connection)
    }
  })
}

/** Any number that nothing else in the database locks. */
const purgeLock = 0x61636d63

async function purgeSessions(database: CoreDatabase, now: number): Promise<number> {
  const expired = database
    .selectFrom('acmcp_sessions')
    .select('id_hash')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(batch)
  return deletedBy(
    database.deleteFrom('acmcp_sessions').where('id_hash', 'in', expired).where('expires_at', '<=', now),
  )
}

async function purgeTokens(database: CoreDatabase, now: number): Promise<number> {
  const expired = database
    .selectFrom('acmcp_tokens')
    .select('jti_hash')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(batch)
  return deletedBy(database.deleteFrom('acmcp_tokens').where('jti_hash', 'in', expired))
}

/** A grant lives as long as a token of it is there. Its end is moved here and not with every exchange, which thereby
 *  writes less; expired tokens have just been removed. */
async function purgeGrants(database: CoreDatabase, now: number, signal: AbortSignal | null): Promise<number> {
  await extendGrants(database, now, signal)
  const expired = database
    .selectFrom('acmcp_grants')
    .select('id')
    .where('expires_at', '<=', now)
    .where(hasNoTokens)
    .orderBy('expires_at')
    .limit(batch)
  return deletedBy(database.deleteFrom('acmcp_grants').where('id', 'in', expired).where(hasNoTokens))
}

function hasNoTokens({
  exists,
  not,
  selectFrom,
}: ExpressionBuilder<CoreTables, 'acmcp_grants'>): Expression<SqlBool> {
  const tokens = selectFrom('acmcp_tokens')
    .select('acmcp_tokens.jti_hash')
    .whereRef('acmcp_tokens.grant_id', '=', 'acmcp_grants.id')
  return not(exists(tokens))
}

/** So that grants whose tokens live on are not looked at again before those end. */
async function extendGrants(database: CoreDatabase, now: number, signal: AbortSignal | null): Promise<void> {
  const latest = sql<number>`(select max(t.expires_at) from acmcp_tokens t where t.grant_id = acmcp_grants.id)`
  for (let extended = batch; extended === batch && signal?.aborted !== true; ) {
    const living = database
      .selectFrom('acmcp_grants')
      .select('id')
      .where('expires_at', '<=', now)
      .where(latest, '>', now)
      .limit(batch)
    const update = database.updateTable('acmcp_grants').set({ expires_at: latest }).where('id', 'in', living)
    extended = Number((await update.executeTakeFirst()).numUpdatedRows)
    await nextTurn()
  }
}

async function purgeRevokedTokens(database: CoreDatabase, now: number): Promise<number> {
  const expired = database
    .selectFrom('acmcp_revoked_tokens')
    .select('jti_hash')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(batch)
  return deletedBy(database.deleteFrom('acmcp_revoked_tokens').where('jti_hash', 'in', expired))
}

async function purgeCounts(database: CoreDatabase, now: number): Promise<number> {
  const old = database
    .selectFrom('acmcp_shared_counts')
    .select(['window_start', 'key'])
    .where('window_start', '<=', now - countsKeptMs)
    .orderBy('window_start')
    .limit(batch)
    .$asTuple('window_start', 'key')
  return deletedBy(
    database
      .deleteFrom('acmcp_shared_counts')
      .where(({ eb, refTuple }) => eb(refTuple('window_start', 'key'), 'in', old)),
  )
}

async function purgeNeverUsedClients(database: CoreDatabase, now: number): Promise<number> {
  const unused = database
    .selectFrom('acmcp_clients')
    .select('id')
    .where('last_used_at', 'is', null)
    .where('created_at', '<=', now - neverUsedMs)
    .orderBy('last_used_at')
    .orderBy('created_at')
    .limit(batch)
  return deleteClients(database, (work) =>
    work.deleteFrom('acmcp_clients').where('id', 'in', unused).where('last_used_at', 'is', null),
  )
}

async function purgeIdleClients(database: CoreDatabase, now: number): Promise<number> {
  const idle = database
    .selectFrom('acmcp_clients')
    .select('id')
    .where('last_used_at', '<=', now - idleMs)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('acmcp_grants')
            .select('acmcp_grants.id')
            .whereRef('acmcp_grants.client_id', '=', 'acmcp_clients.id')
            .where('acmcp_grants.expires_at', '>', now)
            .where('acmcp_grants.revoked_at', 'is', null),
        ),
      ),
    )
    .limit(batch)
  return deleteClients(database, (work) =>
    work
      .deleteFrom('acmcp_clients')
      .where('id', 'in', idle)
      .where('last_used_at', '<=', now - idleMs),
  )
}

async function deleteClients(
  database: CoreDatabase,
  deletion: (work: CoreDatabase) => Deletion,
): Promise<number> {
  return database.transaction().execute(async (work) => {
    await resizeClients(work, 0)
    const deleted = await deletedBy(deletion(work))
    if (deleted > 0) await resizeClients(work, -deleted)
    return deleted
  })
}

interface Deletion {
  executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }>
}

async function deletedBy(deletion: Deletion): Promise<number> {
  return Number((await deletion.executeTakeFirst()).numDeletedRows)
}
