/** What clients that act for themselves add to the authorization server. Source: decisions/oauth.md, Machines. */
import { BootError } from '../../boot/boot-error.ts'
import type { CapabilityParts, Core } from '../../boot/capability.ts'
import { isLoopbackUrl } from '../../loopback.ts'
import { clientCredentials } from './client-credentials.ts'
import { createMachines, type Machines } from './machines.ts'
import { authInfoOfClient } from './own-tokens.ts'
import { machineSettings } from './settings.ts'

export const startMachines = (core: Core): CapabilityParts => machineParts(machinesOf(core))

export const machineParts = (machines: Machines): CapabilityParts => ({
  grants: () => new Map([['client_credentials', (request) => clientCredentials(request, machines)]]),
  authMethods: ['private_key_jwt'],
  signingClients: machines,
  clientTokens: ({ options }) => ({
    setting: 'config.clients',
    find: (claims, subject) => authInfoOfClient({ claims, subject, machines }, options),
  }),
})

/** Keys come from this machine in development alone. Throws `BootError`. */
function machinesOf(core: Core): Machines {
  const { clients } = core.settings(machineSettings)
  const { baseUrl, production } = core.environment
  const allowLoopback = !production && isLoopbackUrl(baseUrl)
  const plain = Object.entries(clients).find(([, { jwksUri }]) => jwksUri?.toLowerCase().startsWith('http:'))
  if (plain !== undefined && !allowLoopback)
    throw new BootError(
      `app/config.ts: config.clients.${plain[0]}.jwksUri must be https outside of development`,
    )
  return createMachines(clients, { ...core, scopes: core.config.scopes, allowLoopback })
}
