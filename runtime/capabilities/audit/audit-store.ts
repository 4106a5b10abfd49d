/** The audit at rest. */
import type { AuditRecord, NewAuditRecord } from '../../contract/calls.ts'
import type { CalledTool } from '../../oauth/part.ts'

/** All that is named must fit; nothing = every row. */
export interface AuditFilter {
  readonly user?: string
  readonly client?: string
  readonly grant?: string
  readonly tool?: string
  readonly event?: string
  /** Milliseconds since the epoch. */
  readonly since?: number
}

export interface AuditStore {
  /** Adds a batch to the audit, whose entries are no more than two seconds apart. It is known by its last id: one that is there already stays
   *  as it is. A client's name that is not given is looked up. */
  appendAudit(records: readonly NewAuditRecord[]): Promise<void>
  /** The newest `limit` of those that fit, the oldest of them first. */
  listAudit(filter: AuditFilter, limit: number): Promise<readonly AuditRecord[]>
  /** A page: the first `limit` of those that fit and come after the id `after`. */
  listAuditAfter(filter: AuditFilter, after: string, limit: number): Promise<readonly AuditRecord[]>
  /** The id after which the newest `limit` of those that fit begin; '' when there are no others. */
  findAuditBefore(filter: AuditFilter, limit: number): Promise<string>
  /** Which tools were called by each of these grants since then and were let through, the most often called first: of about the
   *  last 1,000 calls of each, of fewer where there are more than 20 grants. As many questions, however many they are. */
  listCalledTools(grantIds: readonly string[], since: number): Promise<readonly CalledTool[]>
}
