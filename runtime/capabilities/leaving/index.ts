/** People who are blocked, and people who are erased. */
import type { Capability } from '../../boot/capability.ts'
import { leavingSettings } from './settings.ts'

export const leaving: Capability = {
  name: 'leaving',
  settings: leavingSettings,
  isUsed: () => true, // operators block and erase, too
  unused: null,
  start: async (core) => (await import('./start.ts')).startLeaving(core),
}
