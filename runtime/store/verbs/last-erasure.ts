/** When a user was last erased, not which: a row among the revoked tokens, which lives on. A user made anew after it gets the time. */
import { type RawBuilder, sql } from 'kysely'
import type { CoreDatabase } from '../tables.ts'

/** No hash of a token is called so. */
const mark = 'erasure'

export async function markErasure(database: CoreDatabase, now: number): Promise<void> {
  await database
    .insertInto('acmcp_revoked_tokens')
    .values({ jti_hash: mark, expires_at: Number.MAX_SAFE_INTEGER, revoked_at: now, reason: 'erased' })
    .onConflict((conflict) => conflict.column('jti_hash').doUpdateSet({ revoked_at: now }))
    .execute()
}

/** For `tokens_since` of a new user; null = no user was erased. */
export const lastErasure: RawBuilder<number | null> =
  sql`(select revoked_at from acmcp_revoked_tokens where jti_hash = ${mark})`

export async function wasAnyoneErased(database: CoreDatabase): Promise<boolean> {
  const marks = database.selectFrom('acmcp_revoked_tokens').select('revoked_at').where('jti_hash', '=', mark)
  return (await marks.executeTakeFirst()) !== undefined
}
