/** The verbs of `Store` on approvals: each change is one conditional write whose row decides, over all instances. */
import { type RawBuilder, sql } from 'kysely'
import { insertable, rowOf, selected } from '../../store/columns.ts'
import type { VerbParts } from '../../store/verbs/verb-parts.ts'
import { type ApprovalTables, approvalColumns } from './table.ts'
import type {
  ApprovalFilter,
  ApprovalQuota,
  ApprovalRecord,
  ApprovalRequestResult,
  ApprovalStore,
  NewApproval,
  NewDecision,
} from './types.ts'

type ApprovalDatabase = VerbParts<ApprovalTables>['database']

const asRecord = selected(approvalColumns)

export function approvalVerbs({
  database,
  clock,
  engine: { alongIndexes },
}: VerbParts<ApprovalTables>): ApprovalStore {
  return {
    spendApproval: (digest, until) => spendApproval(database, { digest, until, now: clock() }),
    releaseApproval: (spent, expiresAt) => releaseApproval(database, spent, expiresAt),
    askApproval: (approval, quota) => askApproval(database, approval, { quota, now: clock() }),
    findApproval: (id) => findApproval(database, 'id', id, clock()),
    decideApproval: (decision) => decideApproval(database, decision, clock()),
    listApprovals: (filter, limit) => {
      const list = (work: ApprovalDatabase) => listApprovals(work, filter, { limit, now: clock() })
      return filter.user === undefined ? alongIndexes(database, list) : list(database) // a user has few
    },
    expireApprovals: (limit) => expireApprovals(database, limit, clock()),
  }
}

/** The delete decides: of two that ask at once one gets the row. */
async function expireApprovals(
  database: ApprovalDatabase,
  limit: number,
  now: number,
): Promise<readonly ApprovalRecord[]> {
  const ended = database
    .selectFrom('acmcp_approvals')
    .select('digest')
    .where('decision', 'is', null)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
  return database
    .deleteFrom('acmcp_approvals')
    .where('digest', 'in', ended)
    .where('decision', 'is', null)
    .where('expires_at', '<=', now)
    .returning(asRecord)
    .execute()
}

/** Whether a grant is there and not revoked; true where none is named. */
const hasGrant = (grant: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql`(${grant} is null or exists (select 1 from acmcp_grants g where g.id = ${grant} and g.revoked_at is null))`

/** What every verb asks of a row. It ends with its grant, but for a denial: a new grant must not undo that. */
const isLive = (now: number): RawBuilder<boolean> =>
  sql`(acmcp_approvals.expires_at > ${now}
    and (coalesce(acmcp_approvals.decision, '') = 'denied' or ${hasGrant(sql`acmcp_approvals.grant_id`)}))`

/** At most one caller ever gets the row. */
async function spendApproval(
  database: ApprovalDatabase,
  { digest, until, now }: { readonly digest: string; readonly until: number; readonly now: number },
): Promise<ApprovalRecord | null> {
  const spent = await database
    .updateTable('acmcp_approvals')
    .set({ spent_at: now, expires_at: until })
    .where('digest', '=', digest)
    .where('decision', '=', 'approved')
    .where('spent_at', 'is', null)
    .where(isLive(now))
    .returning(asRecord)
    .executeTakeFirst()
  return spent ?? null
}

/** A row that has taken its place since is left alone. */
async function releaseApproval(
  database: ApprovalDatabase,
  { id, spentAt }: Pick<ApprovalRecord, 'id' | 'spentAt'>,
  expiresAt: number,
): Promise<void> {
  await database
    .updateTable('acmcp_approvals')
    .set({ spent_at: null, expires_at: expiresAt })
    .where('id', '=', id)
    .where('spent_at', '=', spentAt)
    .execute()
}

async function decideApproval(
  database: ApprovalDatabase,
  { id, user, digest, decision, method, authTime, expiresAt }: NewDecision,
  now: number,
): Promise<ApprovalRecord | null> {
  const decided = await database
    .updateTable('acmcp_approvals')
    .set({ decision, method, decided_at: now, auth_time: authTime, expires_at: expiresAt })
    .where('id', '=', id)
    .where('user_id', '=', user)
    .where('digest', '=', digest)
    .where('decision', 'is', null)
    .where(isLive(now))
    .where(sql<boolean>`not exists (select 1 from acmcp_users where id = ${user} and blocked_at is not null)`)
    .returning(asRecord)
    .executeTakeFirst()
  return decided ?? null
}

async function findApproval(
  database: ApprovalDatabase,
  key: 'id' | 'digest',
  value: string,
  now: number,
): Promise<ApprovalRecord | null> {
  const found = await database
    .selectFrom('acmcp_approvals')
    .select(asRecord)
    .where(key, '=', value)
    .where(isLive(now))
    .executeTakeFirst()
  return found ?? null
}

interface Asking {
  readonly quota: ApprovalQuota
  readonly now: number
}

/** Of many that ask for one call at once the first inserts; the others find its row. */
async function askApproval(
  database: ApprovalDatabase,
  approval: NewApproval,
  { quota, now }: Asking,
): Promise<ApprovalRequestResult> {
  const undecided = { decision: null, method: null, decidedAt: null, authTime: null, spentAt: null }
  const row: ApprovalRecord = { ...approval, createdAt: now, ...undecided }
  if (await insertApproval(database, row, quota)) return { kind: 'row', row, isNew: true }
  const standing = await findApproval(database, 'digest', approval.digest, now)
  if (standing !== null) return { kind: 'row', row: standing, isNew: false }
  const { rows } = await sql`select 1 as allowed where ${isAllowed(row, quota)}`.execute(database)
  return { kind: rows.length === 0 ? 'refused' : 'full' }
}

/** Two that come at once may both find room for the last one: the bound is for growth, not exact. */
async function insertApproval(
  database: ApprovalDatabase,
  row: ApprovalRecord,
  quota: ApprovalQuota,
): Promise<boolean> {
  const { columns, values } = insertable(rowOf(approvalColumns, row))
  const all = Object.keys(approvalColumns).map((name) => sql.ref(name))
  const { numAffectedRows } = await sql`
    insert into acmcp_approvals (${columns}) select ${values}
    where (select count(*) from acmcp_approvals where ${isOfCaller(row)} and decision is null
        and ${isLive(row.createdAt)}) < ${quota.pending}
      and ${isAllowed(row, quota)}
    on conflict (digest) do update
      set ${sql.join(all.map((name) => sql`${name} = excluded.${name}`))}
      where not ${isLive(row.createdAt)}`.execute(database)
  return Number(numAffectedRows ?? 0) === 1
}

const isOfCaller = ({ user, client }: Pick<ApprovalRecord, 'user' | 'client'>): RawBuilder<boolean> =>
  sql`user_id = ${user} and ${isClient(client)}`

/** `is not distinct from` would use no index of PostgreSQL. */
const isClient = (client: string | null): RawBuilder<boolean> =>
  client === null ? sql`client_id is null` : sql`client_id = ${client}`

/** Whether its grant lives and its route was not denied too often. */
function isAllowed(row: ApprovalRecord, { denied }: ApprovalQuota): RawBuilder<boolean> {
  const denials = sql`select count(*) from acmcp_approvals where ${isOfCaller(row)} and route = ${row.route}
    and decision = 'denied' and expires_at > ${row.createdAt}`
  return sql`(${denials}) < ${denied} and ${hasGrant(sql`cast(${row.grant} as text)`)}`
}

/** Those that end first, along an index; what waits equally long ends in the order of asking. */
async function listApprovals(
  database: ApprovalDatabase,
  { user, client, route, decision }: ApprovalFilter,
  { limit, now }: { readonly limit: number; readonly now: number },
): Promise<readonly ApprovalRecord[]> {
  let wanted = database
    .selectFrom('acmcp_approvals')
    .select(asRecord)
    .where('spent_at', 'is', null)
    .where('decision', decision === undefined ? 'is' : '=', decision ?? null)
    .where(isLive(now))
  if (user !== undefined) wanted = wanted.where('user_id', '=', user)
  if (client !== undefined) wanted = wanted.where(isClient(client))
  if (route !== undefined) wanted = wanted.where('route', '=', route)
  const rows = await wanted.orderBy('expires_at').orderBy('id').limit(limit).execute()
  return rows.sort((a, b) => a.createdAt - b.createdAt)
}
