/** What commands change is recorded by the process that runs them. */
import { randomBytes } from 'node:crypto'
import type { RecordChanges } from '../../boot/capability.ts'
import type { Store } from '../../store/store.ts'
import { auditRecords } from './audit-records.ts'

export function operatorRecords(store: Pick<Store, 'appendAudit'>): RecordChanges {
  const recordOf = auditRecords(() => Date.now(), randomBytes)
  return (entries) => store.appendAudit(entries.map(recordOf))
}
