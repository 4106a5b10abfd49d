/** How people end grants: in batches, each in the order of an index from where the last one ended. */
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../contract/store.ts'
import type { Engine } from '../engine.ts'
import type { CoreDatabase } from '../schema.ts'
import type { GrantFilter, RevokedBatch, Store } from '../store.ts'
import { resizeClients } from './clients.ts'
import { listRevoked } from './live-grants.ts'

const batchSize = 500

/** The verbs of `Store` that end many connections. */
export function revokeGrantsVerbs(
  database: CoreDatabase,
  clock: Clock,
  { alongIndexes }: Pick<Engine, 'alongIndexes'>,
): Pick<Store, 'revokeGrants' | 'removeClient'> {
  return {
    revokeGrants: async function* (filter, reason) {
      let last: Key | null = null
      do {
        const ending: Ending = { filter, reason, now: clock(), after: last }
        const { found, revoked }: Ended = await alongIndexes(database, (work) => revokeBatch(work, ending))
        if (revoked.userIds.length > 0) yield revoked
        last = found.length < batchSize ? null : (found.at(-1) ?? null)
      } while (last !== null)
    },
    removeClient: (id) => database.transaction().execute((work) => removeClient(work, id)),
  }
}

/** By what grants are in order. */
interface Key {
  readonly id: string
  readonly client_id: string
}

interface Ending {
  readonly filter: GrantFilter
  readonly reason: string
  readonly now: number
  /** Null = from the beginning. */
  readonly after: Key | null
}

interface Ended {
  readonly found: readonly Key[]
  readonly revoked: RevokedBatch
}

/** In one statement: a code that is redeemed meanwhile belongs to a grant that has ended. */
async function revokeBatch(work: CoreDatabase, { filter, reason, now, after }: Ending): Promise<Ended> {
  const found = await nextGrants(work, filter, after)
  if (found.length === 0) return { found, revoked: { userIds: [], live: [] } }
  const ended = await work
    .updateTable('acmcp_grants')
    .set({ revoked_at: now, revoked_reason: reason })
    .where(
      'id',
      'in',
      found.map(({ id }) => id),
    )
    .where('revoked_at', 'is', null)
    .returning(['id', 'user_id'])
    .execute()
  const live = await listRevoked(
    work,
    ended.map(({ id }) => id),
    now,
  )
  return { found, revoked: { userIds: [...new Set(ended.map(({ user_id }) => user_id))], live } }
}

function nextGrants(
  work: CoreDatabase,
  { grantId, userId, clientId }: GrantFilter,
  after: Key | null,
): Promise<readonly Key[]> {
  let wanted = work.selectFrom('acmcp_grants').select(['client_id', 'id']).where('revoked_at', 'is', null)
  if (grantId !== undefined) wanted = wanted.where('id', '=', grantId)
  if (userId !== undefined) wanted = wanted.where('user_id', '=', userId)
  if (clientId !== undefined) wanted = wanted.where('client_id', '=', clientId)
  if (after !== null) wanted = wanted.where(isAfter(after, clientId))
  return wanted.orderBy('client_id').orderBy('id').limit(batchSize).execute()
}

/** Of one client by the id alone: SQLite would begin at the client's first again. */
const isAfter = ({ id, client_id }: Key, clientId: string | undefined): RawBuilder<boolean> =>
  clientId === undefined ? sql`(client_id, id) > (${client_id}, ${id})` : sql`id > ${id}`

async function removeClient(work: CoreDatabase, id: string): Promise<boolean> {
  await resizeClients(work, 0) // its lock first, as everybody who removes clients
  const { numDeletedRows } = await work.deleteFrom('acmcp_clients').where('id', '=', id).executeTakeFirst()
  if (numDeletedRows > 0n) await resizeClients(work, -1)
  return numDeletedRows > 0n
}
