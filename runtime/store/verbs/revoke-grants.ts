/** How people end grants: in batches, each in the order of an index from where the last one ended. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { GrantFilter, GrantKey, RevokedBatch, Store } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'
import { resizeClients } from './clients.ts'
import { lastUseIn, listRevoked } from './live-grants.ts'
import type { VerbParts } from './verb-parts.ts'

const batchSize = 500

/** The verbs of `Store` that end many connections. */
export function revokeGrantsVerbs({
  database,
  clock,
  engine: { alongIndexes },
  tables,
}: VerbParts): Pick<Store, 'revokeGrants' | 'removeClient'> {
  const lastUse = lastUseIn(tables)
  return {
    revokeGrants: (filter, reason, after) => {
      const ending: Ending = { filter, reason, now: clock(), after, lastUse }
      return alongIndexes(database, (work) => revokeBatch(work, ending))
    },
    removeClient: (id) => database.transaction().execute((work) => removeClient(work, id)),
  }
}

/** Revokes every grant that fits. A batch has ended when it comes, and stays so whatever becomes of the next. */
export async function* revokeInBatches(
  store: Pick<Store, 'revokeGrants'>,
  filter: GrantFilter,
  reason: string,
): AsyncGenerator<RevokedBatch> {
  let after: GrantKey | null = null
  do {
    const batch: RevokedBatch = await store.revokeGrants(filter, reason, after)
    if (batch.userIds.length > 0) yield batch
    after = batch.next
    if (after !== null) await nextTurn() // SQLite does not wait for anything
  } while (after !== null)
}

interface Ending {
  readonly filter: GrantFilter
  readonly reason: string
  readonly now: number
  readonly after: GrantKey | null
  readonly lastUse: ReturnType<typeof lastUseIn>
}

/** In one statement: a code that is redeemed meanwhile belongs to a grant that has ended. */
async function revokeBatch(
  work: CoreDatabase,
  { filter, reason, now, after, lastUse }: Ending,
): Promise<RevokedBatch> {
  const found = await nextGrants(work, filter, after)
  const next = found.length < batchSize ? null : (found.at(-1) ?? null)
  if (found.length === 0) return { userIds: [], live: [], next }
  const ended = await work
    .updateTable('acmcp_grants')
    .set({ revoked_at: now, revoked_reason: reason })
    .where('id', 'in', idsOf(found))
    .where('revoked_at', 'is', null)
    .returning(['id', 'user_id'])
    .execute()
  const live = await listRevoked(work, idsOf(ended), { now, lastUse })
  return { userIds: [...new Set(ended.map(({ user_id }) => user_id))], live, next }
}

const idsOf = (grants: readonly { readonly id: string }[]): readonly string[] => grants.map(({ id }) => id)

function nextGrants(
  work: CoreDatabase,
  { grantId, userId, clientId }: GrantFilter,
  after: GrantKey | null,
): Promise<readonly GrantKey[]> {
  let wanted = work
    .selectFrom('acmcp_grants')
    .select(['client_id as clientId', 'id'])
    .where('revoked_at', 'is', null)
  if (grantId !== undefined) wanted = wanted.where('id', '=', grantId)
  if (userId !== undefined) wanted = wanted.where('user_id', '=', userId)
  if (clientId !== undefined) wanted = wanted.where('client_id', '=', clientId)
  if (after !== null) wanted = wanted.where(isAfter(after, clientId))
  return wanted.orderBy('client_id').orderBy('id').limit(batchSize).execute()
}

/** Of one client by the id alone: SQLite would begin at the client's first again. */
const isAfter = (after: GrantKey, clientId: string | undefined): RawBuilder<boolean> =>
  clientId === undefined ? sql`(client_id, id) > (${after.clientId}, ${after.id})` : sql`id > ${after.id}`

async function removeClient(work: CoreDatabase, id: string): Promise<boolean> {
  await resizeClients(work, 0) // its lock first, as every verb that removes clients
  const { numDeletedRows } = await work.deleteFrom('acmcp_clients').where('id', '=', id).executeTakeFirst()
  if (numDeletedRows > 0n) await resizeClients(work, -1)
  return numDeletedRows > 0n
}
