import { clientCredentials } from '../endpoints/client-credentials.ts'
import type { TokenPart } from '../token-part.ts'
import type { Machines } from './machines.ts'
import { authInfoOfClient } from './own-tokens.ts'

/** What they add to the authorization server. */
export const machinesPart = (machines: Machines): TokenPart => ({
  grants: () => new Map([['client_credentials', (request) => clientCredentials(request, machines)]]),
  authMethods: ['private_key_jwt'],
  signingClients: machines,
  clientTokens: ({ options }) => ({
    setting: 'config.clients',
    find: (claims, subject) => authInfoOfClient({ claims, subject, machines }, options),
  }),
})
