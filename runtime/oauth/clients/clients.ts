import type { Client } from '../../store/store.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import { isDocumentId } from './client-documents.ts'
import { isOwnEndpoint, type RedirectRules } from './own-endpoints.ts'
import { ownPagesClient, ownPagesClientId } from './own-pages.ts'
import { isRegisteredRedirectUri } from './redirect-uri.ts'

/** The client called `id`: that of our own pages, one that its metadata document describes when `id` is an https URL and
 *  documents are on, else a registered one; null when there is none. `ip` asks. Throws what the store or a full fetch queue
 *  throws. */
export async function findClient(
  id: string,
  ip: string,
  options: Pick<AuthorizationServerOptions, 'clientDocuments' | 'store' | 'ownPages'>,
): Promise<Client | null> {
  const { clientDocuments, store } = options
  if (id === ownPagesClientId) return ownPagesClient(options)
  return clientDocuments !== null && isDocumentId(id) ? clientDocuments.find(id, ip) : store.findClient(id)
}

/** Whether an authorization response for the client may go to `uri`. For our pages it is exactly one of theirs; nobody else's
 *  goes to an endpoint of ours, which on loopback, where the port is not registered, is known only now. */
export function isRedirectUriOf(client: Client, uri: string, rules: RedirectRules): boolean {
  if (client.id === ownPagesClientId) return client.redirectUris.includes(uri)
  return isRegisteredRedirectUri(uri, client.redirectUris, rules.nativeSchemes) && !isOwnEndpoint(uri, rules)
}

/** Whether codes and tokens are exchanged for the client. Nobody fetches a document for that: one whose host is down signs nobody out. */
export async function isServedClient(
  id: string,
  {
    clientDocuments,
    store,
    ownPages,
  }: Pick<AuthorizationServerOptions, 'clientDocuments' | 'store' | 'ownPages'>,
): Promise<boolean> {
  if (id === ownPagesClientId) return ownPagesClient({ ownPages }) !== null
  return (clientDocuments !== null && isDocumentId(id)) || (await store.findClient(id)) !== null
}
