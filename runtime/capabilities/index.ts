/** The one list of the capabilities, in the order in which they apply. */
import type { Capability } from '../boot/capability.ts'
import { approval } from './approval/index.ts'
import { clientDocuments } from './client-documents/index.ts'
import { enterprise } from './enterprise/index.ts'
import { logout } from './logout/index.ts'
import { machines } from './machines/index.ts'

export const capabilities: readonly Capability[] = [approval, clientDocuments, machines, enterprise, logout]
