/** What stays of an approval in the audit. */
import type { ApprovalAction, ApprovalRecord } from '../contract/approval.ts'
import type { AuditEntry } from '../contract/calls.ts'

/** How long a denial stands in the way of the same call. */
export const deniedMs = 600_000

/** Who, what and how; never what the call sends. */
export function approvalEntry(action: ApprovalAction, row: ApprovalRecord): AuditEntry {
  const { id, user, client, grant, route, method, authTime } = row
  const how = method === null ? {} : { method }
  const when = authTime === null ? {} : { authTime }
  const detail = { action, approval: id, ...how, ...when }
  return { event: 'approval', user, client, grant, route, detail }
}
