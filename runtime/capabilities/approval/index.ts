/** Calls that a person must approve first (`@approval`). */

import type { Capability } from '../../boot/capability.ts'
import { approvalCounter } from './counter.ts'
import { routeApproval } from './route-approval.ts'
import { approvalSettings } from './settings.ts'
import { approvalTable } from './table.ts'
import type { RequiredApproval } from './types.ts'

export const approval: Capability = {
  name: 'approval',
  settings: approvalSettings,
  tables: [approvalTable],
  row: {
    name: 'approval',
    column: 'APPROVAL',
    text: ({ unless, sentence }: RequiredApproval) =>
      [...(unless === undefined ? [] : [`unless=${unless}`]), sentence].join(' '),
  },
  counters: [approvalCounter],
  isUsed: ({ bundle }) => bundle.routes.some((route) => routeApproval(route) !== undefined),
  unused: 'no route has @approval',
  start: async (core) => (await import('./start.ts')).startApproval(core),
}
