/** Users who are blocked, and those of whom nothing is to stay. Source: decisions/store.md, People who leave. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { User, UserStanding } from '../../contract/store.ts'
import { withAttributes } from '../../user-attributes.ts'
import type { Store } from '../store.ts'
import type { CoreDatabase } from '../tables.ts'
import { eraseUserRow, erasureVerbs } from './erasure.ts'
import { markErasure } from './last-erasure.ts'
import type { VerbParts } from './verb-parts.ts'

type LeavingVerbs = Pick<
  Store,
  | 'findStanding'
  | 'blockUser'
  | 'unblockUser'
  | 'cancelTasks'
  | 'findGone'
  | 'beginErasure'
  | 'listErasures'
  | 'countRows'
  | 'eraseRows'
  | 'eraseUser'
>

/** The verbs of `Store` on them. */
export function leavingVerbs(parts: VerbParts): LeavingVerbs {
  const { database, clock } = parts
  const { countRows, eraseRows, eraseAudit } = erasureVerbs(parts)
  const whereNot = sql`blocked_at is null`
  return {
    findStanding: async (id) => (await standings(database, sql`id = ${id}`, 1))[0] ?? null,
    blockUser: (id) => changeUser(database, id, { set: sql`blocked_at = ${clock()}`, where: whereNot }),
    unblockUser: (id) =>
      changeUser(database, id, {
        set: sql`blocked_at = null, tokens_since = ${clock()}`,
        where: sql`blocked_at is not null and erased_as is null`,
      }),
    cancelTasks: (userId) => cancelTasks(database, userId, clock()),
    findGone: (ids) => findGone(database, ids),
    beginErasure: async (id, pseudonym) => {
      await changeUser(database, id, {
        set: sql`blocked_at = coalesce(blocked_at, ${clock()}), erased_as = ${pseudonym}`,
        where: sql`erased_as is null`,
      })
    },
    listErasures: (limit) => standings(database, sql`erased_as is not null`, limit),
    countRows,
    eraseRows,
    eraseUser: async (standing) => {
      const auditRows = await eraseAudit(standing)
      await markErasure(database, clock()) // before: nobody is made anew without it
      await eraseUserRow(database, standing.user.id)
      return auditRows
    },
  }
}

interface StandingRow extends User, Omit<UserStanding, 'user'> {
  readonly attributes: string | null
}

async function standings(
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

interface Change {
  readonly set: RawBuilder<unknown>
  readonly where: RawBuilder<unknown>
}

/** The row decides. */
async function changeUser(database: CoreDatabase, id: string, { set, where }: Change): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update acmcp_users set ${set} where id = ${id} and ${where}`.execute(database)
  return numAffectedRows === 1n
}

const batch = 500

/** Who runs one notices with its next sign of life; what a client still asks of it is refused before. */
async function cancelTasks(database: CoreDatabase, userId: string, now: number): Promise<number> {
  let cancelled = 0
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      update acmcp_tasks set status = 'cancelled', updated_at = ${now}, revision = revision + 1,
        runner = null, lease_until = null, arguments = null, input = null
      where id_hash in (
        select id_hash from acmcp_tasks
        where user_id = ${userId} and status in ('working', 'input_required') limit ${batch})`.execute(
      database,
    )
    cancelled += Number(numAffectedRows)
    if (numAffectedRows < batch) return cancelled
    await nextTurn() // SQLite does not wait for anything
  }
}

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
