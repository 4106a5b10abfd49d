/** What becomes of a person's entries in the batches of the audit. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AuditEntry } from '../../contract/calls.ts'
import type { UserStanding } from '../../contract/store.ts'
import type { CoreDatabase, OwnErasure } from '../../store/tables.ts'
import { erasedIn, linesOf } from './audit-rows.ts'
import type { AuditBatchRow, AuditOwnerRow } from './audit-tables.ts'

export const auditErasure: OwnErasure = {
  count: async (database, userId) => {
    const { rows } = await sql<{ readonly count: number }>`
      select coalesce(sum(count), 0) as count from acmcp_audit_owners where owner = ${userId}`.execute(
      database,
    )
    return Number(rows[0]?.count ?? 0)
  },
  erase: eraseBatches,
}

/** Of the audit: others wait for as many as are changed at a time. */
const batchesTogether = 50

/** Of the audit, those that name the user. Resolves with how many entries were theirs. */
async function eraseBatches(
  ...[database, standing, alongIndexes]: Parameters<OwnErasure['erase']>
): Promise<number> {
  let changed = 0
  for (let last = ''; ; ) {
    const query = sql<NamedBatch>`select batch, count from acmcp_audit_owners
      where owner = ${standing.user.id} and batch > ${last} order by batch limit ${batchesTogether}`
    const found = (await alongIndexes(database, (work) => query.execute(work))).rows
    await database.transaction().execute(async (work) => {
      for (const { batch } of found) await eraseBatch(work, batch, standing)
    })
    changed += found.reduce((sum, { count }) => sum + count, 0)
    last = found.at(-1)?.batch ?? ''
    if (found.length < batchesTogether) return changed
  }
}

type NamedBatch = Pick<AuditOwnerRow, 'batch' | 'count'>

/** Again where another erasure has changed it meanwhile; not where it has been purged. */
async function eraseBatch(work: CoreDatabase, id: string, standing: UserStanding): Promise<void> {
  const pseudonym = standing.erasedAs ?? ''
  const pseudonymOf = ({ user }: AuditEntry) => (user === standing.user.id ? pseudonym : undefined)
  for (;;) {
    const { rows } =
      await sql<AuditBatchRow>`select entries from acmcp_audit_batches where id = ${id}`.execute(work)
    if (rows[0] === undefined) return
    const records = erasedIn(rows[0].entries, pseudonymOf)
    const { numAffectedRows } = await sql`update acmcp_audit_batches set entries = ${linesOf(records)}
      where id = ${id} and entries = ${rows[0].entries}`.execute(work)
    if (numAffectedRows !== 1n) continue
    const count = records.filter(({ entry }) => entry.user === pseudonym).length
    await sql`delete from acmcp_audit_owners where batch = ${id} and owner in (${standing.user.id}, ${pseudonym})`.execute(
      work,
    )
    await sql`insert into acmcp_audit_owners (owner, batch, count) values (${pseudonym}, ${id}, ${count})`.execute(
      work,
    )
    return void (await nextTurn()) // SQLite does not wait for anything
  }
}
