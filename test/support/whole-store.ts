/** The store that an application has: with the tables of all capabilities, and their verbs beside those of the core. */
import { openApplicationStore } from '../../runtime/boot/application-store.ts'
import type { ApprovalStore } from '../../runtime/capabilities/approval/types.ts'
import { approvalVerbs } from '../../runtime/capabilities/approval/verbs.ts'
import { idempotencyVerbs } from '../../runtime/capabilities/idempotency/key-verbs.ts'
import type { IdempotencyStore } from '../../runtime/capabilities/idempotency/types.ts'
import { leavingVerbs } from '../../runtime/capabilities/leaving/leaving-verbs.ts'
import type { LeavingStore } from '../../runtime/capabilities/leaving/types.ts'
import type { TaskStore } from '../../runtime/capabilities/tasks/task-record.ts'
import { taskVerbs } from '../../runtime/capabilities/tasks/task-verbs.ts'
import type { Store, StoreOptions } from '../../runtime/store/store.ts'

export type WholeStore = Store & IdempotencyStore & ApprovalStore & LeavingStore & TaskStore

export async function openStore(options: Omit<StoreOptions, 'tables'>): Promise<WholeStore> {
  const store = await openApplicationStore(options)
  const own = { ...store.verbs(idempotencyVerbs), ...store.verbs(approvalVerbs) }
  return { ...store, ...own, ...store.verbs(leavingVerbs), ...store.verbs(taskVerbs) }
}
