/** The table of approvals, and a row of it as the rest of the runtime sees it. */
import type { ApprovalDecision, ApprovalMethod, ApprovalRecord } from '../../contract/approval.ts'

export interface ApprovalRow {
  readonly digest: string
  readonly id: string
  readonly user_id: string
  readonly client_id: string | null
  readonly grant_id: string | null
  readonly route: string
  readonly sealed: string
  readonly created_at: number
  readonly expires_at: number
  readonly decision: ApprovalDecision | null
  readonly method: ApprovalMethod | null
  readonly decided_at: number | null
  readonly auth_time: number | null
  readonly spent_at: number | null
}

/** One row a call. It references no grant, which every verb looks for: grants go as if there were no approvals. */
export const approvalTable = `
  create table acmcp_approvals (
    digest text primary key, id text not null, user_id text not null, client_id text, grant_id text, route text not null,
    sealed text not null, created_at bigint not null, expires_at bigint not null, decision text, method text,
    decided_at bigint, auth_time bigint, spent_at bigint);
  create unique index acmcp_approvals_id on acmcp_approvals (id);
  create index acmcp_approvals_user on acmcp_approvals (user_id, client_id, expires_at);
  create index acmcp_approvals_expires_at on acmcp_approvals (expires_at)`

/** What a statement selects or returns: a record. */
export const approvalColumns = [
  'id',
  'user_id as user',
  'client_id as client',
  'grant_id as grant',
  'route',
  'digest',
  'sealed',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'decision',
  'method',
  'decided_at as decidedAt',
  'auth_time as authTime',
  'spent_at as spentAt',
] as const

export const rowOfApproval = (approval: ApprovalRecord): ApprovalRow => ({
  digest: approval.digest,
  id: approval.id,
  user_id: approval.user,
  client_id: approval.client,
  grant_id: approval.grant,
  route: approval.route,
  sealed: approval.sealed,
  created_at: approval.createdAt,
  expires_at: approval.expiresAt,
  decision: approval.decision,
  method: approval.method,
  decided_at: approval.decidedAt,
  auth_time: approval.authTime,
  spent_at: approval.spentAt,
})
