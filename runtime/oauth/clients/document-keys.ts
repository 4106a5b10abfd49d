/** The keys that a client's metadata document names. Source: RFC 7591, 2 (`jwks`, `jwks_uri`);
 *  draft-ietf-oauth-client-id-metadata-document-02, 6.2. */
import { clientKeySource, FetchedKeys, type KeyFetchOptions } from '../machines/fetched-keys.ts'
import { type ClientKeys, fittingKeys, usableKeys } from '../machines/verifying-keys.ts'
import type { ClientMetadata } from './client-metadata.ts'

/** Null for a public client. One that names none, or none of use, has none that fits. */
export function documentKeys(
  id: string,
  metadata: ClientMetadata,
  options: KeyFetchOptions,
): ClientKeys | null {
  if (metadata.get('token_endpoint_auth_method') !== 'private_key_jwt') return null
  const url = metadata.get('jwks_uri')
  if (typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:')
    return new FetchedKeys(clientKeySource(id, new URL(url), options), options)
  const { keys } = Object(metadata.get('jwks'))
  const usable = Array.isArray(keys) ? usableKeys(keys) : []
  return { find: async (algorithm, kid) => fittingKeys(usable, algorithm, kid) }
}
