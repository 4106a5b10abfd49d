/** Services that know nobody, for rooms whose test needs none. */
import type { Services } from '../../runtime/contract/store.ts'

export const noServices: Services = {
  userOfAccessToken: async () => null,
  userOfSession: async () => null,
  users: {
    show: async () => null,
    block: async () => false,
    unblock: async () => false,
    erase: async () => null,
  },
  clock: () => 0,
  publish: () => {},
  subscribe: () => () => {},
  resourceChanged: () => {},
}
