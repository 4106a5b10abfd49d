/** The trail of the audit before it is known whether anything keeps it. */
import type { AuditTrail } from '../contract/calls.ts'

interface KeptAudit extends AuditTrail {
  close(): Promise<void>
}

export interface LateTrail extends KeptAudit {
  readonly isKept: () => boolean
  readonly keptBy: (trail: KeptAudit) => void
}

export function lateTrail(): LateTrail {
  let kept: KeptAudit | null = null
  return {
    record: (entry) => kept?.record(entry),
    recordDurably: async (entry) => kept?.recordDurably(entry),
    flush: async () => kept?.flush(),
    close: async () => kept?.close(),
    isKept: () => kept !== null,
    keptBy(trail) {
      kept = trail
    },
  }
}
