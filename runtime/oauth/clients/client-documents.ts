/** Client ID metadata documents: a `client_id` that is an https URL names the document that describes the client.
 *  Source: draft-ietf-oauth-client-id-metadata-document-02; MCP 2026-07-28, Authorization; rules.md, OAuth. */
import type { Clock, Logger } from '../../contract/store.ts'
import type { Client } from '../../store/store.ts'
import { isUrlText } from '../../text-formats.ts'
import type { ClientKeys } from '../machines/verifying-keys.ts'
import type { Network } from '../network.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Profile } from '../profile.ts'
import {
  type ClientMetadata,
  clientNameOf,
  invalidMetadata,
  listOf,
  parseMetadata,
  redirectUrisOf,
} from './client-metadata.ts'
import { createDocumentCache, type DocumentCache } from './document-cache.ts'
import { createDocumentFetches, type DocumentFetches } from './document-fetches.ts'
import { authenticationMethods, documentKeys } from './document-keys.ts'
import { DocumentRefused, type FetchedDocument, fetchDocument } from './fetch-document.ts'
import type { RedirectRules } from './own-endpoints.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

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
  /** What the document at `id` says; null when there is no document or it is refused. Throws `temporarily_unavailable` while
   *  too many documents are being fetched, for `ip` or from its host above all. */
  describe(id: string, ip?: string): Promise<DocumentedClient | null>
  /** The same, and where it cannot be read now what it said at most a day ago: a host that is down signs no user out. */
  lastKnown(id: string, ip: string): Promise<DocumentedClient | null>
  /** The client alone. Throws the same. */
  find(id: string, ip?: string): Promise<Client | null>
}

/** What a document says. */
export interface DocumentedClient {
  readonly client: Client
  /** The keys by which the client proves to be itself; null = it has none. */
  readonly keys: ClientKeys | null
  /** Whether it may leave that out (`none`). */
  readonly isPublic: boolean
}

interface CacheEntry extends DocumentedClient {
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
  const fetches = createDocumentFetches<DocumentedClient | null>(now)
  const describe: ClientDocuments['describe'] = async (id, ip = '') => {
    const url = clientUrl(id, options.baseUrl)
    if (url === null) return null
    const entry = cache.get(id)
    if (entry !== undefined && entry.expiresAt > now()) return entry
    if (fetches.isSilent(id)) return null
    return fetches.join(url, ip, () => load(url, { options, now, cache, fetches }))
  }
  const lastKnown: ClientDocuments['lastKnown'] = async (id, ip) => {
    const entry = cache.get(id)
    const isRecent = entry !== undefined && entry.expiresAt + 1000 * longestCacheSeconds > now()
    if (!isRecent) return describe(id, ip)
    return (await describe(id, ip).catch(() => null)) ?? entry
  }
  return { describe, lastKnown, find: async (id, ip) => (await describe(id, ip))?.client ?? null }
}

/** Whether `id` is to be looked up as a document rather than in the store. */
export function isDocumentId(id: string): boolean {
  return /^https:\/\//i.test(id)
}

/** The host that publishes the client's document, or null for a registered client. */
export function documentHost(id: string): string | null {
  return isDocumentId(id) ? new URL(id).host : null
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
  readonly fetches: DocumentFetches<DocumentedClient | null>
}

async function load(url: URL, { options, now, cache, fetches }: Loading): Promise<DocumentedClient | null> {
  const isAllowed = (address: string): boolean =>
    isPublicAddress(address) || (options.allowLoopback && isLoopbackAddress(address))
  try {
    const document = await fetchDocument(url, { network: options.network, isAllowed })
    const metadata = parseMetadata(document.bytes)
    const methods = authenticationMethods(metadata, options.profile)
    const described = {
      client: clientOf(url.href, metadata, options),
      keys: methods.has('private_key_jwt') ? documentKeys(url.href, metadata, options) : null,
      isPublic: methods.has('none'),
    }
    const seconds = cacheSeconds(document)
    if (seconds > 0) await cache.set(url.href, { ...described, expiresAt: now() + 1000 * seconds })
    return described
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
