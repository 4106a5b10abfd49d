/** The audit log: one line per event, through the log, with the message `audit`. Source: issue 5, Audit log. */
import type { Logger } from '../contract/store.ts'
import { sha256Hex } from '../secret.ts'
import { ownPagesClientId } from './clients/own-pages.ts'

export type AuditEvent =
  | 'registration'
  | 'sign-in'
  | 'sign-out'
  | 'consent'
  | 'issue'
  | 'refresh'
  | 'reuse'
  | 'revocation'

/** Whom and what an event is about. `from` is the id of the code or token that was presented, `to` of what was issued
 *  for it, so that a family can be followed from line to line. */
export interface AuditIds {
  readonly client?: string
  readonly user?: string
  readonly grant?: string
  readonly from?: string
  readonly to?: string
}

/** Writes one line. Ids are hashed (SHA-256, 16 hex characters), but for that of our own pages; `facts` are our own words, never a caller's. */
export function audit(
  log: Logger,
  event: AuditEvent,
  {
    ids,
    facts = {},
  }: { readonly ids: AuditIds; readonly facts?: Readonly<Record<string, string | boolean>> },
): void {
  const hashed = Object.entries(ids).map(([name, id]) => [name, auditId(id)])
  log[event === 'reuse' ? 'warn' : 'info']({ event, ...Object.fromEntries(hashed), ...facts }, 'audit')
}

/** How an id stands in the audit log. */
function auditId(id: string): string {
  return id === ownPagesClientId ? id : sha256Hex(id).slice(0, 16)
}
