/** How a client proves to be itself, as its metadata document says, and the keys that it names. Source: RFC 7591, 2 (`jwks`, `jwks_uri`);
 *  draft-ietf-oauth-client-id-metadata-document-02, 6.2. */
import { clientKeySource, FetchedKeys, type KeyFetchOptions } from '../machines/fetched-keys.ts'
import { type ClientKeys, fittingKeys, usableKeys } from '../machines/verifying-keys.ts'
import type { Profile } from '../profile.ts'
import { type ClientMetadata, invalidMetadata, listOf } from './client-metadata.ts'

/** Of the methods that a document names those that rest on no shared secret, which it could not hold: `none` and `private_key_jwt`; without
 *  any word `none`. Throws `invalid_client_metadata` where there is none of them. The list counts where clients are authenticated at all.
 *  Source: SEP-3149 (the plural). */
export function authenticationMethods(
  metadata: ClientMetadata,
  { authenticatesClients }: Pick<Profile, 'authenticatesClients'>,
): ReadonlySet<string> {
  const single = metadata.get('token_endpoint_auth_method') ?? null
  const listed = authenticatesClients ? listOf(metadata, 'token_endpoint_auth_methods_supported', []) : []
  if (single === null && listed.length === 0) return new Set(['none'])
  const named = [single, ...listed].filter((method) => method !== null)
  const known = new Set(['none', 'private_key_jwt'].filter((method) => named.includes(method)))
  if (known.size === 0 || (single !== null && !known.has(String(single))))
    throw invalidMetadata('token_endpoint_auth_method must not rest on a shared secret')
  return known
}

/** One that names none, or none of use, has none that fits. */
export function documentKeys(id: string, metadata: ClientMetadata, options: KeyFetchOptions): ClientKeys {
  const url = metadata.get('jwks_uri')
  if (typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:')
    return new FetchedKeys(clientKeySource(id, new URL(url), options), options)
  const { keys } = Object(metadata.get('jwks'))
  const usable = Array.isArray(keys) ? usableKeys(keys) : []
  return { find: async (algorithm, kid) => fittingKeys(usable, algorithm, kid) }
}
