/** How rows of the audit go that are older than they are kept. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { affected, foundBy, foundKeys, purgedTogether } from '../../store/purge.ts'
import type { CoreDatabase, Purge } from '../../store/tables.ts'
import { linesIn, ownersIn } from './audit-rows.ts'
import type { AuditBatchRow } from './audit-tables.ts'

/** Ids are in the order of time. */
const idsBefore =
  (table: 'acmcp_audit' | 'acmcp_audit_batches', end: string): Purge['find'] =>
  (database, _now, last) =>
    foundBy(
      database,
      sql`select id as key, id as at from ${sql.table(table)}
        where id < ${end} and id > ${last?.at ?? ''} order by id limit ${purgedTogether}`,
    )

/** Of the version before. */
export const rowsBefore = (end: string): Purge => ({
  find: idsBefore('acmcp_audit', end),
  change: (database, _now, found) =>
    affected(database, sql`delete from acmcp_audit where id in (${foundKeys(found)})`),
})

/** Of the audit: others wait for as many as are deleted at a time. */
const batchesTogether = 50

/** A batch goes with its last entry. */
export const batchesBefore = (end: string): Purge => ({
  find: idsBefore('acmcp_audit_batches', end),
  change: async (database, _now, found) => {
    let deleted = 0
    for (let from = 0; from < found.length; from += batchesTogether) {
      const keys = foundKeys(found.slice(from, from + batchesTogether))
      deleted += await database.transaction().execute((work) => removeBatches(work, keys))
    }
    return deleted
  },
})

/** Resolves with how many entries they had. */
async function removeBatches(work: CoreDatabase, keys: RawBuilder<unknown>): Promise<number> {
  let deleted = 0
  const { rows } = await sql<AuditBatchRow>`
    delete from acmcp_audit_batches where id in (${keys}) returning id, entries`.execute(work)
  for (const { id, entries } of rows) {
    const owners = ownersIn(entries)
    if (owners.length > 0)
      await sql`delete from acmcp_audit_owners where batch = ${id} and owner in (${sql.join(owners)})`.execute(
        work,
      )
    deleted += linesIn(entries).length
    await nextTurn()
  }
  return deleted
}
