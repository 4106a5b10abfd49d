/** Identity providers that let clients act for their users (`defineApp({ enterprise })`). */
import type { Capability } from '../../boot/capability.ts'
import { checkEnterprise } from './check-enterprise.ts'
import { enterpriseSettings } from './settings.ts'

export const enterprise: Capability = {
  name: 'enterprise',
  settings: enterpriseSettings,
  checkSettings: (config) => checkEnterprise(enterpriseSettings.read(config.written).enterprise, config),
  isUsed: ({ config }) => enterpriseSettings.read(config.written).enterprise.length > 0,
  unused: null,
  start: async (core) => {
    const { enterpriseParts } = await import('./start.ts')
    return enterpriseParts(core.settings(enterpriseSettings).enterprise)
  },
}
