/** The store that an application has: with the tables of all capabilities, and their verbs beside those of the core. */
import { openApplicationStore } from '../../runtime/boot/application-store.ts'
import type { ApprovalStore } from '../../runtime/capabilities/approval/types.ts'
import { approvalVerbs } from '../../runtime/capabilities/approval/verbs.ts'
import type { AuditStore } from '../../runtime/capabilities/audit/audit-store.ts'
import { auditVerbs } from '../../runtime/capabilities/audit/audit-verbs.ts'
import { idempotencyVerbs } from '../../runtime/capabilities/idempotency/key-verbs.ts'
import type { IdempotencyStore } from '../../runtime/capabilities/idempotency/types.ts'
import { leavingVerbs } from '../../runtime/capabilities/leaving/leaving-verbs.ts'
import type { LeavingStore } from '../../runtime/capabilities/leaving/types.ts'
import type { TaskStore } from '../../runtime/capabilities/tasks/task-record.ts'
import { taskVerbs } from '../../runtime/capabilities/tasks/task-verbs.ts'
import type { Store, StoreOptions } from '../../runtime/store/store.ts'

export type WholeStore = Store & IdempotencyStore & ApprovalStore & AuditStore & LeavingStore & TaskStore

export const openStore = async (options: Omit<StoreOptions, 'tables'>): Promise<WholeStore> =>
  wholeStore(await openApplicationStore(options))

export const wholeStore = (store: Store): WholeStore => ({
  ...store,
  ...store.verbs(idempotencyVerbs),
  ...store.verbs(approvalVerbs),
  ...store.verbs(leavingVerbs),
  ...store.verbs(auditVerbs),
  ...store.verbs(taskVerbs),
})
