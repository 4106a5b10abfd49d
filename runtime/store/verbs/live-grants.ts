/** Which grants are live, whose and of which clients. */
import { type RawBuilder, sql } from 'kysely'
import type { GrantFilter, LiveGrant, Store } from '../store.ts'
import type { CoreDatabase, NamedTable } from '../tables.ts'
import { termsIn } from './grants.ts'
import type { VerbParts } from './verb-parts.ts'

type LiveGrantVerbs = Pick<
  Store,
  'findLiveGrants' | 'listGrants' | 'listGrantsByClient' | 'listClients' | 'listUsers'
>

/** The verbs of `Store` on live grants. */
export function liveGrantVerbs({
  database,
  clock,
  engine: { alongIndexes },
  tables,
}: VerbParts): LiveGrantVerbs {
  const lastUse = lastUseIn(tables)
  return {
    listGrants: (filter, limit) => listGrants(database, filter, { limit, now: clock(), lastUse }),
    listGrantsByClient: (userId, after, limit) =>
      alongIndexes(database, (work) =>
        described(
          liveGrants(work, { userId }, clock())
            .where('g.client_id', '>', after)
            .orderBy('g.client_id')
            .orderBy('g.id')
            .limit(limit),
          lastUse,
        ),
      ),
    findLiveGrants: (userId, clientId) => findLiveGrants(database, { userId, clientId }, clock()),
    listClients: (limit) => listClients(database, clock(), limit),
    listUsers: (limit) => listUsers(database, clock(), limit),
  }
}

/** Grants with a token that still works. */
function liveGrants(database: CoreDatabase, { grantId, userId, clientId }: GrantFilter, now: number) {
  const ofGrant = workingTokens(database, now)
    .select('t.jti_hash')
    .where('t.grant_id', '=', sql.ref<string>('g.id'))
  let found = database
    .selectFrom('acmcp_grants as g')
    .where('g.revoked_at', 'is', null)
    .where(({ exists }) => exists(ofGrant))
  if (grantId !== undefined) found = found.where('g.id', '=', grantId)
  if (userId !== undefined) found = found.where('g.user_id', '=', userId)
  if (clientId !== undefined) found = found.where('g.client_id', '=', clientId)
  return found
}

/** A code that was never redeemed gave its client nothing. No index of ends is used: along it the tokens of all others would be read. */
const workingTokens = (database: CoreDatabase, now: number) =>
  database
    .selectFrom('acmcp_tokens as t')
    .where('t.kind', 'in', ['access', 'refresh'])
    .where(sql<number>`t.expires_at + 0`, '>', now)
    .where('t.spent_at', 'is', null)

type LastUse = RawBuilder<number | null>

interface Described {
  readonly now: number
  readonly lastUse: LastUse
}

/** As the table that knows it says. */
export const lastUseIn = (tables: readonly NamedTable[]): LastUse =>
  tables.flatMap(({ lastUse }) => lastUse?.(sql.ref('g.id')) ?? [])[0] ?? sql`cast(null as bigint)`

/** Of a client that a user has connected more often. */
const maxLookedAt = 1000

async function findLiveGrants(
  database: CoreDatabase,
  holder: GrantFilter,
  now: number,
): ReturnType<Store['findLiveGrants']> {
  const columns = ['g.scope', 'g.allowed', 'g.read_only', 'g.surface'] as const
  const found = liveGrants(database, holder, now).select(columns).limit(maxLookedAt)
  const rows = await database
    .selectFrom(found.as('g'))
    .select(columns)
    .distinct()
    .orderBy('g.scope')
    .orderBy('g.allowed')
    .execute()
  return rows.map(({ scope, surface, ...row }) => ({ scope, ...termsIn(row), surface }))
}

async function listGrants(
  database: CoreDatabase,
  filter: GrantFilter,
  { limit, now, lastUse }: Described & { readonly limit: number | undefined },
): Promise<readonly LiveGrant[]> {
  const found = oldestFirst(liveGrants(database, filter, now))
  return described(limit === undefined ? found : found.limit(limit), lastUse)
}

/** Of grants that have just been revoked, those that were live until then. */
export async function listRevoked(
  database: CoreDatabase,
  ids: readonly string[],
  { now, lastUse }: Described,
): Promise<readonly LiveGrant[]> {
  if (ids.length === 0) return []
  const tokens = workingTokens(database, now).where('t.grant_id', 'in', ids)
  const live = (await tokens.select('t.grant_id').distinct().execute()).map(({ grant_id }) => grant_id)
  return live.length === 0
    ? []
    : described(oldestFirst(database.selectFrom('acmcp_grants as g').where('g.id', 'in', live)), lastUse)
}

type FoundGrants = ReturnType<typeof liveGrants>

const oldestFirst = (found: FoundGrants): FoundGrants => found.orderBy('g.created_at').orderBy('g.id')

async function described(found: FoundGrants, lastUse: LastUse): Promise<readonly LiveGrant[]> {
  const rows = await found
    .leftJoin('acmcp_users as u', 'u.id', 'g.user_id')
    .leftJoin('acmcp_clients as c', 'c.id', 'g.client_id')
    .select(['g.id as grantId', 'g.user_id', 'u.name', 'u.email', 'g.client_id', 'c.metadata', 'g.scope'])
    .select(['g.allowed', 'g.read_only', 'g.kind', 'g.created_at as connectedAt'])
    .select(lastUse.as('lastUsedAt'))
    .execute()
  return rows.map((row) => ({
    grantId: row.grantId,
    user: { id: row.user_id, name: row.name ?? row.user_id, email: row.email },
    client: { id: row.client_id, name: nameIn(row.metadata) },
    scope: row.scope,
    ...termsIn(row),
    kind: row.kind,
    connectedAt: row.connectedAt,
    lastUsedAt: row.lastUsedAt,
  }))
}

/** Written by `saveClient` alone. */
const nameIn = (metadata: string | null): string | null =>
  metadata === null ? null : (JSON.parse(metadata) as { readonly name: string | null }).name

/** How many connections one has: looked up for those that are listed. */
const countOf = (database: CoreDatabase, key: 'g.user_id' | 'g.client_id', id: string, now: number) =>
  liveGrants(database, {}, now)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(key, '=', sql.ref<string>(id))

async function listClients(
  database: CoreDatabase,
  now: number,
  limit: number,
): ReturnType<Store['listClients']> {
  const rows = await database
    .selectFrom('acmcp_clients as c')
    .select(['c.id', 'c.metadata', 'c.created_at as registeredAt', 'c.last_used_at as lastUsedAt'])
    .select(countOf(database, 'g.client_id', 'c.id', now).as('connections'))
    .orderBy('c.created_at')
    .orderBy('c.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, metadata, connections, ...times }) => ({
    id,
    name: nameIn(metadata),
    ...times,
    connections: connections ?? 0,
  }))
}

async function listUsers(database: CoreDatabase, now: number, limit: number): ReturnType<Store['listUsers']> {
  const rows = await database
    .selectFrom('acmcp_users as u')
    .select(['u.id', 'u.name', 'u.email', 'u.signed_in_at as signedInAt', 'u.blocked_at as blockedAt'])
    .select(countOf(database, 'g.user_id', 'u.id', now).as('connections'))
    .orderBy('u.id')
    .limit(limit)
    .execute()
  return rows.map(({ connections, ...user }) => ({ ...user, connections: connections ?? 0 }))
}
