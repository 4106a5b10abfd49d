/** Identity providers that say whom they have signed out (`providers.<name>.backchannelLogout`). */
import type { Capability } from '../../boot/capability.ts'

export const logout: Capability = {
  name: 'logout',
  isUsed: ({ config }) =>
    Object.values(config.providers).some(({ backchannelLogout }) => backchannelLogout !== undefined),
  unused: null,
  start: async () => {
    const { backchannelLogoutEndpoints } = await import('./backchannel-logout.ts')
    return { endpoints: backchannelLogoutEndpoints }
  },
}
