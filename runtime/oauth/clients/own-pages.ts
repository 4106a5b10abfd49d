/** The client that the pages of this service sign in as: a public client like any other, but built in, so that it needs no
 *  registration and no row. Every rule holds for it; two are stricter: its redirect URIs match exactly, on loopback too, and
 *  no other client may have them (own-endpoints.ts). */
import type { PageSignIn } from '../../contract/pages.ts'
import { apiScope } from '../../scopes.ts'
import type { AuthorizationServerOptions } from '../options.ts'
import type { Client } from './client.ts'

/** Registered ids are 32 hex digits and those of metadata documents URLs: neither can be this one. */
export const ownPagesClientId = 'acmcp-pages'
export const ownPagesName = 'This service’s own page'

/** Which pages are on. */
export interface OwnPages {
  /** The API reference at `/docs`. */
  readonly docs: boolean
  /** The page at the address of the MCP endpoint. */
  readonly mcp: boolean
}

/** Where the pages that are on receive their codes: the one list of the client's redirect URIs. */
export function ownPageUris(
  { docs, mcp }: OwnPages,
  { baseUrl, mcpPath }: Pick<AuthorizationServerOptions, 'baseUrl' | 'mcpPath'>,
): readonly string[] {
  return [...(docs ? [`${baseUrl}/docs`] : []), ...(mcp ? [`${baseUrl}${mcpPath}`] : [])]
}

type PageOptions = Pick<AuthorizationServerOptions, 'baseUrl' | 'ownPages' | 'devLogin' | 'providers'>

/** The client while a page is on, else null. */
export function ownPagesClient({ ownPages }: Pick<PageOptions, 'ownPages'>): Client | null {
  if (ownPages.length === 0) return null
  return {
    id: ownPagesClientId,
    name: ownPagesName,
    redirectUris: ownPages,
    grantTypes: ['authorization_code', 'refresh_token'],
    responseTypes: ['code'],
  }
}

/** How those pages sign in; null while none is on, and where no user can sign in. */
export function pageSignIn(options: PageOptions): PageSignIn | null {
  const { baseUrl, devLogin, providers } = options
  const client = ownPagesClient(options)
  if (client === null || (!devLogin && Object.keys(providers).length === 0)) return null
  return {
    clientId: client.id,
    issuer: baseUrl,
    authorizationEndpoint: `${baseUrl}/oauth/authorize`,
    tokenEndpoint: `${baseUrl}/oauth/token`,
    revocationEndpoint: `${baseUrl}/oauth/revoke`,
    scope: apiScope,
  }
}
