/** Calls with a key run once (`@idempotencyKey`). */

import type { Capability } from '../../boot/capability.ts'
import { keyCounter } from './counter.ts'
import { keyRule } from './key-rule.ts'
import { idempotencyKeyTable } from './key-table.ts'
import { idempotencySettings } from './settings.ts'

export const idempotency: Capability = {
  name: 'idempotency',
  settings: idempotencySettings,
  tables: [idempotencyKeyTable],
  row: {
    name: 'idempotencyKey',
    text: (rule: object) => ['idempotencyKey', ...Object.keys(rule)].join(' '),
  },
  counters: [keyCounter],
  isUsed: ({ bundle }) => bundle.routes.some((route) => keyRule(route) !== undefined),
  unused: 'no route has @idempotencyKey',
  start: async (core) => (await import('./start.ts')).startIdempotency(core),
}
