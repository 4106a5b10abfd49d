/** What goes of a person, in batches: each begins where the one before ended, or finds only what is left. Source: decisions/store.md, People
 *  who leave. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { AuditEntry } from '../../contract/calls.ts'
import type { KeptRows, UserStanding } from '../../contract/store.ts'
import type { AlongIndexes } from '../engine.ts'
import type { CoreDatabase } from '../schema.ts'
import { type AuditBatchRow, type AuditOwnerRow, erasedIn, linesOf } from './audit-rows.ts'
import { removeSessions, sessionsOf } from './sessions.ts'

const batch = 500

export async function countRows(database: CoreDatabase, userId: string): Promise<KeptRows> {
  let sessions = 0
  for await (const ids of sessionsOf(database, userId)) sessions += ids.length
  const count = async (from: RawBuilder<unknown>, what = sql`count(*)`): Promise<number> => {
    const { rows } = await sql<{ count: number }>`select ${what} as count from ${from}`.execute(database)
    return Number(rows[0]?.count ?? 0)
  }
  return {
    sessions,
    grants: await count(sql`acmcp_grants where user_id = ${userId}`),
    tasks: await count(sql`acmcp_tasks where user_id = ${userId}`),
    approvals: await count(sql`acmcp_approvals where user_id = ${userId}`),
    idempotencyKeys: await count(sql`acmcp_idempotency_keys where owner = ${userId}`),
    auditRows:
      (await count(sql`acmcp_audit where user_id = ${userId}`)) +
      (await count(sql`acmcp_audit_owners where owner = ${userId}`, sql`coalesce(sum(count), 0)`)),
  }
}

export async function eraseRows(
  database: CoreDatabase,
  standing: UserStanding,
  alongIndexes: AlongIndexes,
): Promise<Omit<KeptRows, 'auditRows'>> {
  const { id } = standing.user
  const tasks = sql<Key>`select id_hash as key from acmcp_tasks where user_id = ${id} limit ${batch}`
  const approvals = sql<Key>`select digest as key from acmcp_approvals where user_id = ${id} limit ${batch}`
  const keys = sql<Key>`select id as key from acmcp_idempotency_keys where owner = ${id} limit ${batch}`
  return {
    sessions: await removeSessions(database, id),
    grants: await renamed(database, { standing, table: grantsOf(standing), alongIndexes }),
    tasks: await removed(database, tasks, [
      (found) => sql`acmcp_task_headers where id_hash in (${found})`,
      (found) => sql`acmcp_tasks where id_hash in (${found})`,
    ]),
    approvals: await removed(database, approvals, [
      (found) => sql`acmcp_approvals where digest in (${found})`,
    ]),
    idempotencyKeys: await removed(database, keys, [
      // of a claim one row is counted to its owner, the others have none
      (found) => sql`acmcp_idempotency_keys where owner is null and claim in (
        select claim from acmcp_idempotency_keys where id in (${found}))`,
      (found) => sql`acmcp_idempotency_keys where id in (${found})`,
    ]),
  }
}

/** Before the user: whose row is there is erased again. */
export async function eraseAudit(
  database: CoreDatabase,
  standing: UserStanding,
  alongIndexes: AlongIndexes,
): Promise<number> {
  const rows = await renamed(database, { standing, table: audit, alongIndexes })
  return rows + (await eraseBatches(database, standing, alongIndexes))
}

/** Of the audit: others wait for as many as are changed at a time. */
const batchesTogether = 50

/** Of the audit, those that name the user. Resolves with how many entries were theirs. */
async function eraseBatches(
  database: CoreDatabase,
  standing: UserStanding,
  alongIndexes: AlongIndexes,
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

export async function eraseUserRow(database: CoreDatabase, id: string): Promise<void> {
  await sql`delete from acmcp_users where id = ${id} and erased_as is not null`.execute(database)
}

interface Key {
  readonly key: string
}

/** Of each batch of keys what these name, the last of them the rows themselves. */
async function removed(
  database: CoreDatabase,
  find: RawBuilder<Key>,
  rows: readonly ((found: RawBuilder<unknown>) => RawBuilder<unknown>)[],
): Promise<number> {
  let gone = 0
  for (;;) {
    const found = (await find.execute(database)).rows.map(({ key }) => key)
    if (found.length === 0) return gone
    for (const which of rows) await sql`delete from ${which(sql.join(found))}`.execute(database)
    gone += found.length
    await nextTurn() // SQLite does not wait for anything
  }
}

interface NamedTable {
  readonly name: RawBuilder<unknown>
  /** Which come next. */
  readonly next: (after: string) => RawBuilder<unknown>
  /** What a row is given beside the pseudonym. */
  readonly set: RawBuilder<unknown>
}

/** Their revocation counts as long as a token lives. */
const grantsOf = ({ blockedAt }: UserStanding): NamedTable => ({
  name: sql`acmcp_grants`,
  next: () => sql``,
  set: sql`, revoked_at = coalesce(revoked_at, ${blockedAt}), revoked_reason = coalesce(revoked_reason, 'erased')`,
})

/** Of the version before. */
const audit: NamedTable = {
  name: sql`acmcp_audit`,
  next: (after) => sql`and id > ${after} order by id`,
  set: sql`, tool = case when route is null then null else tool end,
    arguments_digest = null, detail = null, request_id = null, trace_id = null`,
}

interface Renaming {
  readonly standing: UserStanding
  readonly table: NamedTable
  readonly alongIndexes: AlongIndexes
}

/** Puts the pseudonym in the place of the user's id. */
async function renamed(
  database: CoreDatabase,
  { standing: { user, erasedAs }, table: { name, next, set }, alongIndexes }: Renaming,
): Promise<number> {
  let last: string | null = null
  let changed = 0
  do {
    const after: string | null = last
    const ids: readonly string[] = await alongIndexes(database, async (work) => {
      const { rows } = await sql<{ id: string }>`
        select id from ${name} where user_id = ${user.id} ${next(after ?? '')} limit ${batch}`.execute(work)
      const found = rows.map(({ id }) => id)
      if (found.length > 0)
        await sql`update ${name} set user_id = ${erasedAs} ${set} where id in (${sql.join(found)})`.execute(
          work,
        )
      return found
    })
    changed += ids.length
    last = ids.length < batch ? null : (ids.at(-1) ?? null)
    await nextTurn() // SQLite does not wait for anything
  } while (last !== null)
  return changed
}
