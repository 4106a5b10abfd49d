/** Removal of what has expired. A spent marker stays until its token would have expired: deleting it early would
 *  not re-open replay (a missing row is refused), but would lose the revocation of access tokens. */
import type { CoreDatabase } from './schema.ts'

const batch = 500

/** Deletes expired sessions, tokens and grants (`expires_at` ≤ `now`, milliseconds), 500 rows a statement, and answers
 *  how many rows it deleted itself. */
export async function purgeExpired(database: CoreDatabase, now: number): Promise<number> {
  let purged = 0
  for (const purgeBatch of [purgeSessions, purgeTokens, purgeGrants]) {
    for (let deleted = batch; deleted === batch; purged += deleted) deleted = await purgeBatch(database, now)
  }
  return purged
}

async function purgeSessions(database: CoreDatabase, now: number): Promise<number> {
  const expired = database
    .selectFrom('sessions')
    .select('id_hash')
    .where('expires_at', '<=', now)
    .limit(batch)
  return deletedBy(database.deleteFrom('sessions').where('id_hash', 'in', expired).executeTakeFirst())
}

async function purgeTokens(database: CoreDatabase, now: number): Promise<number> {
  const expired = database.selectFrom('tokens').select('jti_hash').where('expires_at', '<=', now).limit(batch)
  return deletedBy(database.deleteFrom('tokens').where('jti_hash', 'in', expired).executeTakeFirst())
}

/** A grant lives as long as its longest-lived token: `spend` moves its end. */
async function purgeGrants(database: CoreDatabase, now: number): Promise<number> {
  const expired = database.selectFrom('grants').select('id').where('expires_at', '<=', now).limit(batch)
  return deletedBy(database.deleteFrom('grants').where('id', 'in', expired).executeTakeFirst())
}

async function deletedBy(deletion: Promise<{ readonly numDeletedRows: bigint }>): Promise<number> {
  return Number((await deletion).numDeletedRows)
}
