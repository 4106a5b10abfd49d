/** The audit of changes of access: one line per event, through the log, with the message `audit`, and one row of the trail.
 *  Source: decisions/oauth.md, Audit log. */
import type { AuditEvent } from '../contract/calls.ts'
import { sha256Hex } from '../secret.ts'
import { ownPagesClientId } from './clients/own-pages.ts'
import type { AuthorizationServerOptions } from './options.ts'

/** A change of access. */
type AccessEvent = Exclude<AuditEvent, 'tool-call' | 'request' | 'client-removal'>

/** Whom and what an event is about. `from` is the id of the code or token that was presented, `to` of what was issued
 *  for it, so that a family can be followed from line to line. */
export interface AuditIds {
  readonly client?: string
  readonly user?: string
  readonly grant?: string
  readonly from?: string
  readonly to?: string
}

export type AuditTargets = Pick<AuthorizationServerOptions, 'auditLog' | 'auditTrail'>

interface AuditedChange {
  readonly ids: AuditIds
  /** Our own words, never a caller's. */
  readonly facts?: Readonly<Record<string, string | number | boolean>>
  /** Where the store may not know it. */
  readonly clientName?: string | null
  /** Where the line does not name them; each has a row. */
  readonly grants?: readonly string[]
}

export type RecordAccess = (event: AccessEvent, changed: AuditedChange) => void

/** Writes both. In the line ids are hashed (SHA-256, 16 hex characters), but for that of our own pages; in the row those of tokens
 *  are left out. */
export function audit(
  { auditLog, auditTrail }: AuditTargets,
  event: AccessEvent,
  { ids, facts = {}, clientName = null, grants }: AuditedChange,
): void {
  const hashed = Object.entries(ids).map(([name, id]) => [name, auditId(id)])
  auditLog[event === 'reuse' || event === 'refusal' ? 'warn' : 'info'](
    { event, ...Object.fromEntries(hashed), ...facts },
    'audit',
  )
  const { client = null, user = null } = ids
  const detail = Object.keys(facts).length === 0 ? null : facts
  for (const grant of grants ?? [ids.grant ?? null])
    auditTrail.record({ event, client, clientName, user, grant, detail })
}

/** How an id stands in the audit log. */
function auditId(id: string): string {
  return id === ownPagesClientId ? id : sha256Hex(id).slice(0, 16)
}
