/** The one list of what is optional in the server, in the order in which it applies. */
import type { Capability } from '../boot/capability.ts'
import { approval } from './approval/index.ts'
import { auditing } from './audit/index.ts'
import { clientDocuments } from './client-documents/index.ts'
import { enterprise } from './enterprise/index.ts'
import { idempotency } from './idempotency/index.ts'
import { leaving } from './leaving/index.ts'
import { logout } from './logout/index.ts'
import { machines } from './machines/index.ts'
import { skills } from './skills/index.ts'
import { tasks } from './tasks/index.ts'
import { telemetry } from './telemetry/index.ts'

export const capabilities: readonly Capability[] = [
  auditing,
  idempotency,
  approval,
  clientDocuments,
  machines,
  enterprise,
  logout,
  leaving,
  skills,
  tasks,
  telemetry,
]
