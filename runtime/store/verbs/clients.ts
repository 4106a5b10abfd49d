/** Registered clients under a hard cap. The size is kept in a row of its own: its lock orders registrations, evictions
 *  and the purge, and no verb counts a table. Source: rules.md, OAuth; decisions/oauth.md, Clients. */
import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../contract/store.ts'
import { type Client, ClientLimit, type Store } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'
import type { Prepare } from './prepare.ts'

/** The verbs of `Store` on clients; a client that is saved again replaces its metadata only. */
export function clientVerbs(
  database: CoreDatabase,
  { clock, cap, prepare }: { readonly clock: Clock; readonly cap: number; readonly prepare: Prepare },
): Pick<Store, 'saveClient' | 'findClient' | 'findClientNames'> {
  const find = prepare<{ readonly metadata: string }>('select metadata from acmcp_clients where id = $1')
  return {
    saveClient: (client) =>
      database.transaction().execute((work) => saveClient(work, { client, cap, now: clock() })),
    findClient: async (id) => {
      const [row] = await find([id])
      // Written by `saveClient` below alone.
      return row === undefined ? null : { id, ...(JSON.parse(row.metadata) as Omit<Client, 'id'>) }
    },
    findClientNames: (ids) => findClientNames(database, ids),
  }
}

async function findClientNames(
  database: CoreDatabase,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await database
    .selectFrom('acmcp_clients')
    .select(['id', 'metadata'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(
    rows.flatMap(({ id, metadata }) => {
      const { name } = JSON.parse(metadata) as Pick<Client, 'name'> // of `saveClient`
      return name === null ? [] : [[id, name] as const]
    }),
  )
}

interface Saving {
  readonly client: Client
  readonly cap: number
  readonly now: number
}

async function saveClient(work: CoreDatabase, { client, cap, now }: Saving): Promise<void> {
  const { id, ...rest } = client
  const metadata = JSON.stringify(rest)
  const { numInsertedOrUpdatedRows: inserted } = await work
    .insertInto('acmcp_clients')
    .values({ id, metadata, created_at: now, last_used_at: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  if (inserted === 0n) {
    await work.updateTable('acmcp_clients').set({ metadata }).where('id', '=', id).execute()
    return
  }
  if ((await resizeClients(work, 1)) <= cap) return
  if (!(await evict(work, id))) throw new ClientLimit()
  await resizeClients(work, -1)
}

/** Changes the kept number of clients and returns it. The row stays locked until the transaction ends; a verb that deletes
 *  clients takes it first (a change of 0 does), so that no two wait for each other. */
export async function resizeClients(work: CoreDatabase, change: number): Promise<number> {
  const { size } = await work
    .updateTable('acmcp_sizes')
    .set((column) => ({ size: column('size', '+', change) }))
    .where('name', '=', 'clients')
    .returning('size')
    .executeTakeFirstOrThrow()
  return size
}

/** The client that goes first: the oldest that was never used, else, of the hundred used longest ago, one without a live grant, else the
 *  first of them. Its grants stay: a client with a refresh token goes on. A candidate that is used at this moment is left alone:
 *  then the next is tried. */
async function evict(work: CoreDatabase, except: string): Promise<boolean> {
  for (;;) {
    const candidate = (await firstOf(work, oldestUnused(except))) ?? (await firstOf(work, leastUsed(except)))
    if (candidate === undefined) return false
    const { id, last_used_at } = candidate
    const deletion = work
      .deleteFrom('acmcp_clients')
      .where('id', '=', id)
      .where('last_used_at', last_used_at === null ? 'is' : '=', last_used_at)
    if ((await deletion.executeTakeFirst()).numDeletedRows === 1n) return true
  }
}

interface Candidate {
  readonly id: string
  readonly last_used_at: number | null
}

async function firstOf(work: CoreDatabase, query: RawBuilder<Candidate>): Promise<Candidate | undefined> {
  return (await query.execute(work)).rows[0]
}

const oldestUnused = (except: string): RawBuilder<Candidate> => sql`
  select id, last_used_at from acmcp_clients where last_used_at is null and id <> ${except}
  order by last_used_at, created_at, id limit 1`

/** A hundred are looked at: a table full of live grants must not be searched by every registration. Grants that ended are
 *  purged. */
const leastUsed = (except: string): RawBuilder<Candidate> => sql`
  select id, last_used_at from (
    select id, last_used_at from acmcp_clients where last_used_at is not null and id <> ${except}
    order by last_used_at, created_at, id limit 100) as oldest
  order by exists (
    select 1 from acmcp_grants g where g.client_id = oldest.id and g.revoked_at is null), last_used_at, id
  limit 1`
