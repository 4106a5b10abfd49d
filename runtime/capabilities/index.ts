/** The one list of what is optional in the server, in the order in which it applies. */
import type { CapabilityTable } from '../store/tables.ts'
import { idempotency } from './idempotency/index.ts'

export const capabilities: readonly Capability[] = [idempotency]

interface Capability {
  /** That of its folder. */
  readonly name: string
  /** Every store has them, whether the application uses the capability or not. */
  readonly tables: readonly CapabilityTable[]
}
