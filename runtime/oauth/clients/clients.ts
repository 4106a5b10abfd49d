import type { Client } from '../../store/store.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import { isDocumentId } from './client-documents.ts'

/** The client called `id`: described by its metadata document when `id` is an https URL and documents are on, else a
 *  registered one; null when there is none. `ip` asks. Throws what the store or a full fetch queue throws. */
export function findClient(
  id: string,
  ip: string,
  { clientDocuments, store }: Pick<AuthorizationServerOptions, 'clientDocuments' | 'store'>,
): Promise<Client | null> {
  return clientDocuments !== null && isDocumentId(id) ? clientDocuments.find(id, ip) : store.findClient(id)
}
