/** What clients with a metadata document are to the authorization server. */
import type { CapabilityParts, Core } from '../../boot/capability.ts'
import { isLoopbackUrl } from '../../loopback.ts'
import type { ClientSource } from '../../oauth/clients/client.ts'
import { isDocumentId } from '../../oauth/clients/document-id.ts'
import { ClientRefused } from '../../oauth/oauth-error.ts'
import type { AuthorizationServerOptions } from '../../oauth/options.ts'
import type { Profile } from '../../oauth/profile.ts'
import { type ClientDocuments, createClientDocuments } from './client-documents.ts'
import { documentSettings } from './settings.ts'

/** By configuration documents may also be on this machine, where the base URL is. */
export function startClientDocuments(core: Core): CapabilityParts {
  const isWanted = core.settings(documentSettings).clientIdMetadataDocuments === true
  const allowLoopback = isWanted && isLoopbackUrl(core.environment.baseUrl)
  return documentParts((options) =>
    createClientDocuments({
      ...options,
      network: core.network,
      hasLiveGrant: async (clientId) => (await options.store.listGrants({ clientId }, 1)).length > 0,
      allowLoopback,
    }),
  )
}

export const documentParts = (
  documentsOf: (options: AuthorizationServerOptions) => ClientDocuments,
): CapabilityParts => ({
  clientSource: (options) => sourceOf(documentsOf(options), options),
  metadata: { client_id_metadata_document_supported: true },
  admits: { documents: true },
})

const sourceOf = (documents: ClientDocuments, { profile }: { readonly profile: Profile }): ClientSource => ({
  has: isDocumentId,
  find: documents.find,
  lastKnown: async (id, ip) => (await documents.lastKnown(id, ip)) ?? unreadable(),
  authMethods: profile.authenticatesClients ? ['private_key_jwt'] : [],
})

function unreadable(): never {
  throw new ClientRefused(
    'temporarily_unavailable',
    'the document that describes the client cannot be read',
    { 'retry-after': '30' },
  )
}
