/** What `acmcp approvals` does, on the store that `acmcp serve` would use: running instances are told at once. */

import { readBusSecrets } from '../../boot/environment.ts'
import {
  type AccessTaskOptions,
  announced,
  firstOf,
  type LimitedList,
  onStore,
} from '../../serve/tasks/access-tasks.ts'
import { approvalTopic } from './decision-waits.ts'
import { approvalEntry, callSeal, deniedMs } from './sealed-call.ts'
import type { ApprovalFilter, ApprovalRecord, ShownCall } from './types.ts'
import { approvalVerbs } from './verbs.ts'

/** Without what its user is shown: that is theirs. */
export type KnownApproval = Pick<
  ApprovalRecord,
  | 'id'
  | 'user'
  | 'client'
  | 'grant'
  | 'route'
  | 'createdAt'
  | 'expiresAt'
  | 'decision'
  | 'method'
  | 'decidedAt'
>

export interface ShownToOperator extends KnownApproval {
  /** Null = not asked for; `unreadable`: it was sealed with another secret. */
  readonly call: ShownCall | 'unreadable' | null
}

const known = (row: ApprovalRecord): KnownApproval => {
  const { id, user, client, grant, route, createdAt, expiresAt, decision, method, decidedAt } = row
  return { id, user, client, grant, route, createdAt, expiresAt, decision, method, decidedAt }
}

/** Those that wait for their users. */
export const listApprovals = (
  options: AccessTaskOptions,
  filter: ApprovalFilter,
  limit: number,
): Promise<LimitedList<KnownApproval>> =>
  onStore(options, async (store) =>
    firstOf((await store.verbs(approvalVerbs).listApprovals(filter, limit + 1)).map(known), limit),
  )

/** Null when there is none. */
export const showApproval = (
  options: AccessTaskOptions,
  id: string,
  withArguments: boolean,
): Promise<ShownToOperator | null> =>
  onStore(options, async (store) => {
    const row = await store.verbs(approvalVerbs).findApproval(id)
    if (row === null) return null
    if (!withArguments) return { ...known(row), call: null }
    const seal = callSeal(readBusSecrets(options.env, options.cwd), () => new Uint8Array())
    return { ...known(row), call: seal.open(row) ?? 'unreadable' }
  })

export interface DeniedApproval {
  readonly approval: KnownApproval
  /** Whether running instances know: if not, calls that wait notice when they look again. */
  readonly isAnnounced: boolean
}

/** Null where there is nothing to decide any more. */
export const denyApproval = (options: AccessTaskOptions, id: string): Promise<DeniedApproval | null> =>
  onStore(options, async (store, record) => {
    const approvals = store.verbs(approvalVerbs)
    const found = await approvals.findApproval(id)
    if (found === null) return null
    const { user, digest } = found
    const row = await approvals.decideApproval({
      ...{ id, user, digest, decision: 'denied', method: 'operator', authTime: null },
      expiresAt: Date.now() + deniedMs,
    })
    if (row === null) return null
    const isAnnounced = await announced(store, options, (bus) => bus.publish(approvalTopic, id))
    await record([approvalEntry('denied', row)])
    return { approval: known(row), isAnnounced }
  })
