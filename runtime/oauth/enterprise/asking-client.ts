/** Who presents an identity assertion: a client that proves it by its keys, which are configured or published in its metadata document. One
 *  without keys only where the enterprise takes such. Source: MCP ext-auth, Enterprise-Managed Authorization, 5 and 7.5.1. */
import { isDocumentId } from '../clients/client-documents.ts'
import { findClient } from '../clients/clients.ts'
import { ownPagesClientId } from '../clients/own-pages.ts'
import {
  AssertionRefused,
  type Authenticated,
  authenticate,
  type KeyHolder,
  type SentAssertion,
} from '../machines/assertion.ts'
import type { Machine } from '../machines/machines.ts'
import type { ClientKeys } from '../machines/verifying-keys.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import type { IdentityAssertion } from './identity-assertion.ts'

export interface AskingClient {
  readonly id: string
  /** The scopes that its tokens may have at most; null = it is not configured. */
  readonly scopes: readonly string[] | null
  /** What it has proved it by, not yet used up; null = by nothing. */
  readonly proof: Authenticated<KeyHolder> | null
}

type ClientOptions = Pick<
  AuthorizationServerOptions,
  'baseUrl' | 'clock' | 'machines' | 'clientDocuments' | 'confidentialClients' | 'store' | 'ownPages'
>

/** Asked when the provider's word for the client has been checked: nobody's document or keys are fetched for a stranger. Rejects with
 *  `AssertionRefused`. */
export async function askingClient(
  sent: SentAssertion,
  { clientId: id, enterprise }: Pick<IdentityAssertion, 'clientId' | 'enterprise'>,
  ip: string,
  options: ClientOptions,
): Promise<AskingClient> {
  const machine = options.machines.get(id)
  const { keys } = machine ?? (await knownClient(id, ip, options))
  if (keys !== null) {
    const holder = { id, keys }
    const find = (named: string): Machine | KeyHolder | null => (named === id ? (machine ?? holder) : null)
    const proof = await authenticate<KeyHolder>(sent, { ...options, find })
    return { id, scopes: machine?.scopes ?? null, proof }
  }
  if (enterprise.allowPublicClients !== true || sent.assertion !== '' || sent.type !== '')
    throw new AssertionRefused('public_client', id)
  return { id, scopes: null, proof: null }
}

/** The keys of a client that is not configured; null = it has none. One look-up decides: a document that cannot be fetched is no
 *  client, and not one without keys. Rejects with `AssertionRefused` where there is no such client. */
async function knownClient(
  id: string,
  ip: string,
  options: ClientOptions,
): Promise<{ readonly keys: ClientKeys | null }> {
  const { clientDocuments } = options
  const isDocumented = clientDocuments !== null && isDocumentId(id)
  const found = isDocumented
    ? await clientDocuments.describe(id, ip)
    : await registeredClient(id, ip, options)
  if (found === null) throw new AssertionRefused('unknown_client')
  return found
}

async function registeredClient(
  id: string,
  ip: string,
  options: ClientOptions,
): Promise<{ readonly keys: null } | null> {
  const isOther = id === ownPagesClientId || options.confidentialClients.has(id) // it would come in without its secret
  const isKnown = !isOther && (await findClient(id, ip, options)) !== null
  return isKnown ? { keys: null } : null
}
