/** Clients that act for themselves and for no user (`defineApp({ clients })`). */
import type { Capability } from '../../boot/capability.ts'
import { checkClients } from './check-clients.ts'
import { machineSettings } from './settings.ts'

export const machines: Capability = {
  name: 'machines',
  settings: machineSettings,
  checkSettings: (config) => checkClients(machineSettings.read(config.written).clients, config),
  isUsed: ({ config }) => Object.keys(machineSettings.read(config.written).clients).length > 0,
  unused: null,
  start: async (core) => (await import('./start.ts')).startMachines(core),
}
