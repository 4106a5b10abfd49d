import type { CapabilityTable } from '../../store/tables.ts'
import { idempotencyKeyTable } from './key-table.ts'

/** Calls with a key run once (`@idempotencyKey`). */
export const idempotency: { readonly name: string; readonly tables: readonly CapabilityTable[] } = {
  name: 'idempotency',
  tables: [idempotencyKeyTable],
}
