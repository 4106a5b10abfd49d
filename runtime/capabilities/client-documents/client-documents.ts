/** Client ID metadata documents: a `client_id` that is an https URL names the document that describes the client.
 *  Source: draft-ietf-oauth-client-id-metadata-document-02; MCP 2026-07-28, Authorization; rules.md, OAuth. */
import type { Clock, Logger } from '../../contract/store.ts'
import { clientKeySource, FetchedKeys, type KeyFetchOptions } from '../../oauth/assertions/fetched-keys.ts'
import { type ClientKeys, fittingKeys, usableKeys } from '../../oauth/assertions/verifying-keys.ts'
import type { Client } from '../../oauth/clients/client.ts'
import {
  type ClientMetadata,
  clientNameOf,
  invalidMetadata,
  listOf,
  parseMetadata,
  redirectUrisOf,
} from '../../oauth/clients/client-metadata.ts'
import { DocumentRefused, type FetchedDocument, fetchDocument } from '../../oauth/clients/fetch-document.ts'
import type { RedirectRules } from '../../oauth/clients/own-endpoints.ts'
import { fetchableFrom } from '../../oauth/clients/public-address.ts'
import type { Network } from '../../oauth/network.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import type { Profile } from '../../oauth/profile.ts'
import { isUrlText } from '../../text-formats.ts'
import {
  createDocumentCache,
  createDocumentFetches,
  type DocumentCache,
  type DocumentFetches,
} from './document-cache.ts'

export interface ClientDocumentsOptions extends RedirectRules {
  readonly network: Network
  readonly profile: Pick<Profile, 'authenticatesClients'>
  /** Whether documents may also be on this machine; for development, where the base URL is loopback itself. */
  readonly allowLoopback: boolean
  /** Whether the client has a grant with a token that still works. */
  readonly hasLiveGrant: (clientId: string) => Promise<boolean>
  readonly clock: Clock
  readonly monotonic?: Clock | undefined
  readonly log: Logger
}

export interface ClientDocuments {
  /** The client that the document at `id` describes; null when there is no document or it is refused. Throws `temporarily_unavailable` while
   *  too many documents are being fetched, for `ip` or from its host above all. */
  find(id: string, ip?: string): Promise<Client | null>
  /** The same, and where it cannot be read now what it said at most a day ago: a host that is down signs no user out. */
  lastKnown(id: string, ip: string): Promise<Client | null>
}

interface CacheEntry {
  readonly client: Client
  /** By the clock that never goes back. */
  readonly expiresAt: number
}

const idLimit = 2048
const defaultCacheSeconds = 5 * 60
const longestCacheSeconds = 24 * 60 * 60

/** Fetches, checks and keeps documents. Of failures only is kept, for half a minute, that there was no answer. */
export function createClientDocuments(options: ClientDocumentsOptions): ClientDocuments {
  const { monotonic: now = options.clock } = options
  const cache = createDocumentCache<CacheEntry>(options.hasLiveGrant)
  const fetches = createDocumentFetches<Client | null>(now)
  const find: ClientDocuments['find'] = async (id, ip = '') => {
    const url = clientUrl(id, options.baseUrl)
    if (url === null) return null
    const entry = cache.get(id)
    if (entry !== undefined && entry.expiresAt > now()) return entry.client
    if (fetches.isSilent(id)) return null
    return fetches.join(url, ip, () => load(url, { options, now, cache, fetches }))
  }
  const lastKnown: ClientDocuments['lastKnown'] = async (id, ip) => {
    const entry = cache.get(id)
    const isRecent = entry !== undefined && entry.expiresAt + 1000 * longestCacheSeconds > now()
    if (!isRecent) return find(id, ip)
    return (await find(id, ip).catch(() => null)) ?? entry.client
  }
  return { find, lastKnown }
}

/** Section 3: https, a path, no fragment, no user, no dot segments. Only the canonical text is taken, so that one client
 *  has one id; an address of our own would have us fetch from ourselves. */
function clientUrl(id: string, baseUrl: string): URL | null {
  if (id.length > idLimit || !isUrlText(id)) return null
  const url = new URL(id)
  const isPlain = url.username === '' && url.password === '' && !id.includes('#')
  const isElsewhere = url.origin !== new URL(baseUrl).origin
  return url.href === id && url.protocol === 'https:' && url.pathname !== '/' && isPlain && isElsewhere
    ? url
    : null
}

interface Loading {
  readonly options: ClientDocumentsOptions
  readonly now: Clock
  readonly cache: DocumentCache<CacheEntry>
  readonly fetches: DocumentFetches<Client | null>
}

async function load(url: URL, { options, now, cache, fetches }: Loading): Promise<Client | null> {
  const isAllowed = fetchableFrom(options.allowLoopback)
  try {
    const document = await fetchDocument(url, { network: options.network, isAllowed })
    const metadata = parseMetadata(document.bytes)
    const methods = authenticationMethods(metadata, options.profile)
    const client: Client = {
      ...clientOf(url.href, metadata, options),
      ...(methods.has('private_key_jwt') ? { keys: documentKeys(url.href, metadata, options) } : {}),
      ...(methods.has('none') ? {} : { mustProve: true }),
    }
    const seconds = cacheSeconds(document)
    if (seconds > 0) await cache.set(url.href, { client, expiresAt: now() + 1000 * seconds })
    return client
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    options.log.warn({ client: url.href, reason }, 'client metadata document refused')
    if (!(error instanceof DocumentRefused || error instanceof OAuthError)) fetches.wasSilent(url.href)
    return null
  }
}

/** Section 4. What the document says of other grants and response types is for other servers. */
function clientOf(id: string, metadata: ClientMetadata, rules: RedirectRules): Client {
  if (metadata.get('client_id') !== id) throw invalidMetadata('client_id is not the address of the document')
  if (metadata.has('client_secret') || metadata.has('client_secret_expires_at')) {
    throw invalidMetadata('a public document cannot hold a secret')
  }
  const grantTypes = listOf(metadata, 'grant_types', ['authorization_code'])
  const responseTypes = listOf(metadata, 'response_types', ['code'])
  if (!grantTypes.includes('authorization_code') || !responseTypes.includes('code')) {
    throw invalidMetadata('the client does not use the authorization code grant')
  }
  const redirectUris = redirectUrisOf(metadata, rules)
  return { id, name: clientNameOf(metadata), redirectUris, grantTypes, responseTypes: ['code'] }
}

/** Section 5.2: the server's word within our limits. */
function cacheSeconds({ cacheControl }: FetchedDocument): number {
  if (/(^|[,\s])(no-store|no-cache)\b/i.test(cacheControl)) return 0
  const maxAge = /(?:^|[,\s])max-age\s*=\s*"?(\d+)/i.exec(cacheControl)?.[1]
  return Math.min(maxAge === undefined ? defaultCacheSeconds : Number(maxAge), longestCacheSeconds)
}

/** Of the methods that a document names those that rest on no shared secret, which it could not hold: `none` and `private_key_jwt`; without
 *  any word `none`. Throws `invalid_client_metadata` where there is none of them. The list counts where clients are authenticated at all.
 *  Source: SEP-3149 (the plural). */
function authenticationMethods(
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
function documentKeys(id: string, metadata: ClientMetadata, options: KeyFetchOptions): ClientKeys {
  const url = metadata.get('jwks_uri')
  if (typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === 'https:')
    return new FetchedKeys(clientKeySource(id, new URL(url), options), options)
  const { keys } = Object(metadata.get('jwks'))
  const usable = Array.isArray(keys) ? usableKeys(keys) : []
  return { find: async (algorithm, kid) => fittingKeys(usable, algorithm, kid) }
}
