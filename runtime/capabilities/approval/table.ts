/** The table of approvals. */
import { sql } from 'kysely'
import type { RowOf } from '../../store/columns.ts'
import { adding } from '../../store/migrations/migration.ts'
import type { CapabilityTable } from '../../store/tables.ts'
import type { ApprovalRecord } from './types.ts'

export const approvalColumns = {
  digest: 'digest',
  id: 'id',
  user_id: 'user',
  client_id: 'client',
  grant_id: 'grant',
  route: 'route',
  sealed: 'sealed',
  created_at: 'createdAt',
  expires_at: 'expiresAt',
  decision: 'decision',
  method: 'method',
  decided_at: 'decidedAt',
  auth_time: 'authTime',
  spent_at: 'spentAt',
} as const

/** One row a call. It references no grant, which every verb looks for: grants go as if there were no approvals. */
const rows = `
  create table acmcp_approvals (
    digest text primary key, id text not null, user_id text not null, client_id text, grant_id text, route text not null,
    sealed text not null, created_at bigint not null, expires_at bigint not null, decision text, method text,
    decided_at bigint, auth_time bigint, spent_at bigint);
  create unique index acmcp_approvals_id on acmcp_approvals (id);
  create index acmcp_approvals_user on acmcp_approvals (user_id, client_id, expires_at);
  create index acmcp_approvals_expires_at on acmcp_approvals (expires_at)`

type ApprovalTableRow = RowOf<ApprovalRecord, typeof approvalColumns>

export interface ApprovalTables {
  readonly acmcp_approvals: ApprovalTableRow
}

const dayMs = 24 * 3_600_000

export const approvalTable: CapabilityTable<keyof ApprovalTableRow> = {
  name: 'acmcp_approvals',
  migrations: { '0011_approvals': adding(rows, ['approvals']) },
  key: 'digest',
  ends: {
    column: 'expires_at',
    // undecided ones are for `expireApprovals`, which tells of them; what that has not taken in a day goes all the same
    where: (now) => sql`(decision is not null or expires_at + 0 <= ${now - dayMs})`,
  },
  person: { column: 'user_id', erasure: 'delete', countedAs: 'approvals' },
}
