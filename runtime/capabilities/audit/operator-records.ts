/** What commands change is recorded by the process that runs them. */
import { randomBytes } from 'node:crypto'
import type { RecordChanges } from '../../boot/capability.ts'
import type { Store } from '../../store/store.ts'
import { auditRecords } from './audit-records.ts'
import { auditVerbs } from './audit-verbs.ts'

export function operatorRecords(store: Store): RecordChanges {
  const recordOf = auditRecords(() => Date.now(), randomBytes)
  const { appendAudit } = store.verbs(auditVerbs)
  return (entries) => appendAudit(entries.map(recordOf))
}
