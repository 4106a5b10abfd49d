/** Who is connected, and how that ends: for an operator. Everything else of a grant is in `grants.ts` and `revocation.ts`. */
import type { Clock } from '../../contract/store.ts'
import type { CoreDatabase } from '../schema.ts'
import type { Connection, ConnectionFilter, Store } from '../store.ts'
import { resizeClients } from './clients.ts'
import { readNames } from './grants.ts'

type Connections = Pick<
  Store,
  'listConnections' | 'listClients' | 'listUsers' | 'endConnections' | 'removeClient' | 'endSessions'
>

/** The verbs of `Store` for an operator. */
export function connectionVerbs(database: CoreDatabase, clock: Clock): Connections {
  return {
    listConnections: (filter) => listConnections(database, filter, clock()),
    listClients: () => listClients(database, clock()),
    listUsers: () => listUsers(database, clock()),
    endConnections: (filter, reason) => endConnections(database, filter, { reason, now: clock() }),
    removeClient: (id, reason) =>
      database.transaction().execute((work) => removeClient(work, id, { reason, now: clock() })),
    endSessions: (userId) => endSessions(database, userId),
  }
}

/** Grants with a token that still works. */
function liveGrants(database: CoreDatabase, { grantId, userId, clientId }: ConnectionFilter, now: number) {
  let found = database
    .selectFrom('acmcp_grants as g')
    .where('g.revoked_at', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('acmcp_tokens as t')
          .select('t.jti_hash')
          .whereRef('t.grant_id', '=', 'g.id')
          .where('t.kind', 'in', ['access', 'refresh'])
          .where('t.expires_at', '>', now)
          .where('t.spent_at', 'is', null),
      ),
    )
  if (grantId !== undefined) found = found.where('g.id', '=', grantId)
  if (userId !== undefined) found = found.where('g.user_id', '=', userId)
  if (clientId !== undefined) found = found.where('g.client_id', '=', clientId)
  return found
}

async function listConnections(
  database: CoreDatabase,
  filter: ConnectionFilter,
  now: number,
): Promise<readonly Connection[]> {
  const rows = await liveGrants(database, filter, now)
    .leftJoin('acmcp_users as u', 'u.id', 'g.user_id')
    .leftJoin('acmcp_clients as c', 'c.id', 'g.client_id')
    .select(['g.id', 'g.user_id', 'u.name', 'u.email', 'g.client_id', 'c.metadata', 'g.scope', 'g.allowed'])
    .select('g.created_at')
    .orderBy('g.created_at')
    .orderBy('g.id')
    .execute()
  return rows.map((row) => ({
    grantId: row.id,
    user: { id: row.user_id, name: row.name ?? row.user_id, email: row.email },
    client: { id: row.client_id, name: nameIn(row.metadata) },
    scope: row.scope,
    allowed: readNames(row.allowed),
    connectedAt: row.created_at,
  }))
}

/** Written by `saveClient` and by nobody else. */
const nameIn = (metadata: string | null): string | null =>
  metadata === null ? null : (JSON.parse(metadata) as { readonly name: string | null }).name

/** How many connections each has, by `key`. */
async function counted(
  database: CoreDatabase,
  key: 'user_id' | 'client_id',
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await liveGrants(database, {}, now)
    .select([`g.${key} as key`])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .groupBy(`g.${key}`)
    .execute()
  return new Map(rows.map(({ key, count }) => [key, count]))
}

async function listClients(database: CoreDatabase, now: number): ReturnType<Store['listClients']> {
  const connections = await counted(database, 'client_id', now)
  const rows = await database
    .selectFrom('acmcp_clients')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id, metadata, created_at, last_used_at }) => ({
    id,
    name: nameIn(metadata),
    registeredAt: created_at,
    lastUsedAt: last_used_at,
    connections: connections.get(id) ?? 0,
  }))
}

async function listUsers(database: CoreDatabase, now: number): ReturnType<Store['listUsers']> {
  const connections = await counted(database, 'user_id', now)
  const rows = await database.selectFrom('acmcp_users').selectAll().orderBy('id').execute()
  return rows.map(({ id, name, email, updated_at }) => ({
    id,
    name,
    email,
    signedInAt: updated_at,
    connections: connections.get(id) ?? 0,
  }))
}

interface Ending {
  readonly reason: string
  readonly now: number
}

/** In one statement: a code that is redeemed meanwhile belongs to a grant that has ended. */
async function endConnections(
  database: CoreDatabase,
  { grantId, userId, clientId }: ConnectionFilter,
  { reason, now }: Ending,
): ReturnType<Store['endConnections']> {
  let ending = database
    .updateTable('acmcp_grants')
    .set({ revoked_at: now, revoked_reason: reason })
    .where('revoked_at', 'is', null)
  if (grantId !== undefined) ending = ending.where('id', '=', grantId)
  if (userId !== undefined) ending = ending.where('user_id', '=', userId)
  if (clientId !== undefined) ending = ending.where('client_id', '=', clientId)
  const rows = await ending.returning('user_id').execute()
  return rows.map(({ user_id }) => user_id)
}

async function removeClient(
  work: CoreDatabase,
  id: string,
  ending: Ending,
): ReturnType<Store['removeClient']> {
  await resizeClients(work, 0) // its lock first, as everybody who removes clients
  const { numDeletedRows } = await work.deleteFrom('acmcp_clients').where('id', '=', id).executeTakeFirst()
  if (numDeletedRows > 0n) await resizeClients(work, -1)
  const users = await endConnections(work, { clientId: id }, ending)
  return numDeletedRows === 0n && users.length === 0 ? null : users
}

const batch = 500

/** Whose a session is stands in its data alone: all are looked at. */
async function endSessions(database: CoreDatabase, userId: string): Promise<number> {
  let ended = 0
  let last = ''
  for (;;) {
    const rows = await database
      .selectFrom('acmcp_sessions')
      .select(['id_hash', 'data'])
      .where('id_hash', '>', last)
      .orderBy('id_hash')
      .limit(batch)
      .execute()
    const ids = rows.filter(({ data }) => userIn(data) === userId).map(({ id_hash }) => id_hash)
    if (ids.length > 0) await database.deleteFrom('acmcp_sessions').where('id_hash', 'in', ids).execute()
    ended += ids.length
    last = rows.at(-1)?.id_hash ?? last
    if (rows.length < batch) return ended
  }
}

/** As `signIn` of the authorization server writes it. */
const userIn = (data: string): unknown => (JSON.parse(data) as { readonly user_id?: unknown }).user_id
