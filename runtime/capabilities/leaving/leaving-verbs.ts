/** Users who are blocked, and those of whom nothing is to stay. Source: decisions/store.md, People who leave. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { CoreDatabase, NamedTable } from '../../store/tables.ts'
import { markErasure } from '../../store/verbs/last-erasure.ts'
import { standings } from '../../store/verbs/standing.ts'
import type { VerbParts } from '../../store/verbs/verb-parts.ts'
import { eraseUserRow, erasureVerbs } from './erasure.ts'
import type { LeavingStore } from './types.ts'

export function leavingVerbs(parts: VerbParts): LeavingStore {
  const { database, clock } = parts
  const { eraseLate, ...erasure } = erasureVerbs(parts)
  const whereNot = sql`blocked_at is null`
  return {
    blockUser: (id) => changeUser(database, id, { set: sql`blocked_at = ${clock()}`, where: whereNot }),
    unblockUser: (id) =>
      changeUser(database, id, {
        set: sql`blocked_at = null, tokens_since = ${clock()}`,
        where: sql`blocked_at is not null and erased_as is null`,
      }),
    endRows: (userId) => endRows(parts, userId),
    beginErasure: async (id, pseudonym) => {
      await changeUser(database, id, {
        set: sql`blocked_at = coalesce(blocked_at, ${clock()}), erased_as = ${pseudonym}`,
        where: sql`erased_as is null`,
      })
    },
    listErasures: (limit) => standings(database, sql`erased_as is not null`, limit),
    ...erasure,
    eraseUser: async (standing) => {
      const rows = await eraseLate(standing)
      await markErasure(database, clock()) // before: no user is made anew without it
      await eraseUserRow(database, standing.user.id)
      return rows
    },
  }
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

async function endRows(
  { database, tables, clock }: VerbParts,
  userId: string,
): Promise<Record<string, number>> {
  const ended: Record<string, number> = {}
  for (const table of tables) {
    const { countedAs, whenBlocked } = table.person ?? {}
    if (whenBlocked === undefined || countedAs == null) continue
    const rows = await endIn(database, table, {
      userId,
      set: whenBlocked.set(clock()),
      where: whenBlocked.where,
    })
    ended[countedAs] = (ended[countedAs] ?? 0) + rows
  }
  return ended
}

async function endIn(
  database: CoreDatabase,
  { name, key, person }: NamedTable,
  { userId, set, where }: Change & { readonly userId: string },
): Promise<number> {
  const [table, id, owner] = [sql.table(name), sql.ref(key), sql.ref(person?.column ?? '')]
  let ended = 0
  for (;;) {
    const { numAffectedRows = 0n } = await sql`
      update ${table} set ${set}
      where ${id} in (select ${id} from ${table} where ${owner} = ${userId} and ${where} limit ${batch})`.execute(
      database,
    )
    ended += Number(numAffectedRows)
    if (numAffectedRows < batch) return ended
    await nextTurn() // SQLite does not wait for anything
  }
}
