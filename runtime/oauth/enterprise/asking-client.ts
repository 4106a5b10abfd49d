/** Who presents an identity assertion: a client that proves it by its keys, which are configured or published in its metadata document. One
 *  without keys only where the enterprise takes such. Source: MCP ext-auth, Enterprise-Managed Authorization, 5 and 7.5.1. */
import type { Client, KeyHolder } from '../clients/client.ts'
import { findClient } from '../clients/clients.ts'
import { ownPagesClientId } from '../clients/own-pages.ts'
import {
  AssertionRefused,
  type Authenticated,
  authenticate,
  type SentAssertion,
} from '../machines/assertion.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import type { IdentityAssertion } from './identity-assertion.ts'

export interface AskingClient {
  readonly client: Client
  /** What it has proved it by, not yet used up; null = by nothing. */
  readonly proof: Authenticated<KeyHolder> | null
}

type ClientOptions = Pick<
  AuthorizationServerOptions,
  'baseUrl' | 'clock' | 'machines' | 'clientDocuments' | 'confidentialClients' | 'store' | 'ownPages'
>

/** Asked when the provider's word for the client has been checked: nobody's document or keys are fetched for a stranger. One look-up decides:
 *  a document that cannot be fetched is no client, and not one without keys. Rejects with `AssertionRefused`. */
export async function askingClient(
  sent: SentAssertion,
  { clientId: id, enterprise }: Pick<IdentityAssertion, 'clientId' | 'enterprise'>,
  ip: string,
  options: ClientOptions,
): Promise<AskingClient> {
  const client = options.machines.get(id) ?? (await findClient(id, ip, options))
  // one with a secret would come in without it
  if (client === null || client.id === ownPagesClientId || client.secrets !== undefined)
    throw new AssertionRefused('unknown_client')
  const { keys } = client
  if (keys !== undefined) {
    const find = (named: string): KeyHolder | null => (named === id ? { id, keys } : null)
    return { client, proof: await authenticate(sent, { ...options, find }) }
  }
  if (enterprise.allowPublicClients !== true || sent.assertion !== '' || sent.type !== '')
    throw new AssertionRefused('public_client', id)
  return { client, proof: null }
}
