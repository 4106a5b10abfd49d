/** How users stand, also those who are blocked. Source: decisions/store.md, People who leave. */
import { type RawBuilder, sql } from 'kysely'
import type { User, UserStanding } from '../../contract/store.ts'
import { withAttributes } from '../../user-attributes.ts'
import type { Store } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'

export const standingVerbs = (database: CoreDatabase): Pick<Store, 'findStanding' | 'findGone'> => ({
  findStanding: async (id) => (await standings(database, sql`id = ${id}`, 1))[0] ?? null,
  findGone: (ids) => findGone(database, ids),
})

interface StandingRow extends User, Omit<UserStanding, 'user'> {
  readonly attributes: string | null
}

export async function standings(
  database: CoreDatabase,
  which: RawBuilder<unknown>,
  limit: number,
): Promise<readonly UserStanding[]> {
  const { rows } = await sql<StandingRow>`
    select id, name, email, attributes, signed_in_at as "signedInAt", blocked_at as "blockedAt", erased_as as "erasedAs"
    from acmcp_users where ${which} order by id limit ${limit}`.execute(database)
  return rows.map(({ id, name, email, attributes, ...standing }) => ({
    user: withAttributes({ id, name, email }, attributes),
    ...standing,
  }))
}

const batch = 500

async function findGone(database: CoreDatabase, ids: readonly string[]): Promise<readonly string[]> {
  const here = new Set<string>()
  const keepable = ids.filter((id) => !id.includes('\0')) // PostgreSQL refuses the question about all
  for (let from = 0; from < keepable.length; from += batch) {
    const some = keepable.slice(from, from + batch)
    const rows = await database
      .selectFrom('acmcp_users')
      .select('id')
      .where('id', 'in', some)
      .where('blocked_at', 'is', null)
      .execute()
    for (const { id } of rows) here.add(id)
  }
  return ids.filter((id) => !here.has(id))
}
