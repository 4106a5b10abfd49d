import type { AuthorizationServerOptions, SigningOptions } from '../options.ts'
import type { Client } from './client.ts'
import { redirectAddress } from './confidential-clients.ts'
import { isOwnEndpoint, type RedirectRules } from './own-endpoints.ts'
import { ownPagesClient, ownPagesClientId } from './own-pages.ts'
import { isRegisteredRedirectUri } from './redirect-uri.ts'

/** Where clients come from. */
type FindOptions = Pick<SigningOptions, 'clientSources' | 'confidentialClients' | 'store' | 'ownPages'>

/** The client called `id`: that of our own pages, one that the configuration names, one of another source, else a
 *  registered one; null when there is none. `ip` asks. Throws what the store or the source throws. */
export async function findClient(id: string, ip: string, options: FindOptions): Promise<Client | null> {
  const { clientSources, confidentialClients, store } = options
  if (id === ownPagesClientId) return ownPagesClient(options)
  const confidential = confidentialClients.get(id)
  if (confidential !== undefined) return confidential
  const source = clientSources.find(({ has }) => has(id))
  return source === undefined ? store.findClient(id) : source.find(id, ip)
}

/** Whether an authorization response for the client may go to `uri`. For our pages, and for clients with a secret, it is
 *  exactly one of theirs; another client's goes to none of these or to an endpoint of ours, which on loopback, where the port is not registered,
 *  is known only now, as it is of clients that registered before. */
export function isRedirectUriOf(
  client: Client,
  uri: string,
  rules: RedirectRules & Pick<AuthorizationServerOptions, 'confidentialClients'>,
): boolean {
  const isExact = client.id === ownPagesClientId || rules.confidentialClients.has(client.id)
  if (isExact) return client.redirectUris.includes(uri)
  const isRegistered = isRegisteredRedirectUri(uri, client.redirectUris, rules.nativeSchemes)
  return isRegistered && !isOwnEndpoint(uri, rules) && !rules.heldAddresses.has(redirectAddress(uri))
}

/** Whether codes and tokens are exchanged for the client. No document is fetched for that: a host that is down must not sign users out. */
export async function isServedClient(
  id: string,
  { clientSources, confidentialClients, store, ownPages }: FindOptions,
): Promise<boolean> {
  if (id === ownPagesClientId) return ownPagesClient({ ownPages }) !== null
  if (confidentialClients.has(id)) return true
  return clientSources.some(({ has }) => has(id)) || (await store.findClient(id)) !== null
}
